"""Hears that there is new work, or a job to cancel. Only a hint: the worker also polls, and a lost LISTEN is repaired."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Mapping
from typing import Any

import psycopg

logger = logging.getLogger(__name__)

HEARTBEAT_SECONDS = 5.0
RECONNECT_SECONDS = (0.1, 0.5, 1.0, 2.0, 5.0)


class Listener:
    """One LISTEN connection. `wake` maps a channel to what is called when something comes in on it.

    After a reconnect everything is called once: whatever was sent while we were deaf is gone.
    """

    def __init__(self, address: str, wake: Mapping[str, Callable[[], None]]) -> None:
        self._address = address
        self._wake = dict(wake)
        self.listening = False

    async def run(self) -> None:
        """Listen until cancelled. One log line a change of state, however long the database is away."""
        failures = 0
        while True:
            try:
                await self._listen()
            except (psycopg.Error, TimeoutError) as error:
                if self.listening or failures == 0:
                    logger.warning("the wake-up connection is lost, polling meanwhile: %s", str(error).strip())
                failures = failures + 1 if not self.listening else 1
                self.listening = False
            await asyncio.sleep(RECONNECT_SECONDS[min(failures, len(RECONNECT_SECONDS)) - 1])

    async def _listen(self) -> None:
        connection: psycopg.AsyncConnection[Any] = await psycopg.AsyncConnection.connect(
            self._address, autocommit=True, application_name="synops-worker-listener", connect_timeout=10
        )
        async with connection:
            for channel in self._wake:
                await connection.execute(f"LISTEN {channel}".encode())
            self.listening = True
            for call in self._wake.values():
                call()
            while True:
                async for notice in connection.notifies(timeout=HEARTBEAT_SECONDS):
                    self._wake[notice.channel]()
                async with asyncio.timeout(HEARTBEAT_SECONDS):  # a half-open connection never answers
                    await connection.execute("SELECT 1")
