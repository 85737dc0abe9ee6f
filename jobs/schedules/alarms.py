"""The alarm of the clock: a tick that has come and that nobody took. A clock that stands still looks healthy otherwise."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta

from jobs.schedules.ticking import Ticking, ticking
from synops.store.sql import Cursor

LATE_AFTER = timedelta(minutes=5)


@dataclass(frozen=True)
class Late:
    """A schedule that should have ticked at `tick`."""

    name: str
    tick: datetime


def late(cursor: Cursor, after: timedelta = LATE_AFTER) -> list[Late]:
    """The schedules with a tick older than `after` that no worker has taken, for the dashboard and the schedules' page."""
    schedules, now = ticking(cursor)
    found = [Late(one.name, tick) for one in schedules if (tick := _next(one)) is not None and tick < now - after]
    return sorted(found, key=lambda late: late.tick)


def _next(one: Ticking) -> datetime | None:
    try:
        return one.next_tick()
    except ValueError:
        return None
