"""A side task that makes rounds: a thread with a Django connection of its own, and one round in it after another."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import time
from concurrent.futures import ThreadPoolExecutor

from django.db import InterfaceError, OperationalError, connections

logger = logging.getLogger(__name__)

SHARE = 50
"""A round that takes long is made more rarely: at most a fiftieth of the time is spent in rounds."""


class SideLoop:
    """Calls `make_round` until cancelled. A database that is away is waited for; an error of ours is logged and survived."""

    name = "rounds"
    every_seconds = 2.0
    share = SHARE

    def __init__(self) -> None:
        self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix=self.name)
        self._stirred = True
        self._quiet = False
        self._away = False

    def make_round(self) -> int:
        """One round; how much it found to do. Runs in the loop's own thread."""
        raise NotImplementedError

    def stir(self) -> None:
        """Something happened that the next round may find."""
        self._stirred = True

    def idle(self) -> bool:
        """Whether the last round, begun after the last stir, found nothing to do, and none is under way."""
        return self._quiet and not self._stirred

    async def run(self) -> None:
        """Rounds until cancelled."""
        try:
            while True:
                began = time.monotonic()
                await self._round()
                await asyncio.sleep(max(self.every_seconds, (time.monotonic() - began) * self.share))
        finally:
            with contextlib.suppress(RuntimeError):
                self._thread.submit(connections.close_all)
            self._thread.shutdown(wait=False)

    async def _round(self) -> None:
        self._stirred, self._quiet = False, False
        loop = asyncio.get_running_loop()
        try:
            self._quiet = await loop.run_in_executor(self._thread, self.make_round) == 0
        except (OperationalError, InterfaceError) as error:
            if not self._away:  # one line an outage, however long it is
                logger.warning("%s waits for the database: %s", self.name, str(error).strip().splitlines()[0])
            self._away = True
            await self._start_over()
        except Exception:
            logger.exception("a round of %s failed; the next one tries again", self.name)
            await self._start_over()
        else:
            self._away = False

    async def _start_over(self) -> None:
        """With a new connection: what is wrong may be the old one."""
        self._stirred = True
        await asyncio.get_running_loop().run_in_executor(self._thread, connections.close_all)
