"""The one writer of job_queue: every change of a job's state is a function here, and one SQL statement.

Each takes a cursor (Django's or psycopg's) inside the caller's transaction and returns what it changed. A change is
compare-and-set on (id, status, lease, worker): nothing changed means that someone else got there first.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any
from uuid import UUID

from jobs import claiming
from jobs.claiming import ClaimedJob as ClaimedJob
from jobs.claiming import ClaimMemory
from jobs.claiming import Limits as Limits
from jobs.payload import encode_payload
from synops.graph.columns import new_id
from synops.store.sanitise import clean_text, dumps
from synops.store.sql import Cursor, load

INTERRUPTION_CAP = 3
"""A job that has lost its worker this often ends as lost: it may be what kills the worker."""

RESCUE_BATCH = 500
UNIQUE_TRIES = 3
INLINE_BATCH = 200

RESERVE_AFTER_SECONDS = 60.0
"""A job that has waited this long and would fit an empty machine is not passed by lighter ones any more."""


class DuplicateJob(Exception):
    """An unfinished job of the type has the same dedupe key."""


@dataclass(frozen=True, slots=True)
class NewJob:
    """A job to enqueue. `priority` None = the type's base priority; `scheduled_for` None = now."""

    collection_id: UUID
    job_type: str
    payload: Mapping[str, Any]
    priority: int | None = None
    max_attempts: int = 3
    scheduled_for: datetime | None = None
    dedupe_key: str | None = None
    order_key: str | None = None
    run_id: UUID | None = None
    chain: Sequence[UUID] | None = None
    retry_on: str = "any"
    id: UUID = field(default_factory=new_id)

    def as_json(self) -> dict[str, Any]:
        """The row that enqueue.sql reads, but for the payload, which stands beside. What is left out is NULL."""
        row: dict[str, Any] = {
            "id": str(self.id),
            "collection": str(self.collection_id),
            "job_type": self.job_type,
            "max_attempts": self.max_attempts,
            "retry_on": self.retry_on,
        }
        for name in ("priority", "dedupe_key", "order_key"):
            if (value := getattr(self, name)) is not None:
                row[name] = value
        if self.scheduled_for is not None:
            row["scheduled_for"] = self.scheduled_for.isoformat()
        if self.run_id is not None:
            row["run_id"] = str(self.run_id)
        if self.chain is not None:
            row["chain"] = [str(id) for id in self.chain]
        return row


@dataclass(frozen=True, slots=True)
class Ended:
    """How one attempt ended. `permanent`: trying again can't help. `transient`: the fault lies outside and may pass.

    `retry_after_seconds`: when another attempt follows, how long it waits; None = the queue's own backoff.
    """

    job: ClaimedJob
    outcome: str
    result: Any = None
    error: str | None = None
    reason: str = ""
    permanent: bool = False
    transient: bool = False
    exit_code: int | None = None
    signal: int | None = None
    killed: int = 0
    cpu_seconds: float | None = None
    max_rss_kb: int | None = None
    log_dropped_bytes: int = 0
    progress: float | None = None
    message: str | None = None
    retry_after_seconds: int | None = None

    def as_json(self) -> dict[str, Any]:
        """The row that finish.sql reads."""
        return {
            "id": str(self.job.id),
            "lease": self.job.lease,
            "worker": str(self.job.worker_id),
            "outcome": self.outcome,
            "permanent": self.permanent,
            "transient": self.transient,
            "result": self.result,
            "error": self.error,
            "reason": self.reason,
            "exit_code": self.exit_code,
            "signal": self.signal,
            "killed": self.killed,
            "cpu_seconds": self.cpu_seconds,
            "max_rss_kb": self.max_rss_kb,
            "log_dropped_bytes": self.log_dropped_bytes,
            "progress": self.progress,
            "message": self.message,
            "retry_after": self.retry_after_seconds,
        }


@dataclass(frozen=True, slots=True)
class Changed:
    """A job whose state has just changed, and what it is now."""

    id: UUID
    status: str
    outcome: str | None
    run_id: UUID | None
    collection_id: UUID
    job_type: str


