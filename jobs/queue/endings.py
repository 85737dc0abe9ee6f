"""The ends of attempts: as their programs ended, as batches of inline jobs ended, given back, or lost with their worker."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from uuid import UUID

from jobs.queue.attempts import append_log
from jobs.queue.changing import changed_by
from jobs.queue.records import Changed, ClaimedJob, Ended, Finished, Owned
from synops.store.sanitise import dumps
from synops.store.sql import Cursor, load

INTERRUPTION_CAP = 3
"""A job that has lost its worker this often ends as lost: it may be what kills the worker."""

RESCUE_BATCH = 500


def finish(cursor: Cursor, ended: Sequence[Ended]) -> Finished:
    """Record how attempts ended: completed, waiting for another try, or failed."""
    if not ended:
        return Finished((), frozenset(), frozenset())
    cursor.execute(load("jobs.sql", "finish"), {"ended": dumps([one.as_json() for one in ended])})
    rows = cursor.fetchall()
    changed = tuple(Changed(id, status, *rest) for id, _, status, *rest in rows if status is not None)
    held = frozenset(id for id, matched, status, *_ in rows if matched and status is None)
    stale = frozenset(id for id, matched, *_ in rows if not matched)
    # Not of those that are held: the log refers to the job, and would wait for whoever holds it.
    append_log(cursor, [chunk for one in ended if one.job.id not in held for chunk in one.log])
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
    return changed_by(cursor, "give_back", {"jobs": json.dumps(rows)})


def rescue(cursor: Cursor, ttl_seconds: float) -> list[Changed]:
    """Requeue up to 500 running jobs whose worker is gone; call again while it returns that many."""
    return changed_by(cursor, "rescue", {"ttl": ttl_seconds, "cap": INTERRUPTION_CAP, "batch": RESCUE_BATCH})
