"""How full the disk is: measured every minute, logged on change and hourly, kept per machine (spec, jobbkø §4.4)."""

from __future__ import annotations

import logging
import shutil
from dataclasses import dataclass
from pathlib import Path

from synops.store.sql import Cursor, load

logger = logging.getLogger(__name__)

KEPT_READINGS = 1000
THRESHOLDS = ((95.0, "emergency"), (90.0, "critical"), (85.0, "warning"))


@dataclass(frozen=True)
class Reading:
    """One measurement of the file system that holds `path`. Sizes in bytes."""

    path: str
    total_bytes: int
    used_bytes: int

    @property
    def percent(self) -> float:
        """How full it is, 0–100."""
        return 100.0 * self.used_bytes / self.total_bytes if self.total_bytes else 0.0

    @property
    def level(self) -> str:
        """ok, warning (85 %), critical (90 %) or emergency (95 %)."""
        return next((level for threshold, level in THRESHOLDS if self.percent >= threshold), "ok")


def measure(path: Path) -> Reading:
    """Measure the disk of `path`. What the file system keeps for root counts as used, as in `df`."""
    usage = shutil.disk_usage(path)
    return Reading(str(path), usage.used + usage.free, usage.used)


def record(cursor: Cursor, machine: str, reading: Reading) -> None:
    """Store a reading; only the newest 1,000 of the machine are kept."""
    parameters = {
        "machine": machine,
        "path": reading.path,
        "total": reading.total_bytes,
        "used": reading.used_bytes,
        "percent": reading.percent,
        "level": reading.level,
        "kept": KEPT_READINGS,
    }
    cursor.execute(load("resources.sql", "record_disk"), parameters)


def full_machines(cursor: Cursor) -> frozenset[str]:
    """Machines whose newest reading says emergency. Index: disk_status_machine."""
    cursor.execute(
        "SELECT w.machine FROM (SELECT DISTINCT machine FROM workers WHERE state IN ('running', 'draining')) w "
        "CROSS JOIN LATERAL (SELECT level FROM disk_status_log d WHERE d.machine = w.machine ORDER BY d.id DESC LIMIT 1) d "
        "WHERE d.level = 'emergency'"
    )
    return frozenset(row[0] for row in cursor.fetchall())


class DiskLog:
    """Says how full the disk is in the log: when the level changes, and once an hour while it is not normal."""

    def __init__(self) -> None:
        self._level = "ok"
        self._said_at = float("-inf")

    def note(self, reading: Reading, now: float) -> None:
        """`now` is a monotonic clock in seconds."""
        changed = reading.level != self._level
        if changed or (reading.level != "ok" and now - self._said_at >= 3600):
            self._level, self._said_at = reading.level, now
            self._say(reading)

    def _say(self, reading: Reading) -> None:
        text = f"disk of {reading.path} is {reading.percent:.1f} % full ({reading.level})"
        if reading.level == "emergency":
            logger.error("%s: free space now", text)
        elif reading.level == "critical":
            logger.warning("%s: free space, old logs and unreferenced files first", text)
        elif reading.level == "warning":
            logger.warning("%s", text)
        else:
            logger.info("%s", text)
