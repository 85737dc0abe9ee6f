"""The clock: a loop in every worker that looks once a second which schedules have ticked. They need not know of each other."""

from __future__ import annotations

import logging
from datetime import datetime

from django.db import connection, transaction

from jobs.live.announcer import announce
from jobs.schedules.ticking import Ticking, take_tick, ticking
from jobs.side_loop import SideLoop

logger = logging.getLogger(__name__)


class Clock(SideLoop):
    """Computes each schedule's next tick once, until its row changes."""

    name = "clock"
    every_seconds = 1.0

    def __init__(self) -> None:
        super().__init__()
        self._next: dict[Ticking, datetime | None] = {}

    def make_round(self) -> int:
        """Take the ticks that have come; how many jobs that made."""
        with connection.cursor() as cursor:
            schedules, now = ticking(cursor)
        self._next = {one: self._next[one] if one in self._next else _next_tick(one) for one in schedules}
        due = [one for one, tick in self._next.items() if tick is not None and tick <= now]
        return sum(_take(one, now) for one in due)


def _next_tick(one: Ticking) -> datetime | None:
    """None also for a line that can't be read: it was written past the checks, and must not stop the others."""
    try:
        return one.next_tick()
    except ValueError as error:
        logger.error("schedule %s never ticks: %s", one.name, error)
        return None


def _take(one: Ticking, now: datetime) -> int:
    with transaction.atomic(), connection.cursor() as cursor:
        job = take_tick(cursor, one, now)
    if job is None:
        return 0
    announce("job", [job])
    return 1
