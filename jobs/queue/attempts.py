"""What a worker tells of its running attempts (command, progress, log), and what it asks about them."""

from __future__ import annotations

import json
from collections.abc import Sequence
from uuid import UUID

from jobs.queue.records import ClaimedJob, LogText, Owned
from synops.store.sanitise import clean_text, dumps
from synops.store.sql import Cursor, load


def record_argv(cursor: Cursor, job: ClaimedJob, argv: Sequence[str]) -> None:
    """Store the exact command of an attempt, for the job page."""
    cursor.execute(
        "UPDATE job_attempts SET argv = %(argv)s::jsonb WHERE job_id = %(id)s AND lease = %(lease)s",
        {"argv": dumps(list(argv)), "id": job.id, "lease": job.lease},
    )


def record_progress(cursor: Cursor, rows: Sequence[tuple[ClaimedJob, float | None, str | None]]) -> list[UUID]:
    """Store progress (0–1) and message of running attempts; the jobs that still run under these leases."""
    progress = [
        {"id": str(job.id), "lease": job.lease, "progress": fraction, "message": message}
        for job, fraction, message in rows
    ]
    cursor.execute(load("jobs.sql", "progress"), {"progress": dumps(progress)})
    return [row[0] for row in cursor.fetchall()]


def append_log(cursor: Cursor, chunks: Sequence[LogText]) -> None:
    """Store log chunks; those of jobs that have been deleted are dropped."""
    if not chunks:
        return
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


def drop_log(cursor: Cursor, job_id: UUID, lease: int, numbers: Sequence[int]) -> None:
    """Forget log chunks of the middle, when the tail has moved on."""
    cursor.execute(
        "DELETE FROM job_log WHERE job_id = %(id)s AND lease = %(lease)s AND seq = ANY(%(numbers)s)",
        {"id": job_id, "lease": lease, "numbers": list(numbers)},
    )


def cancelling(cursor: Cursor, worker_id: UUID) -> set[tuple[UUID, int]]:
    """(id, lease) of this worker's running jobs that somebody wants stopped."""
    cursor.execute(load("jobs.sql", "cancelling"), {"worker": worker_id})
    return {(id, lease) for id, lease in cursor.fetchall()}


def owned(cursor: Cursor, worker_id: UUID) -> dict[tuple[UUID, int], Owned]:
    """The rows that say they run under this worker, by (id, lease). Index: job_queue_running."""
    cursor.execute(
        "SELECT id, lease FROM job_queue WHERE status = 'running' AND worker_id = %(worker)s", {"worker": worker_id}
    )
    return {(id, lease): Owned(id, lease, worker_id) for id, lease in cursor.fetchall()}


def waiting(cursor: Cursor, types: Sequence[str]) -> tuple[int, int]:
    """How many jobs of `types` wait: (due now, due later)."""
    cursor.execute(load("jobs.sql", "waiting"), {"types": list(types)})
    due, later = cursor.fetchone() or (0, 0)
    return due, later
