"""What the machine may spend right now: less while a live call is on (spec, jobbkø §4.4)."""

from __future__ import annotations

from dataclasses import dataclass

from synops.store.sql import Cursor, load


@dataclass(frozen=True)
class LiveCalls:
    """Calls that are on, and flags that are too old to be believed."""

    current: int
    stale: int


def live_calls(cursor: Cursor, max_hours: int) -> LiveCalls:
    """Count communication nodes that say `livekit_active`; one unchanged for `max_hours` is a flag left behind."""
    cursor.execute(load("resources.sql", "live_calls"), {"max_hours": max_hours})
    current, stale = cursor.fetchone() or (0, 0)
    return LiveCalls(current, stale)


def budget(max_total_weight: int, live_call_weight: int, *, live_call: bool) -> int:
    """The weight that jobs of one machine may have together."""
    return max(1, max_total_weight - live_call_weight) if live_call else max_total_weight
