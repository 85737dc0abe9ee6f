"""From a tick to its job: taken by one process, in the transaction that enqueues it, and left out when the last is not done."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

from jobs import queue
from jobs.queue import NewJob
from jobs.schedules.cron import latest_tick, next_ticks
from synops.store.sql import Cursor, load

TICK = "{tick}"
BY_HAND = 10
"""The priority of a job that a person asked for."""


class NotRun(Exception):
    """A schedule that could not be run by hand; the code is unknown, orphaned or busy."""

    def __init__(self, code: str, sentence: str) -> None:
        super().__init__(sentence)
        self.code = code


@dataclass(frozen=True)
class Ticking:
    """A schedule that ticks by itself, as last read."""

    name: str
    cron: str
    timezone: str
    last_tick_at: datetime

    def next_tick(self) -> datetime | None:
        """The first tick that has not been taken; None when none will ever come."""
        return next(iter(next_ticks(self.cron, self.timezone, self.last_tick_at, 1)), None)


def ticking(cursor: Cursor) -> tuple[list[Ticking], datetime]:
    """The schedules that tick by themselves, and the database's time."""
    cursor.execute(load("jobs.schedules.sql", "ticking"))
    rows = cursor.fetchall()
    now = rows[0][4] if rows else datetime.now(UTC)
    return [Ticking(*row[:4]) for row in rows], now


def take_tick(cursor: Cursor, one: Ticking, now: datetime) -> UUID | None:
    """Take the latest tick that has come, and enqueue its job; None when it was another process's, or was left out.

    Earlier ticks that were missed are gone: a job that ran once late has done their work.
    """
    tick = latest_tick(one.cron, one.timezone, now)
    if tick is None or tick <= one.last_tick_at:
        return None
    parameters = {"name": one.name, "cron": one.cron, "timezone": one.timezone, "tick": tick}
    cursor.execute(load("jobs.schedules.sql", "take_tick"), parameters)
    if (row := cursor.fetchone()) is None:
        return None
    job_type, payload, priority, max_concurrency, collection = row
    job = _enqueue(cursor, one.name, NewJob(collection, job_type, _filled(payload, tick), priority), max_concurrency)
    _note(cursor, one.name, job)
    return job


def run_by_hand(cursor: Cursor, name: str) -> UUID:
    """Enqueue a schedule's job now, dormant or switched off or not; its id. Ticks go on as before. Raises NotRun."""
    cursor.execute(
        "SELECT job_type, payload::text, max_concurrency, collection_node_id, orphaned, now() "
        "FROM job_schedules WHERE name = %(name)s",
        {"name": name},
    )
    if (row := cursor.fetchone()) is None:
        raise NotRun("unknown", f"There is no schedule named {name}.")
    job_type, payload, max_concurrency, collection, orphaned, now = row
    if orphaned:
        raise NotRun("orphaned", f"Nothing in this version knows what {name} does.")
    job = _enqueue(cursor, name, NewJob(collection, job_type, _filled(payload, now), BY_HAND), max_concurrency)
    if job is None:
        raise NotRun("busy", f"{name} is queued or running already.")
    _note(cursor, name, job)
    return job


def _enqueue(cursor: Cursor, name: str, job: NewJob, max_concurrency: int) -> UUID | None:
    """Under one of the schedule's `max_concurrency` keys; None when jobs that are not done hold all of them."""
    for place in range(max_concurrency):
        keyed = NewJob(
            job.collection_id, job.job_type, job.payload, job.priority, dedupe_key=f"schedule:{name}/{place}"
        )
        if (id := queue.enqueue(cursor, keyed)) is not None:
            return id
    return None


def _note(cursor: Cursor, name: str, job: UUID | None) -> None:
    if job is None:
        cursor.execute("UPDATE job_schedules SET skipped = skipped + 1 WHERE name = %(name)s", {"name": name})
    else:
        cursor.execute(
            "UPDATE job_schedules SET last_job_id = %(job)s WHERE name = %(name)s", {"name": name, "job": job}
        )


def _filled(payload: str, tick: datetime) -> Mapping[str, Any]:
    """The payload with the tick's instant (ISO 8601, UTC) where it says "{tick}"."""
    instant = tick.astimezone(UTC).isoformat()
    return {key: instant if value == TICK else value for key, value in json.loads(payload).items()}
