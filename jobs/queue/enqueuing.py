"""New jobs: one, many in one statement, and those that an unfinished job of the same key may stand for."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from uuid import UUID

from jobs.payload import encode_payload
from jobs.queue.records import NewJob
from synops.store.sanitise import dumps
from synops.store.sql import Cursor, load

UNIQUE_TRIES = 3


class DuplicateJob(Exception):
    """An unfinished job of the type has the same dedupe key."""


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
    keys = [job.order_key for job in wanted if job.order_key is not None]
    if len(wanted) == 1 and not keys:
        _insert_one(cursor, wanted[0])
    else:
        _insert_list(cursor, wanted, keys)
    new = {row[0] for row in cursor.fetchall()}
    return [job.id for job in wanted if job.id in new]


def _insert_one(cursor: Cursor, job: NewJob) -> None:
    cursor.execute(load("jobs.sql", "enqueue_one"), {**job.as_parameters(), "payload": encode_payload(job.payload)})


def _insert_list(cursor: Cursor, jobs: Sequence[NewJob], keys: Sequence[str]) -> None:
    parameters = {
        "jobs": dumps([job.as_json() for job in jobs]),
        "payloads": f"[{','.join(encode_payload(job.payload) for job in jobs)}]",  # each is encoded only once
    }
    if keys:
        cursor.execute(load("jobs.sql", "order_lock"), {"keys": list(keys)})
    cursor.execute(load("jobs.sql", "enqueue_in_order" if keys else "enqueue"), parameters)
