"""This worker's heartbeat, and the rescue of jobs whose worker has none any more."""

from __future__ import annotations

import asyncio
import logging
import os
import resource
import time
from typing import TYPE_CHECKING
from uuid import UUID

import psycopg

from jobs import health, queue
from jobs.worker.herald import Herald
from jobs.worker.lane import DatabaseAway, Lane
from resources import workers
from resources.workers import Beat, Registration
from synops.graph.columns import new_id

if TYPE_CHECKING:
    from jobs.worker.worker import Worker

logger = logging.getLogger(__name__)


class Heartbeat:
    """Registers the worker and keeps its row fresh. `worker_id` changes when the row was given up as lost."""

    def __init__(self, worker: Worker, lane: Lane) -> None:
        self._worker = worker
        self._lane = lane
        self.worker_id: UUID = new_id()
        self.held = False
        """A person wants this worker to take no more jobs. Heard with a beat, so it takes some seconds."""
        self._unbroken_since: float | None = None
        self._last = float("-inf")

    async def register(self) -> None:
        """Take a new identity. Host names and process ids come again, this does not."""
        self.worker_id = new_id()
        options = self._worker.options
        await self._lane.call(
            workers.register,
            Registration(
                id=self.worker_id,
                machine=options.machine,
                pid=os.getpid(),
                version=options.version,
                governor=options.governor,
                max_concurrent=options.max_concurrent,
                max_weight=options.max_total_weight,
                types=self._worker.toolbox.types(),
            ),
        )
        self._unbroken_since = self._last = time.monotonic()

    def steady_for(self, seconds: float) -> bool:
        """Whether beats have come without a break for so long: only then may this worker call others lost."""
        now = time.monotonic()
        return (
            self._unbroken_since is not None
            and now - self._unbroken_since >= seconds
            and now - self._last < self._worker.options.ttl_seconds
        )

    def overdue(self) -> bool:
        """Whether others must take this worker for lost by now."""
        return time.monotonic() - self._last > self._worker.options.ttl_seconds

    async def run(self) -> None:
        """Beat until cancelled."""
        while True:
            await asyncio.sleep(self._worker.options.heartbeat_seconds)
            beat = asyncio.create_task(self._try_beat())
            try:
                # The fence must not wait for an answer: on a half-open connection none comes.
                left = self._last + self._worker.options.ttl_seconds - time.monotonic()
                await asyncio.wait([beat], timeout=max(0.0, left))
                if self.overdue():
                    self._worker.dispatcher.fence()
                await beat
            finally:
                beat.cancel()

    async def _try_beat(self) -> None:
        try:
            await self._beat()
        except (DatabaseAway, psycopg.Error) as error:
            self._note_failure(error)

    def _note_failure(self, error: Exception) -> None:
        if self._unbroken_since is not None:
            logger.warning("no heartbeat: %s", error)
        self._unbroken_since = None

    async def _beat(self) -> None:
        beat = Beat(
            id=self.worker_id,
            state="draining" if self._worker.stopping or self.held else "running",
            running=self._worker.dispatcher.running_count,
            load_1m=os.getloadavg()[0],
            rss_bytes=resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024,
            listening=self._worker.listener.listening,
            types=self._worker.toolbox.types(),
        )
        started = time.monotonic()
        held = await self._lane.call(workers.beat, beat)
        if held is None:
            logger.warning("this worker was given up as lost; it goes on under a new identity")
            await self.register()
            return
        if held != self.held:
            logger.info("asked to take no more jobs" if held else "asked to take jobs again")
            self.held = held
        if self._unbroken_since is None:
            logger.info("the heartbeat is back")
            self._unbroken_since = started
        self._last = started

    async def sign_off(self) -> None:
        """Say that this worker ends in good order."""
        await self._lane.call(workers.sign_off, self.worker_id)


class Sweeper:
    """Requeues the jobs of workers that are gone; repairs what any crash leaves, at the start and ever after."""

    def __init__(self, lane: Lane, worker: Worker, herald: Herald) -> None:
        self._lane = lane
        self._worker = worker
        self._ttl = worker.options.ttl_seconds
        self._herald = herald
        self._strays: set[tuple[UUID, int]] = set()
        self._overdue: set[tuple[UUID, int]] = set()

    async def run(self) -> None:
        """Sweep until cancelled. An outage causes no storm of rescues: one unbroken TTL of own beats comes first."""
        while True:
            await asyncio.sleep(self._worker.options.sweep_seconds)
            if not self._worker.heartbeat.steady_for(self._ttl):
                continue
            try:
                await self.sweep()
                await self._return_strays()
                await self._report_overdue()
            except (DatabaseAway, psycopg.Error) as error:
                logger.warning("no sweep: %s", error)

    async def sweep(self) -> int:
        """Rescue everything that is lost now; the number of jobs."""
        lost = await self._lane.call(workers.retire, self._ttl)
        if lost:
            logger.warning("%d workers are lost: %s", len(lost), ", ".join(str(id) for id in lost))
            self._herald.resync()
        await self._lane.call(workers.forget_old)
        total = 0
        while rescued := await self._lane.call(queue.rescue, self._ttl):
            total += len(rescued)
            logger.warning("%d jobs rescued from lost workers", len(rescued))
            await self._herald.changed(rescued)
        return total

    async def _return_strays(self) -> None:
        """Give back rows that say they run here and don't: a claim whose answer was lost with its connection.

        Only what is astray in two sweeps in a row: the first look may fall between the claim's commit and its start.
        """
        owned = await self._lane.call(queue.owned, self._worker.heartbeat.worker_id)
        strays = {key: job for key, job in owned.items() if key not in self._worker.holds()}
        again = [job for key, job in strays.items() if key in self._strays]
        self._strays = set(strays)
        if again:
            logger.warning("%d jobs were claimed but never started; they go back", len(again))
            await self._herald.changed(await self._lane.call(queue.give_back, again))

    async def _report_overdue(self) -> None:
        """Say once of each attempt that it is far past its time limit. Only said: age rescues nothing."""
        found = await self._lane.call(health.overdue)
        for one in found:
            if (one.job_id, one.lease) not in self._overdue:
                logger.error(
                    "job %s (%s) has run for %d s, its limit is %d s: worker %s should have stopped it",
                    *(one.job_id, one.job_type, one.running_seconds, one.limit_seconds, one.worker_id),
                )
        self._overdue = {(one.job_id, one.lease) for one in found}
