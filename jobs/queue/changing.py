"""What people do to jobs: cancel, retry, run now, put off, put before others, delete."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from typing import Any
from uuid import UUID

from jobs.queue.records import Changed
from synops.store.sql import Cursor, load


def cancel(cursor: Cursor, ids: Iterable[UUID]) -> list[Changed]:
    """Cancel waiting jobs at once and ask the workers of running ones to stop them; those that were touched."""
    return changed_by(cursor, "cancel", {"ids": list(ids)})


def retry(cursor: Cursor, ids: Iterable[UUID]) -> list[Changed]:
    """Make failed jobs, and jobs that wait for their backoff, due now; those that were touched."""
    return changed_by(cursor, "retry", {"ids": list(ids)})


def run_now(cursor: Cursor, ids: Iterable[UUID]) -> list[Changed]:
    """Make waiting jobs due now; those that were not due yet."""
    return changed_by(cursor, "run_now", {"ids": list(ids)})


def snooze(cursor: Cursor, ids: Iterable[UUID], until: datetime) -> list[Changed]:
    """Make waiting jobs wait until then, without burning an attempt; those that were touched."""
    return changed_by(cursor, "snooze", {"ids": list(ids), "until": until})


def reprioritise(cursor: Cursor, ids: Iterable[UUID], priority: int) -> list[Changed]:
    """Give waiting jobs another priority (0–10); those that were touched."""
    return changed_by(cursor, "reprioritise", {"ids": list(ids), "priority": priority})


def discard(cursor: Cursor, ids: Iterable[UUID]) -> list[Changed]:
    """Delete finished jobs for good; those that were."""
    return changed_by(cursor, "discard", {"ids": list(ids)})


def changed_by(cursor: Cursor, statement: str, parameters: dict[str, Any]) -> list[Changed]:
    """Run a statement of jobs/sql that returns the jobs that it changed."""
    cursor.execute(load("jobs.sql", statement), parameters)
    return [Changed(*row) for row in cursor.fetchall()]