@dataclass(frozen=True)
class Finished:
    """What became of a batch: those that changed, those that someone else holds now, and those that are stale."""

    changed: tuple[Changed, ...]
    held: frozenset[UUID]
    stale: frozenset[UUID]


def enqueue(cursor: Cursor, job: NewJob) -> UUID | None:
    """Enqueue one job; its id, or None when an unfinished job of the type has the same dedupe key."""
    return next(iter(enqueue_many(cursor, [job])), None)


def enqueue_unique(cursor: Cursor, job: NewJob, when_taken: str) -> UUID:
    """Enqueue a job that has a dedupe key; the id of the job that stands for it now.

    When an unfinished job of the type has the key: `skip` leaves it as it is, `replace` gives a waiting one the new
    payload, priority and time (a running one is left alone), `error` raises DuplicateJob.
    """
    if job.dedupe_key is None:
        raise ValueError("a unique job needs a dedupe key")
    for _ in range(UNIQUE_TRIES):
        if (id := enqueue(cursor, job)) is not None:
            return id
        if (standing := _standing(cursor, job)) is not None:
            if when_taken == "error":
                raise DuplicateJob(f"{job.job_type} {job.dedupe_key} is job {standing} already")
            if when_taken == "replace":
                _replace(cursor, job)
            return standing
    raise DuplicateJob(f"{job.job_type} {job.dedupe_key} is being enqueued by someone else")


def _standing(cursor: Cursor, job: NewJob) -> UUID | None:
    cursor.execute(
        "SELECT id FROM job_queue WHERE job_type = %(type)s AND dedupe_key = %(key)s "
        "AND status IN ('pending', 'retry', 'running')",
        {"type": job.job_type, "key": job.dedupe_key},
    )
    found = cursor.fetchone()
    return found[0] if found else None


def _replace(cursor: Cursor, job: NewJob) -> None:
    cursor.execute(
        load("jobs.sql", "replace_duplicate"),
        {
            "payload": dumps(dict(job.payload)),
            "priority": job.priority,
            "scheduled_for": job.scheduled_for,
            "job_type": job.job_type,
            "dedupe_key": job.dedupe_key,
        },
    )


def enqueue_many(cursor: Cursor, jobs: Iterable[NewJob]) -> list[UUID]:
    """Enqueue jobs in one statement; the ids of those that are new, in the order given.

    Raises PayloadRefused before anything is written.
    """
    wanted = list(jobs)
    if not wanted:
        return []
    parameters = {
        "jobs": dumps([job.as_json() for job in wanted]),
        "payloads": f"[{','.join(encode_payload(job.payload) for job in wanted)}]",  # each is encoded only once
    }
    statement = "enqueue"
    if keys := [job.order_key for job in wanted if job.order_key is not None]:
        cursor.execute(load("jobs.sql", "order_lock"), {"keys": keys})
        statement = "enqueue_in_order"
    cursor.execute(load("jobs.sql", statement), parameters)
    new = {row[0] for row in cursor.fetchall()}
    return [job.id for job in wanted if job.id in new]


def claim(
    cursor: Cursor,
    *,
    worker_id: UUID,
    machine: str,
    types: Sequence[str],
    slots: int,
    budget: int,
    live_call: bool = False,
    disk_full: bool = False,
    reserve_after_seconds: float = RESERVE_AFTER_SECONDS,
    memory: ClaimMemory | None = None,
) -> list[ClaimedJob]:
    """Take up to `slots` due jobs of `types`, within every limit. Needs a READ COMMITTED transaction of its own.

    A worker that gives the same `memory` each time pays less for a claim beside old snapshots.
    """
    parameters = {
        "worker": worker_id,
        "machine": machine,
        "types": list(types),
        "slots": slots,
        "budget": budget,
        "live_call": live_call,
        "disk_full": disk_full,
        "reserve_after": reserve_after_seconds,
    }
    return claiming.take(cursor, claiming.claim_statement(), parameters, memory or ClaimMemory(), lazily=False)


