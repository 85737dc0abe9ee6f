"""Tells those who registered for finished jobs, and open pages, after the commit. Missing a call must be harmless."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Protocol
from uuid import UUID

from django.db import connections

from jobs.queue import Changed
from jobs.registries import OnFinished

logger = logging.getLogger(__name__)


class Announcing(Protocol):
    """Tells open pages that something has changed (jobs.live.announcer). Must not block."""

    def changed(self, kind: str, ids: Sequence[UUID]) -> None: ...

    def resync(self) -> None: ...


class Herald:
    """One thread for all listeners: each thread that uses Django holds a connection of its own."""

    def __init__(self, listeners: Sequence[OnFinished], announcer: Announcing, then: Callable[[], None]) -> None:
        self._listeners = list(listeners)
        self._announcer = announcer
        self._then = then
        self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="herald")

    async def changed(self, jobs: Sequence[Changed]) -> None:
        """These jobs have another state now, and it is committed."""
        self.touched([job.id for job in jobs])
        if self._listeners:
            await asyncio.get_running_loop().run_in_executor(self._thread, self._call_all, jobs)
        self._then()

    def touched(self, ids: Sequence[UUID]) -> None:
        """Something that pages show about these jobs has changed."""
        if ids:
            self._announcer.changed("job", ids)

    def resync(self) -> None:
        """More has changed than can be named, such as a lost worker: pages read anew."""
        self._announcer.resync()

    def _call_all(self, jobs: Sequence[Changed]) -> None:
        for listener in self._listeners:
            self._call(listener, jobs)

    def _call(self, listener: OnFinished, jobs: Sequence[Changed]) -> None:
        try:
            listener(jobs)
        except Exception:
            logger.exception("a listener for finished jobs failed; the steward repairs what it missed")
            connections.close_all()  # it may have been the connection: the next call makes a new one

    async def close(self) -> None:
        """Close the thread's connection and end it."""
        await asyncio.get_running_loop().run_in_executor(self._thread, connections.close_all)
        self._thread.shutdown()
