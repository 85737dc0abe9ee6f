"""The real queue beside its model: what hypothesis may do in a step, and what must hold after each one.

queue_histories.py adds what would come about too seldom by itself; test_queue_model.py runs it all.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import Any, ClassVar
from uuid import UUID

import psycopg
from hypothesis import strategies as st
from hypothesis.stateful import Bundle, MultipleResults, initialize, multiple, rule

from jobs import queue
from jobs.queue import ClaimedJob, Ended
from jobs.queue.claiming import ClaimMemory
from resources import workers
from resources.workers import Beat, Registration
from synops.graph.columns import new_id
from tests.jobs.arrange import age_heartbeat, make_due, new_job, set_rule
from tests.jobs.queue_invariants import ENDINGS, PROGRAMS, RULES, TTL, Invariants
from tests.jobs.queue_model import WAITING, QueueModel


class QueueMachine(Invariants):
    """Each rule is one transaction of somebody; what a worker holds in memory may be used at any later time."""

    job_ids = Bundle("job_ids")
    worker_ids = Bundle("worker_ids")
    leases = Bundle("leases")
    inline_leases = Bundle("inline_leases")
    all_leases = st.one_of(leases, inline_leases)
    connections: ClassVar[Sequence[psycopg.Connection[Any]]]

    def __init__(self) -> None:
        super().__init__()
        self.model = QueueModel(RULES, budget=8)
        self.ended_rows: dict[UUID, tuple[Any, ...]] = {}
        self.tokens = 0
        self.mine, self.other = self.connections
        self.memory = ClaimMemory()
        for name, limits in RULES.items():
            set_rule(self.mine.cursor(), name, cpu_weight=limits.weight, max_concurrent=limits.most)

    def teardown(self) -> None:
        self.mine.execute("DELETE FROM job_queue; DELETE FROM workers")

    def run(self, function: Callable[..., Any], *args: Any, **options: Any) -> Any:
        with self.mine.transaction(), self.mine.cursor() as cursor:
            return function(cursor, *args, **options)

    # -- somebody enqueues -------------------------------------------------------------------------------------------

    @rule(
        target=job_ids,
        job_type=st.sampled_from(list(RULES)),
        priority=st.sampled_from([1, 5, 10]),
        max_attempts=st.integers(1, 3),
        dedupe_key=st.sampled_from([None, None, "k"]),
        order_key=st.sampled_from([None, "o"]),
        retry_on=st.sampled_from(["any", "any", "transient"]),
    )
    def enqueue(self, job_type: str, **fields: Any) -> Any:
        id = self.enqueued(job_type, **fields)
        return multiple(*([id] if id else []))

    def enqueued(self, job_type: str, **fields: Any) -> UUID | None:
        new = new_job(job_type, **fields)
        id = self.run(queue.enqueue, new)
        assert id == self.model.enqueue(new)
        return id

    # -- workers come and go -----------------------------------------------------------------------------------------

    @initialize(target=worker_ids)
    def two_workers_start(self) -> MultipleResults[UUID]:
        return multiple(self.start_worker("here"), self.start_worker("there"))

    @initialize(target=job_ids, jobs=st.lists(st.tuples(st.sampled_from(list(RULES)), st.integers(1, 2)), min_size=4))
    def jobs_are_there(self, jobs: list[tuple[str, int]]) -> MultipleResults[UUID]:
        return multiple(*(self.enqueued(job_type, priority=5, max_attempts=most) for job_type, most in jobs))

    @rule(target=worker_ids, machine=st.sampled_from(["here", "there"]))
    def start_worker(self, machine: str) -> UUID:
        id = new_id()
        self.run(workers.register, Registration(id, machine, 1, "test", "auto", 3, 8, list(RULES)))
        self.model.machines[id] = machine
        self.model.alive.add(id)
        return id

    @rule(worker=worker_ids)
    def worker_falls_silent(self, worker: UUID) -> None:
        self.run(age_heartbeat, worker)
        self.model.alive.discard(worker)

    @rule()
    def silent_workers_are_retired(self) -> None:
        retired = set(self.run(workers.retire, TTL))
        assert not retired & self.model.alive

    @rule(worker=worker_ids)
    def worker_signs_off(self, worker: UUID) -> None:
        self.run(workers.sign_off, worker)
        self.model.alive.discard(worker)

    @rule(worker=worker_ids)
    def worker_beats_again(self, worker: UUID) -> None:
        if self.run(workers.beat, Beat(worker, "running", 0, 0.0, 0, True, [])) is not None:
            self.model.alive.add(worker)

    # -- claims ------------------------------------------------------------------------------------------------------

    @rule(
        target=leases,
        worker=worker_ids,
        slots=st.integers(1, 4),
        types=st.sets(st.sampled_from(PROGRAMS), min_size=1),
    )
    def claim(self, worker: UUID, slots: int, types: set[str]) -> MultipleResults[ClaimedJob]:
        expected = self.model.claimable(worker, types, slots, *self.due())
        return self.claimed(worker, self.run(queue.claim, **self.claim_options(worker, slots, types)), expected)

    @rule(target=inline_leases, worker=worker_ids)
    def claim_inline(self, worker: UUID) -> MultipleResults[ClaimedJob]:
        expected = self.model.claimable_inline(["inline"], queue.INLINE_BATCH, *self.due())
        inline = {"worker_id": worker, "types": ["inline"], "memory": self.floor_alone()}
        return self.claimed(worker, self.run(queue.claim_inline, **inline), expected)

    @rule(target=leases, worker=worker_ids, held=job_ids)
    def claim_while_somebody_holds_a_row(self, worker: UUID, held: UUID) -> MultipleResults[ClaimedJob]:
        expected = self.model.claimable(worker, PROGRAMS, 4, *self.due())
        with self.holding(held):
            jobs = self.run(queue.claim, **self.claim_options(worker, 4, PROGRAMS))
        return self.claimed(worker, jobs, [id for id in expected if id != held])

    def claim_options(self, worker: UUID, slots: int, types: Any) -> dict[str, Any]:
        machine = self.model.machines[worker]
        return {
            "worker_id": worker, "machine": machine, "types": sorted(types), "slots": slots,
            "budget": self.model.budget, "memory": self.floor_alone(),
        }  # fmt: skip

    def floor_alone(self) -> ClaimMemory:
        """The part of a claim's memory that is exact; the heads are a hint, and the model knows no hints."""
        self.memory.heads = None
        return self.memory

    def claimed(self, worker: UUID, jobs: Sequence[ClaimedJob], expected: list[UUID]) -> MultipleResults[ClaimedJob]:
        assert {job.id for job in jobs} == set(expected)
        self.model.claim(worker, expected)
        assert all(self.model.holds(job) for job in jobs)
        return multiple(*jobs)

    def due(self) -> tuple[dict[UUID, datetime], datetime]:
        """When each waiting job is due, and what time it is; the database is asked, its clock decides."""
        rows = self.mine.execute("SELECT id, scheduled_for, now() FROM job_queue").fetchall()
        waiting = {id: at for id, at, _ in rows if self.model.jobs[id].status in WAITING}
        return waiting, rows[0][2] if rows else datetime.min.replace(tzinfo=UTC)

    @contextmanager
    def holding(self, id: UUID) -> Iterator[None]:
        """Somebody else's open transaction, with this row locked."""
        with self.other.transaction(force_rollback=True):
            self.other.execute("SELECT FROM job_queue WHERE id = %s FOR UPDATE", [id])
            yield

    # -- attempts end, in time or late -------------------------------------------------------------------------------

    @rule(batch=st.lists(st.tuples(all_leases, st.sampled_from(ENDINGS)), min_size=1, max_size=3))
    def results_arrive(self, batch: list[tuple[ClaimedJob, dict[str, Any]]]) -> None:
        once = {(job.id, job.lease): (job, ending) for job, ending in batch}
        ended = [self.ended(job, ending) for job, ending in once.values()]
        finished = self.run(queue.finish, ended)
        told = [(one.job, self.model.finish(one)) for one in ended]
        assert sorted(change.id for change in finished.changed) == sorted(job.id for job, new in told if new)
        assert finished.stale == {job.id for job, new in told if not new}
        assert not finished.held

    @rule(batch=st.lists(st.tuples(inline_leases, st.sampled_from(ENDINGS)), min_size=1, max_size=4))
    def inline_results_arrive(self, batch: list[tuple[ClaimedJob, dict[str, Any]]]) -> None:
        """A worker's batch holds a job once; what else hypothesis has picked is left out."""
        once = {job.id: (job, ending) for job, ending in batch}
        for worker in {job.worker_id for job, _ in once.values()}:
            ended = [self.ended(job, ending) for job, ending in once.values() if job.worker_id == worker]
            finished = self.run(queue.finish_inline, worker, ended)
            told = {one.job.id: self.model.finish(one) for one in ended}
            assert {change.id for change in finished.changed} == {id for id, new in told.items() if new}
            assert finished.stale == {id for id, new in told.items() if not new}
            assert not finished.held

    @rule(target=leases, worker=worker_ids, ending=st.sampled_from(ENDINGS))
    def a_worker_runs_a_job(self, worker: UUID, ending: dict[str, Any]) -> MultipleResults[ClaimedJob]:
        claimed = self.claim(worker, 1, set(PROGRAMS))
        for job in claimed.values:
            self.results_arrive([(job, ending)])
        return claimed

    @rule(target=inline_leases, worker=worker_ids, ending=st.sampled_from(ENDINGS))
    def a_worker_runs_a_batch(self, worker: UUID, ending: dict[str, Any]) -> MultipleResults[ClaimedJob]:
        claimed = self.claim_inline(worker)
        self.inline_results_arrive([(job, ending) for job in claimed.values])
        return claimed

    @rule(job=all_leases, ending=st.sampled_from(ENDINGS))
    def a_result_arrives_while_somebody_holds_the_row(self, job: ClaimedJob, ending: dict[str, Any]) -> None:
        with self.holding(job.id):
            finished = self.run(queue.finish, [self.ended(job, ending)])
        assert finished.held == ({job.id} if self.model.holds(job) else set())
        assert not finished.changed

    def ended(self, job: ClaimedJob, ending: dict[str, Any]) -> Ended:
        self.tokens += 1
        result = self.tokens if ending["outcome"] in ("succeeded", "excluded") else None
        return Ended(job, **ending, result=result, error="it broke")

    @rule(batch=st.lists(all_leases, min_size=1, max_size=3, unique_by=lambda job: job.id))
    def a_worker_gives_jobs_back(self, batch: list[ClaimedJob]) -> None:
        changed = self.run(queue.give_back, batch)
        assert {change.id for change in changed} == set(self.model.give_back(batch))

    @rule(job=all_leases)
    def a_worker_reports_progress(self, job: ClaimedJob) -> None:
        alive = self.run(queue.record_progress, [(job, 0.5, None)])
        program = not RULES[job.job_type].inline
        assert alive == ([job.id] if program and self.model.holds(job) else [])

    # -- repair, and people ------------------------------------------------------------------------------------------

    @rule()
    def rescue(self) -> None:
        orphans = self.model.orphans()
        changed = self.run(queue.rescue, TTL)
        self.model.rescue(orphans)
        assert {change.id: change.status for change in changed} == {job.new.id: job.status for job in orphans}

    @rule(held=job_ids)
    def rescue_while_somebody_holds_a_row(self, held: UUID) -> None:
        orphans = [job for job in self.model.orphans() if job.new.id != held]
        with self.holding(held):
            changed = self.run(queue.rescue, TTL)
        self.model.rescue(orphans)
        assert {change.id for change in changed} == {job.new.id for job in orphans}

    @rule(ids=st.lists(job_ids, min_size=1, max_size=3, unique=True))
    def cancel(self, ids: list[UUID]) -> None:
        changed = self.run(queue.cancel, ids)
        assert {change.id for change in changed} == {id for id in ids if self.model.cancel(id)}

    @rule(id=job_ids)
    def retry_by_hand(self, id: UUID) -> None:
        changed = self.run(queue.retry, [id])
        assert [change.id for change in changed] == ([id] if self.model.retry(id) else [])
        if changed:
            self.ended_rows.pop(id, None)

    # -- time passes, transactions are lost --------------------------------------------------------------------------

    @rule(id=job_ids)
    def becomes_due(self, id: UUID) -> None:
        self.run(make_due, id)

    @rule(id=job_ids)
    def has_waited_long(self, id: UUID) -> None:
        self.mine.execute("UPDATE job_queue SET scheduled_for = now() - interval '2 minutes' WHERE id = %s", [id])

    @rule(worker=worker_ids, job=all_leases, what=st.sampled_from(["claim", "finish", "give_back", "cancel", "rescue"]))
    def somebody_dies_before_the_commit(self, worker: UUID, job: ClaimedJob, what: str) -> None:
        work: dict[str, Callable[[Any], object]] = {
            "claim": lambda cursor: queue.claim(cursor, **self.claim_options(worker, 3, PROGRAMS)),
            "finish": lambda cursor: queue.finish(cursor, [self.ended(job, ENDINGS[0])]),
            "give_back": lambda cursor: queue.give_back(cursor, [job]),
            "cancel": lambda cursor: queue.cancel(cursor, [job.id]),
            "rescue": lambda cursor: queue.rescue(cursor, TTL),
        }
        with self.mine.transaction(force_rollback=True), self.mine.cursor() as cursor:
            work[what](cursor)
