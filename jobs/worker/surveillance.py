"""What the governor looks at from inside a worker: live calls (cached 10 s), and the disk every minute."""

from __future__ import annotations

import asyncio
import logging
import time

import psycopg

from jobs.worker.lane import DatabaseAway, Lane
from jobs.worker.options import Options
from resources import disk
from resources.governor import LiveCalls, budget, live_calls

logger = logging.getLogger(__name__)

LIVE_CALL_CACHE_SECONDS = 10.0


class Governor:
    """Answers what this machine may spend now. `--governor off` is for machines that carry no calls."""

    def __init__(self, lane: Lane, options: Options) -> None:
        self._lane = lane
        self._auto = options.governor == "auto"
        self._max_weight = options.max_total_weight
        self._live_call_weight = options.live_call_weight
        self._max_hours = options.live_call_max_hours
        self._calls = LiveCalls(0, 0)
        self._checked_at = float("-inf")

    async def live_call(self) -> bool:
        """Whether a live call is on, as of at most 10 s ago."""
        if self._auto and time.monotonic() - self._checked_at >= LIVE_CALL_CACHE_SECONDS:
            calls = await self._lane.call(live_calls, self._max_hours)
            self._checked_at = time.monotonic()
            self._say(calls)
            self._calls = calls
        return self._calls.current > 0

    def _say(self, calls: LiveCalls) -> None:
        if (calls.current > 0) != (self._calls.current > 0):
            logger.info("a live call is on: stepping back" if calls.current else "no live call any more")
        if calls.stale and calls.stale != self._calls.stale:
            logger.warning("%d live-call flags are older than %d h and ignored", calls.stale, self._max_hours)

    def budget(self, *, live_call: bool) -> int:
        """The weight that this machine may carry."""
        return budget(self._max_weight, self._live_call_weight, live_call=live_call)


class DiskWatch:
    """Measures the disk, stores the reading, and says when it fills up."""

    def __init__(self, lane: Lane, options: Options) -> None:
        self._lane = lane
        self._machine = options.machine
        self._path = options.var
        self._every = options.disk_seconds
        self._log = disk.DiskLog()
        self.full = False

    async def run(self) -> None:
        """Measure until cancelled."""
        while True:
            reading = await asyncio.to_thread(disk.measure, self._path)
            self.full = reading.level == "emergency"
            self._log.note(reading, time.monotonic())
            try:
                await self._lane.call(disk.record, self._machine, reading)
            except (DatabaseAway, psycopg.Error) as error:
                logger.warning("disk reading not stored: %s", error)
            await asyncio.sleep(self._every)
