"""What ended in the last day, as figures, as a chart and as the table behind it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any

from django.core.cache import cache
from django.db import connection
from django.utils import timezone

from jobs.statistics import Ended, Waiting, ended_lately, oldest_waiting

if TYPE_CHECKING:
    from synops.graph.access import Viewer

HOURS = 24
STEP = timedelta(minutes=5)
KEPT_SECONDS = 5
"""Several open pages of one person ask for the same figures within seconds of each other."""


@dataclass(frozen=True)
class Sum:
    """What ended in some span of time."""

    since: datetime
    jobs: int
    failed: int

    @property
    def succeeded(self) -> int:
        return self.jobs - self.failed


@dataclass(frozen=True)
class Throughput:
    """The last hour, the last day, each hour of it, and the points of the chart: [seconds], [succeeded], [failed]."""

    hour: Sum
    day: Sum
    hours: list[Sum]
    chart: list[list[int]]
    oldest: Waiting | None


def throughput(user: Viewer) -> Throughput:
    """Of the jobs that the viewer may see."""
    found: Throughput = cache.get_or_set(f"throughput:{user.pk}", lambda: measure(user), KEPT_SECONDS)  # type: ignore[assignment]
    return found


def measure(user: Viewer) -> Throughput:
    with connection.cursor() as cursor:
        ended, oldest = ended_lately(cursor, user, HOURS), oldest_waiting(cursor, user)
    now = timezone.now()
    return Throughput(
        hour=total(ended, now - timedelta(hours=1)),
        day=total(ended, now - timedelta(hours=HOURS)),
        hours=by_hour(ended),
        chart=points(ended, now),
        oldest=oldest,
    )


def total(ended: Sequence[Ended], since: datetime) -> Sum:
    within = [one for one in ended if one.since >= since - STEP]
    return Sum(since, sum(one.jobs for one in within), sum(one.failed for one in within))


def by_hour(ended: Sequence[Ended]) -> list[Sum]:
    """The hours in which something ended, newest first, by the clock of the site."""
    sums: dict[datetime, Sum] = {}
    for one in ended:
        hour = timezone.localtime(one.since).replace(minute=0)
        known = sums.get(hour, Sum(hour, 0, 0))
        sums[hour] = Sum(hour, known.jobs + one.jobs, known.failed + one.failed)
    return sorted(sums.values(), key=lambda one: one.since, reverse=True)


def points(ended: Sequence[Ended], now: datetime) -> list[list[int]]:
    """Every fifteen minutes of the day, also those in which nothing ended: a gap in a line would look like no data."""
    width = 900
    last = int(now.timestamp()) // width * width
    times = list(range(last - HOURS * 3600 + width, last + 1, width))
    jobs, failed = dict.fromkeys(times, 0), dict.fromkeys(times, 0)
    for one in ended:
        slot = int(one.since.timestamp()) // width * width
        if slot in jobs:
            jobs[slot] += one.jobs
            failed[slot] += one.failed
    return [times, [jobs[time] - failed[time] for time in times], list(failed.values())]


def as_context(user: Viewer) -> dict[str, Any]:
    """For the template."""
    return {"throughput": throughput(user)}