def claim_inline(
    cursor: Cursor,
    *,
    worker_id: UUID,
    types: Sequence[str],
    machine: str = "",
    live_call: bool = False,
    disk_full: bool = False,
    memory: ClaimMemory | None = None,
) -> list[ClaimedJob]:
    """Take up to 200 due jobs of types that run inside the worker, those of one order key one after another."""
    parameters = {
        "worker": worker_id,
        "machine": machine,
        "types": list(types),
        "slots": INLINE_BATCH,
        "live_call": live_call,
        "disk_full": disk_full,
    }
    jobs = claiming.take(cursor, claiming.claim_inline_statement(), parameters, memory or ClaimMemory(), lazily=True)
    return sorted(jobs, key=lambda job: job.id)


def finish(cursor: Cursor, ended: Sequence[Ended]) -> Finished:
    """Record how attempts ended: completed, waiting for another try, or failed."""
    if not ended:
        return Finished((), frozenset(), frozenset())
    cursor.execute(load("jobs.sql", "finish"), {"ended": dumps([one.as_json() for one in ended])})
    rows = cursor.fetchall()
    changed = tuple(Changed(id, status, *rest) for id, _, status, *rest in rows if status is not None)
    held = frozenset(id for id, matched, status, *_ in rows if matched and status is None)
    stale = frozenset(id for id, matched, *_ in rows if not matched)
    return Finished(changed, held, stale)


def finish_inline(cursor: Cursor, worker_id: UUID, ended: Sequence[Ended]) -> Finished:
    """As `finish`, for a batch of jobs that have run inside this worker."""
    plain = {one.job.id: one.job for one in ended if one.outcome == "succeeded" and one.job.attempt == 1}
    done = _complete(cursor, worker_id, [one for one in ended if one.job.id in plain])
    rest = finish(cursor, [one for one in ended if one.job.id not in done])
    changed = [Changed(id, "completed", "succeeded", *_belongs(plain[id])) for id in done]
    return Finished((*changed, *rest.changed), rest.held, rest.stale)


def _complete(cursor: Cursor, worker_id: UUID, ended: Sequence[Ended]) -> set[UUID]:
    if not ended:
        return set()
    columns = {
        "worker": worker_id,
        "ids": [one.job.id for one in ended],
        "leases": [one.job.lease for one in ended],
        "results": dumps([one.result for one in ended]),
    }
    cursor.execute(load("jobs.sql", "finish_inline"), columns)
    return {row[0] for row in cursor.fetchall()}


def _belongs(job: ClaimedJob) -> tuple[UUID | None, UUID, str]:
    return job.run_id, job.collection_id, job.job_type


def give_back(cursor: Cursor, jobs: Iterable[ClaimedJob | Owned]) -> list[Changed]:
    """Return running jobs to the queue at shutdown: due now, no attempt burned."""
    rows = [{"id": str(job.id), "lease": job.lease, "worker": str(job.worker_id)} for job in jobs]
    return _changed(cursor, "give_back", {"jobs": json.dumps(rows)})


def rescue(cursor: Cursor, ttl_seconds: float) -> list[Changed]:
    """Requeue up to 500 running jobs whose worker is gone; call again while it returns that many."""
    return _changed(cursor, "rescue", {"ttl": ttl_seconds, "cap": INTERRUPTION_CAP, "batch": RESCUE_BATCH})


def cancel(cursor: Cursor, ids: Iterable[UUID]) -> list[Changed]:
    """Cancel waiting jobs at once and ask the workers of running ones to stop them; those that were touched."""
    return _changed(cursor, "cancel", {"ids": list(ids)})


def retry(cursor: Cursor, ids: Iterable[UUID]) -> list[Changed]:
    """Make failed jobs, and jobs that wait for their backoff, due now; those that were touched."""
    return _changed(cursor, "retry", {"ids": list(ids)})


def run_now(cursor: Cursor, ids: Iterable[UUID]) -> list[Changed]:
    """Make waiting jobs due now; those that were not due yet."""
    return _changed(cursor, "run_now", {"ids": list(ids)})


def snooze(cursor: Cursor, ids: Iterable[UUID], until: datetime) -> list[Changed]:
    """Make waiting jobs wait until then, without burning an attempt; those that were touched."""
    return _changed(cursor, "snooze", {"ids": list(ids), "until": until})


