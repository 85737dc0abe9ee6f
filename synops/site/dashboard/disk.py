"""How full the disks are, where that leads, and the thresholds at which somebody should act."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from resources.disk import THRESHOLDS
from resources.models import DiskReading

POINTS = 240
EMERGENCY = THRESHOLDS[0][0]
SHORTEST = timedelta(minutes=30)
"""A trend over less than this is noise."""


@dataclass(frozen=True)
class Disk:
    """One file system of a machine: its newest reading, the chart, and when it is full if it goes on like this."""

    reading: DiskReading
    history: list[DiskReading]
    chart: list[list[float]]
    full_in: timedelta | None


def disks() -> list[Disk]:
    """Each machine and path that has been measured. Index: disk_status_machine."""
    places = DiskReading.objects.order_by("machine", "path").values_list("machine", "path").distinct()[:20]
    return [disk(machine, path) for machine, path in places]


def disk(machine: str, path: str) -> Disk:
    readings = list(DiskReading.objects.filter(machine=machine, path=path).order_by("-id")[:POINTS])
    oldest_first = readings[::-1]
    return Disk(
        reading=readings[0],
        history=readings[:60],
        chart=[
            [round(one.measured_at.timestamp()) for one in oldest_first],
            [round(one.percent, 1) for one in oldest_first],
        ],
        full_in=full_in(oldest_first),
    )


def full_in(readings: list[DiskReading]) -> timedelta | None:
    """When the emergency threshold is reached on the straight line through first and last; None when it is not rising."""
    first, last = readings[0], readings[-1]
    span, rise = last.measured_at - first.measured_at, last.percent - first.percent
    if span < SHORTEST or rise < 0.1 or last.percent >= EMERGENCY:
        return None
    return span * ((EMERGENCY - last.percent) / rise)


def as_context(user: Any) -> dict[str, Any]:
    """For the template, and only for those who may see disks."""
    if not user.has_perm("resources.view_diskreading"):
        return {}
    return {"disks": disks(), "thresholds": [threshold for threshold, _level in reversed(THRESHOLDS)]}
