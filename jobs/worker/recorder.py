"""Writes the logs and the progress of running attempts, at most once a second, on a connection of its own."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Iterable, Sequence
from uuid import UUID

import psycopg

from jobs import queue
from jobs.queue import LogText
from jobs.worker.attempt_log import AttemptLog
from jobs.worker.lane import DatabaseAway, Lane
from synops.store.sql import Cursor

logger = logging.getLogger(__name__)

INTERVAL_SECONDS = 1.0
MAX_KEPT_CHUNKS = 200

Progressed = Callable[[Sequence[UUID]], None]


class Recorder:
    """Holds the logs of what runs now; `last` takes what an ended attempt still had to say."""

    def __init__(self, lane: Lane, progressed: Progressed) -> None:
        self._lane = lane
        self._progressed = progressed
        self._live: dict[UUID, AttemptLog] = {}
        self._chunks: list[LogText] = []
        self._expired: list[tuple[UUID, int, list[int]]] = []

    def watch(self, log: AttemptLog) -> None:
        """Follow a running attempt."""
        self._live[log.job.id] = log

    async def last(self, log: AttemptLog) -> tuple[LogText, ...]:
        """Write the rest of an attempt that has ended. An outage costs log lines, never the result.

        A short one of which nothing has been written yet is returned instead, to be stored in one transaction with the
        result.
        """
        self._live.pop(log.job.id, None)
        if log.short:
            return log.take(final=True).chunks
        self._collect(log, final=True)
        await self._write_chunks()
        return ()

    async def run(self) -> None:
        """Write until cancelled."""
        while True:
            await asyncio.sleep(INTERVAL_SECONDS)
            for log in list(self._live.values()):
                self._collect(log)
            await self._write_chunks()
            await self._write_progress()

    def _collect(self, log: AttemptLog, *, final: bool = False) -> None:
        flush = log.take(final=final)
        self._chunks += flush.chunks
        if flush.expired:
            self._expired.append((log.job.id, log.job.lease, list(flush.expired)))

    async def _write_chunks(self) -> None:
        chunks, self._chunks = self._chunks, []
        expired, self._expired = self._expired, []
        if not chunks and not expired:
            return
        try:
            await self._lane.call(_store_log, chunks, expired)
        except DatabaseAway:
            self._keep(chunks, expired)
        except psycopg.Error as error:
            logger.warning("%d log chunks dropped: %s", len(chunks), error)

    def _keep(self, chunks: list[LogText], expired: list[tuple[UUID, int, list[int]]]) -> None:
        self._chunks[:0] = chunks[-MAX_KEPT_CHUNKS:]
        self._expired[:0] = expired

    async def _write_progress(self) -> None:
        rows = [row for log in self._live.values() if (row := log.take_progress()) is not None]
        if not rows:
            return
        try:
            changed = await self._lane.call(queue.record_progress, rows)
        except (DatabaseAway, psycopg.Error):
            return
        self._progressed(changed)


def _store_log(cursor: Cursor, chunks: Sequence[LogText], expired: Iterable[tuple[UUID, int, list[int]]]) -> None:
    queue.append_log(cursor, chunks)
    for job_id, lease, numbers in expired:
        queue.drop_log(cursor, job_id, lease, numbers)
