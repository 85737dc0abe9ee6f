"""Records how attempts ended, in batches, on a connection of its own: a finish waits for no claim and no claim for it."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from uuid import UUID

import psycopg

from jobs import queue
from jobs.queue import Changed, ClaimedJob, Ended, LogText
from jobs.worker.lane import DatabaseAway, Lane

logger = logging.getLogger(__name__)

MAX_BATCH = 200
INTERRUPTED = "interrupted"
"""Not an outcome of a job: it goes back to the queue."""

RETRY_SECONDS = (0.05, 0.2, 1.0, 2.0, 5.0)

Told = Callable[[Sequence[Changed]], Awaitable[None]]


class Finisher:
    """Takes `Ended` records and keeps them until the database has them: an outage delays a result, never loses it."""

    def __init__(self, lane: Lane, told: Told) -> None:
        self._lane = lane
        self._told = told
        self._waiting: list[Ended] = []
        self._recording: list[Ended] = []
        self._said = False
        self._arrived = asyncio.Event()
        self._empty = asyncio.Event()
        self._empty.set()

    def add(self, ended: Ended) -> None:
        """Record this as soon as the connection is free; what arrives meanwhile goes into one batch."""
        self._waiting.append(ended)
        self._empty.clear()
        self._arrived.set()

    def interrupted(self, job: ClaimedJob, log: tuple[LogText, ...] = ()) -> None:
        """The job was stopped before it could end by itself: give it back, without burning an attempt."""
        self.add(Ended(job, INTERRUPTED, log=log))

    def holds(self) -> set[tuple[UUID, int]]:
        """(id, lease) of what has not been recorded yet."""
        return {(one.job.id, one.job.lease) for one in (*self._waiting, *self._recording)}

    @property
    def idle(self) -> bool:
        """Whether everything has been recorded."""
        return self._empty.is_set()

    async def flushed(self) -> None:
        """Wait until everything has been recorded."""
        await self._empty.wait()

    async def run(self) -> None:
        """Record until cancelled."""
        failures = 0
        while True:
            await self._arrived.wait()
            batch = self._recording = self._waiting[:MAX_BATCH]
            del self._waiting[: len(batch)]
            try:
                again = await self._record(batch)
                self._said = False
            except DatabaseAway as error:
                if not self._said:  # once an outage, however long it lasts
                    logger.warning("%d results wait for the database: %s", len(batch) + len(self._waiting), error)
                self._said, again = True, batch
            self._waiting[:0] = again
            self._recording = []
            failures = failures + 1 if again else 0
            self._settle()
            if again:
                await asyncio.sleep(RETRY_SECONDS[min(failures, len(RETRY_SECONDS)) - 1])

    def _settle(self) -> None:
        if not self._waiting:
            self._arrived.clear()
            self._empty.set()

    async def _record(self, batch: list[Ended]) -> list[Ended]:
        """Give back what was interrupted, record what ended; those to try again."""
        interrupted = [one for one in batch if one.outcome == INTERRUPTED]
        if interrupted:
            await self._store_log([chunk for one in interrupted for chunk in one.log])
            await self._told(await self._lane.call(queue.give_back, [one.job for one in interrupted]))
        return await self._finish([one for one in batch if one.outcome != INTERRUPTED])

    async def _store_log(self, chunks: list[LogText]) -> None:
        try:
            await self._lane.call(queue.append_log, chunks)
        except psycopg.Error as error:
            logger.warning("%d log chunks dropped: %s", len(chunks), error)

    async def _finish(self, batch: list[Ended]) -> list[Ended]:
        """If the batch fails as a whole, its rows are recorded one by one; one that fails goes without its log first."""
        if not batch:
            return []
        try:
            finished = await self._lane.call(queue.finish, batch)
        except (psycopg.Error, ValueError, TypeError, RecursionError) as error:
            if len(batch) > 1:
                return [again for one in batch for again in await self._finish([one])]
            if batch[0].log:
                logger.warning("%d log chunks of job %s dropped: %s", len(batch[0].log), batch[0].job.id, error)
                return await self._finish([replace(batch[0], log=())])
            logger.error("job %s can't be finished with its own words: %s", batch[0].job.id, error)
            finished = await self._lane.call(queue.finish, [without_user_bytes(batch[0])])
        for id in finished.stale:
            logger.warning("stale result of job %s dropped: it is no longer this worker's", id)
        if finished.changed:
            await self._told(finished.changed)
        return [one for one in batch if one.job.id in finished.held]


def without_user_bytes(ended: Ended) -> Ended:
    """The last resort: the outcome without anything that a program wrote, so that no byte can keep a row running."""
    if ended.outcome == "succeeded":
        return replace(ended, outcome="failed", reason="result_not_storable", result=None, error=None, message=None)
    return replace(ended, result=None, error=None, message=None)
