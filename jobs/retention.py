"""Old jobs, attempts and logs go, in batches that no claim waits for; how many there were is kept per day."""

from __future__ import annotations

from dataclasses import dataclass

from synops.store.sql import Cursor, load

BATCH = 1000


@dataclass(frozen=True)
class Ages:
    """After how many days what goes."""

    job_days: int
    log_days: int


def expire_jobs(cursor: Cursor, days: int) -> int:
    """Delete one batch of finished jobs older than that; how many. Call again while it is a full batch."""
    return sum(_count(cursor, "expire_jobs", days, status=status) for status in ("completed", "error"))


def expire_logs(cursor: Cursor, days: int) -> int:
    """Delete one batch of log chunks older than that; how many."""
    return _count(cursor, "expire_logs", days)


def _count(cursor: Cursor, statement: str, days: int, **more: str) -> int:
    cursor.execute(load("jobs.sql", statement), {"days": days, "batch": BATCH, **more})
    return int((cursor.fetchone() or (0,))[0])


def try_to_be_the_one(cursor: Cursor) -> bool:
    """Whether this transaction is the one that prunes now; several workers would only hinder each other."""
    cursor.execute("SELECT pg_try_advisory_xact_lock(hashtext('synops.retention'))")
    return bool((cursor.fetchone() or (False,))[0])


def expire_batch(cursor: Cursor, ages: Ages) -> int:
    """One batch of everything, if nobody else is at it; how many rows went."""
    if not try_to_be_the_one(cursor):
        return 0
    return (
        expire_jobs(cursor, ages.job_days) + expire_logs(cursor, ages.log_days) + expire_records(cursor, ages.job_days)
    )


def expire_records(cursor: Cursor, days: int) -> int:
    """Delete one batch of superseded runs of units, with their steps, and of repairs; how many.

    The newest run of a unit stays for ever: it is what selection asks whether a unit has been worked on.
    """
    gone = 0
    for statement in ("expire_generations", "expire_repairs"):
        cursor.execute(load("jobs.pipelines.sql", statement), {"days": days, "batch": BATCH})
        gone += cursor.rowcount
    return gone
