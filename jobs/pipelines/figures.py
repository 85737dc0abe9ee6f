"""Figures of the pipelines for pages: aggregated by the database, never loaded, and only of what the viewer may see."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any

from django.conf import settings

from synops.graph.access import sees_everything
from synops.store.sql import Cursor, load

if TYPE_CHECKING:
    from synops.graph.access import Viewer

POINTS = 96
"""A chart has this many spans: quarters of an hour for a day, an hour and three quarters for a week."""


@dataclass
class StepFigures:
    """One step now and lately: numbers by state. `late`: under way longer than the alarm's minutes."""

    now: dict[str, int] = field(default_factory=lambda: defaultdict(int))
    ended: dict[str, int] = field(default_factory=lambda: defaultdict(int))
    late: int = 0
    oldest: datetime | None = None


@dataclass(frozen=True)
class RepairFigures:
    """How often something of a kind was repaired."""

    kind: str
    day: int
    month: int
    last: datetime


def open_steps(cursor: Cursor, user: Viewer) -> dict[tuple[str, str], StepFigures]:
    """What is not over, by (pipeline, step)."""
    parameters = {**_seen_by(user), "minutes": settings.PIPELINE_STALE_IN_PROGRESS_MINUTES}
    cursor.execute(load("jobs.pipelines.sql", "open_by_step"), parameters)
    found: dict[tuple[str, str], StepFigures] = defaultdict(StepFigures)
    for name, step, state, count, late, oldest in cursor.fetchall():
        figures = found[name, step]
        figures.now[state] += count
        figures.late += late
        figures.oldest = min(filter(None, (figures.oldest, oldest)))
    return found


@dataclass(frozen=True)
class Ended:
    """How many steps of one name ended with one state in one span of time."""

    since: datetime
    step: str
    state: str
    count: int


def ended_lately(cursor: Cursor, user: Viewer, pipeline: str, hours: int) -> list[Ended]:
    """What ended in the last hours, in no order."""
    parameters = {**_seen_by(user), "pipeline": pipeline, "hours": hours, "span": span(hours).total_seconds()}
    cursor.execute(load("jobs.pipelines.sql", "ended_lately"), parameters)
    return [Ended(*row) for row in cursor.fetchall()]


def by_step(ended: Iterable[Ended]) -> dict[str, dict[str, int]]:
    """{step: {state: how many ended so}}."""
    found: dict[str, dict[str, int]] = defaultdict(lambda: defaultdict(int))
    for one in ended:
        found[one.step][one.state] += one.count
    return found


@dataclass
class Span:
    """What ended in one span of time; `failed`: for good, without success."""

    since: datetime
    succeeded: int = 0
    failed: int = 0


def by_span(ended: Iterable[Ended]) -> list[Span]:
    """The spans in which something ended, oldest first."""
    found: dict[datetime, Span] = {}
    for one in ended:
        span = found.setdefault(one.since, Span(one.since))
        if one.state == "permanently_failed":
            span.failed += one.count
        else:
            span.succeeded += one.count
    return [found[since] for since in sorted(found)]


def span(hours: int) -> timedelta:
    """How long one point of the chart stands for."""
    return timedelta(hours=hours) / POINTS


def repairs_lately(cursor: Cursor) -> list[RepairFigures]:
    """What reconciliation put right, the newest kind first."""
    cursor.execute(load("jobs.pipelines.sql", "repairs_lately"))
    return [RepairFigures(*row) for row in cursor.fetchall()]


def _seen_by(user: Viewer) -> dict[str, Any]:
    return {"everything": sees_everything(user), "user": user.pk}
