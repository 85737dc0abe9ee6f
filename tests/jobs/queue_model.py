"""What the queue should do, in plain Python: one job a small record, each transition a few lines, no SQL anywhere.

test_queue_model.py lets hypothesis drive this and the real queue side by side, and compares them after every step.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from jobs.queue import INTERRUPTION_CAP, RESERVE_AFTER_SECONDS, ClaimedJob, Ended, NewJob

WAITING = ("pending", "retry")
UNFINISHED = ("pending", "retry", "running")


@dataclass(frozen=True)
class Rule:
    """A type's limits; `inline` types have no weight and a lane of their own."""

    weight: int
    most: int
    inline: bool = False


@dataclass
class ModelJob:
    """A job as it should be now. `born` orders jobs of one order key; `lost` counts every interruption there ever was."""

    new: NewJob
    born: int
    status: str = "pending"
    outcome: str | None = None
    lease: int = 0
    worker: UUID | None = None
    attempts: int = 0
    max_attempts: int = 3
    interruptions: int = 0
    cancelling: bool = False
    result: Any = None
    lost: int = 0

    @property
    def visible(self) -> tuple[Any, ...]:
        """What the row must say, in the order of queue_invariants.ROWS."""
        return (
            self.status,
            self.outcome,
            self.lease,
            self.worker,
            self.attempts,
            self.max_attempts,
            self.interruptions,
            self.cancelling,
            self.result,
        )