def reprioritise(cursor: Cursor, ids: Iterable[UUID], priority: int) -> list[Changed]:
    """Give waiting jobs another priority (0–10); those that were touched."""
    return _changed(cursor, "reprioritise", {"ids": list(ids), "priority": priority})


def discard(cursor: Cursor, ids: Iterable[UUID]) -> list[Changed]:
    """Delete finished jobs for good; those that were."""
    return _changed(cursor, "discard", {"ids": list(ids)})


def _changed(cursor: Cursor, statement: str, parameters: dict[str, Any]) -> list[Changed]:
    cursor.execute(load("jobs.sql", statement), parameters)
    return [Changed(*row) for row in cursor.fetchall()]


def cancelling(cursor: Cursor, worker_id: UUID) -> set[tuple[UUID, int]]:
    """(id, lease) of this worker's running jobs that somebody wants stopped."""
    cursor.execute(load("jobs.sql", "cancelling"), {"worker": worker_id})
    return {(id, lease) for id, lease in cursor.fetchall()}


@dataclass(frozen=True)
class Owned:
    """Just enough of a running job to give it back."""

    id: UUID
    lease: int
    worker_id: UUID


def owned(cursor: Cursor, worker_id: UUID) -> dict[tuple[UUID, int], Owned]:
    """The rows that say they run under this worker, by (id, lease). Index: job_queue_running."""
    cursor.execute(
        "SELECT id, lease FROM job_queue WHERE status = 'running' AND worker_id = %(worker)s", {"worker": worker_id}
    )
    return {(id, lease): Owned(id, lease, worker_id) for id, lease in cursor.fetchall()}


def record_progress(cursor: Cursor, rows: Sequence[tuple[ClaimedJob, float | None, str | None]]) -> list[UUID]:
    """Store progress (0–1) and message of running attempts; the jobs that still run under these leases."""
    progress = [
        {"id": str(job.id), "lease": job.lease, "progress": fraction, "message": message}
        for job, fraction, message in rows
    ]
    cursor.execute(load("jobs.sql", "progress"), {"progress": dumps(progress)})
    return [row[0] for row in cursor.fetchall()]


@dataclass(frozen=True)
class LogText:
    """A chunk of an attempt's log: `part` head or tail, `seq` its place. The same seq again replaces the text."""

    job: ClaimedJob
    seq: int
    part: str
    text: str


def append_log(cursor: Cursor, chunks: Sequence[LogText]) -> None:
    """Store log chunks; those of jobs that have been deleted are dropped."""
    rows = [
        {
            "id": str(chunk.job.id),
            "lease": chunk.job.lease,
            "seq": chunk.seq,
            "part": chunk.part,
            "text": clean_text(chunk.text),
        }
        for chunk in chunks
    ]
    cursor.execute(load("jobs.sql", "append_log"), {"chunks": json.dumps(rows)})


def record_argv(cursor: Cursor, job: ClaimedJob, argv: Sequence[str]) -> None:
    """Store the exact command of an attempt, for the job page."""
    cursor.execute(
        "UPDATE job_attempts SET argv = %(argv)s::jsonb WHERE job_id = %(id)s AND lease = %(lease)s",
        {"argv": dumps(list(argv)), "id": job.id, "lease": job.lease},
    )


def waiting(cursor: Cursor, types: Sequence[str]) -> tuple[int, int]:
    """How many jobs of `types` wait: (due now, due later)."""
    cursor.execute(load("jobs.sql", "waiting"), {"types": list(types)})
    due, later = cursor.fetchone() or (0, 0)
    return due, later


def drop_log(cursor: Cursor, job_id: UUID, lease: int, numbers: Sequence[int]) -> None:
    """Forget log chunks of the middle, when the tail has moved on."""
    cursor.execute(
        "DELETE FROM job_log WHERE job_id = %(id)s AND lease = %(lease)s AND seq = ANY(%(numbers)s)",
        {"id": job_id, "lease": lease, "numbers": list(numbers)},
    )
