"""Figures about the queue for pages and the API: what ended, what waits longest, who holds the budget, what is held back.

Everything here reads. Whatever names jobs is cut to those that the viewer may see; weights and counts per type are the
machine's and name nobody.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any
from uuid import UUID

from synops.graph.access import sees_everything
from synops.store.sql import Cursor, load

if TYPE_CHECKING:
    from synops.graph.access import Viewer


@dataclass(frozen=True)
class Ended:
    """What ended in five minutes from `since` on."""

    since: datetime
    jobs: int
    failed: int


@dataclass(frozen=True)
class Waiting:
    """A job that is due and has not started."""

    id: UUID
    job_type: str
    due: datetime


@dataclass(frozen=True)
class Holder:
    """A running job and the weight that it holds on its machine."""

    machine: str
    id: UUID
    job_type: str
    weight: int
    started_at: datetime


@dataclass(frozen=True)
class HeldBack:
    """Due jobs of a type that wait because of `reason`: paused, live_call or disk_full. More than 10,000 count as 10,001."""

    job_type: str
    reason: str
    jobs: int


@dataclass(frozen=True)
class TypeFigures:
    """What ended of a type lately. `wait` and `run` are p50, p95 and p99 in seconds."""

    job_type: str
    jobs: int
    failed: int
    wait: Sequence[float]
    run: Sequence[float]

    @property
    def failure_rate(self) -> float:
        """The share that failed, 0–100."""
        return 100.0 * self.failed / self.jobs if self.jobs else 0.0


@dataclass(frozen=True)
class FailureGroup:
    """Failed jobs of one type with the same error but for names and numbers. `key` finds them again."""

    key: str
    job_type: str
    error: str
    jobs: int
    first: datetime
    last: datetime
    example: UUID


def sight(user: Viewer) -> dict[str, Any]:
    """The parameters by which a statement keeps to what `user` may see."""
    everything = sees_everything(user)
    return {"everything": everything, "user": user.pk if user.is_active else None}


def ended_lately(cursor: Cursor, user: Viewer, hours: int = 24) -> list[Ended]:
    """What ended in each five minutes, oldest first; those without any are left out."""
    cursor.execute(load("jobs.sql", "ended_lately"), {"hours": hours, **sight(user)})
    return [Ended(*row) for row in cursor.fetchall()]


def oldest_waiting(cursor: Cursor, user: Viewer) -> Waiting | None:
    """The visible job that has been due longest."""
    cursor.execute(load("jobs.sql", "oldest_waiting"), sight(user))
    row = cursor.fetchone()
    return None if row is None else Waiting(*row)


def holding_weight(cursor: Cursor) -> list[Holder]:
    """The running jobs by machine, heaviest first, at most 500. Not cut to a viewer: show ids of visible jobs only."""
    cursor.execute(load("jobs.sql", "holding_weight"))
    return [Holder(*row) for row in cursor.fetchall()]


def held_back(cursor: Cursor, *, live_call: bool, disk_full: bool) -> list[HeldBack]:
    """What rules hold back at the moment, by type."""
    cursor.execute(load("jobs.sql", "held_back"), {"live_call": live_call, "disk_full": disk_full})
    return [HeldBack(*row) for row in cursor.fetchall()]


def type_figures(cursor: Cursor, user: Viewer, hours: int = 24) -> dict[str, TypeFigures]:
    """Figures of each type of which something ended in the last hours."""
    cursor.execute(load("jobs.sql", "type_figures"), {"hours": hours, **sight(user)})
    return {row[0]: TypeFigures(*row) for row in cursor.fetchall()}


def types_now(cursor: Cursor, user: Viewer, types: Iterable[str]) -> dict[str, tuple[int, int, int]]:
    """(due, later, running) of each type; more than 10,000 count as 10,001."""
    cursor.execute(load("jobs.sql", "types_now"), {"types": list(types), **sight(user)})
    return {row[0]: (row[1], row[2], row[3]) for row in cursor.fetchall()}


def failure_groups(cursor: Cursor, user: Viewer, hours: int = 24) -> list[FailureGroup]:
    """The groups of visible failures, largest first, at most 200."""
    cursor.execute(_failures_then("failure_groups"), {"hours": hours, **sight(user)})
    return [FailureGroup(*row) for row in cursor.fetchall()]


def failures_in(cursor: Cursor, user: Viewer, keys: Iterable[str], hours: int = 24) -> list[UUID]:
    """The jobs of these groups."""
    cursor.execute(_failures_then("failures_in"), {"hours": hours, "keys": list(keys), **sight(user)})
    return [row[0] for row in cursor.fetchall()]


def _failures_then(end: str) -> str:
    return f"{load('jobs.sql', 'failures')}\n{load('jobs.sql', end)}"