@dataclass
class QueueModel:
    """All jobs and workers. Each method is one transition of the real queue."""

    rules: dict[str, Rule]
    budget: int
    jobs: dict[UUID, ModelJob] = field(default_factory=dict)
    machines: dict[UUID, str] = field(default_factory=dict)
    alive: set[UUID] = field(default_factory=set)

    def with_status(self, *statuses: str) -> list[ModelJob]:
        return [job for job in self.jobs.values() if job.status in statuses]

    # -- enqueue -----------------------------------------------------------------------------------------------------

    def enqueue(self, new: NewJob) -> UUID | None:
        if new.dedupe_key is not None and self._key_taken(new):
            return None
        self.jobs[new.id] = ModelJob(new, born=len(self.jobs), max_attempts=new.max_attempts)
        return new.id

    def _key_taken(self, new: NewJob) -> bool:
        same = (job for job in self.with_status(*UNFINISHED) if job.new.job_type == new.job_type)
        return any(job.new.dedupe_key == new.dedupe_key for job in same)

    # -- claim -------------------------------------------------------------------------------------------------------

    def claimable(
        self, worker: UUID, types: Collection[str], slots: int, due: dict[UUID, datetime], now: datetime
    ) -> list[UUID]:
        """Which jobs a claim must take. `due` holds when each waiting job is due."""
        ranked = self._ranked(types, due, now)
        weight_left = self.budget - self._weight_on(self.machines[worker])
        taken: list[UUID] = []
        for job in ranked:
            if len(taken) == slots or weight_left <= 0:
                break
            weight = self.rules[job.new.job_type].weight
            if weight <= weight_left:
                taken.append(job.new.id)
                weight_left -= weight
            elif weight <= self.budget and due[job.new.id] < now - timedelta(seconds=RESERVE_AFTER_SECONDS):
                break  # the machine is reserved for it
        return taken

    def claimable_inline(
        self, types: Collection[str], batch: int, due: dict[UUID, datetime], now: datetime
    ) -> list[UUID]:
        """As `claimable`, for the inline lane: no weight, and nobody passes an older job of the same order key."""
        heads = {id: at for id, at in due.items() if self._is_head(self.jobs[id])}
        return [job.new.id for job in self._ranked(types, heads, now)][:batch]

    def _is_head(self, job: ModelJob) -> bool:
        key = job.new.order_key
        return key is None or not any(
            other.new.order_key == key and other.born < job.born for other in self.with_status(*UNFINISHED)
        )

    def _ranked(self, types: Collection[str], due: dict[UUID, datetime], now: datetime) -> list[ModelJob]:
        """Due jobs of these types, best first, no more of a type than it has room for."""
        room = Counter({type: self._room(type) for type in types})
        ranked = []
        for id in sorted((id for id in due if due[id] <= now), key=lambda id: (-(self._priority(id)), due[id], id)):
            job = self.jobs[id]
            if job.status in WAITING and room[job.new.job_type] > 0:
                room[job.new.job_type] -= 1
                ranked.append(job)
        return ranked

    def _priority(self, id: UUID) -> int:
        priority = self.jobs[id].new.priority
        assert priority is not None
        return priority

    def _room(self, job_type: str) -> int:
        most = self.rules[job_type].most
        running = sum(job.new.job_type == job_type for job in self.with_status("running"))
        return max(0, most - running) if most else len(self.jobs)

    def _weight_on(self, machine: str) -> int:
        running = (job for job in self.with_status("running") if job.worker and self.machines[job.worker] == machine)
        return sum(self.rules[job.new.job_type].weight for job in running)

    def claim(self, worker: UUID, ids: Iterable[UUID]) -> None:
        for id in ids:
            job = self.jobs[id]
            job.status, job.worker = "running", worker
            job.lease += 1
            job.attempts += 1

    # -- the end of an attempt ---------------------------------------------------------------------------------------

    def holds(self, claimed: ClaimedJob) -> bool:
        """Whether this lease is still the one that counts."""
        job = self.jobs[claimed.id]
        return (job.status, job.lease, job.worker) == ("running", claimed.lease, claimed.worker_id)

    def finish(self, ended: Ended) -> bool:
        """Whether anything changed: a late result must not."""
        if not self.holds(ended.job):
            return False
        job = self.jobs[ended.job.id]
        job.worker, job.status = None, self._after(job, ended)
        job.result = job.result if ended.result is None else ended.result
        if job.status != "retry":
            job.outcome = "cancelled" if job.cancelling else ended.outcome
        return True

    @staticmethod
    def _after(job: ModelJob, ended: Ended) -> str:
        if job.cancelling or ended.outcome == "cancelled":
            return "error"
        if ended.outcome in ("succeeded", "excluded"):
            return "completed"
        hopeless = ended.permanent or job.attempts >= job.max_attempts
        return "error" if hopeless or (job.new.retry_on == "transient" and not ended.transient) else "retry"

    def interrupt(self, job: ModelJob, cap: int | None = None) -> None:
        """The attempt does not count: at a shutdown (no cap), or because the worker was lost."""
        given_up = cap is not None and job.interruptions >= cap
        job.status, job.outcome = ("error", "cancelled") if job.cancelling else ("pending", None)
        if given_up and not job.cancelling:
            job.status, job.outcome = "error", "lost"
        job.worker = None
        job.attempts -= 1
        job.interruptions += 1
        job.lost += 1

    def give_back(self, claimed: Sequence[ClaimedJob]) -> list[UUID]:
        held = [one.id for one in claimed if self.holds(one)]
        for id in held:
            self.interrupt(self.jobs[id])
        return held

    def orphans(self) -> list[ModelJob]:
        return [job for job in self.with_status("running") if job.worker not in self.alive]

    def rescue(self, jobs: Iterable[ModelJob]) -> None:
        for job in jobs:
            self.interrupt(job, INTERRUPTION_CAP)

    # -- by hand -----------------------------------------------------------------------------------------------------

    def cancel(self, id: UUID) -> bool:
        job = self.jobs[id]
        if job.status not in UNFINISHED or job.cancelling:
            return False
        if job.status in WAITING:
            job.status, job.outcome = "error", "cancelled"
        job.cancelling = True
        return True

    def retry(self, id: UUID) -> bool:
        job = self.jobs[id]
        key_taken = job.status == "error" and job.new.dedupe_key is not None and self._key_taken(job.new)
        if job.status not in ("error", "retry") or key_taken:
            return False
        job.status, job.outcome, job.cancelling, job.interruptions = "pending", None, False, 0
        job.max_attempts = max(job.max_attempts, job.attempts + 1)
        return True
