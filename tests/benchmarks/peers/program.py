"""The commands that each system's program answers: setup, single N, bulk N, slowly N, worker. Times are printed as JSON."""

from __future__ import annotations

import asyncio
import inspect
import json
import random
import sys
import time
from collections.abc import Awaitable, Callable
from typing import Any

BATCH = 1000


class System:
    """A job queue as the benchmark uses it. Any of these may be a coroutine."""

    def setup(self) -> Any:
        """Make its tables."""

    def open(self) -> Any:
        """Connect."""

    def close(self) -> Any:
        """Disconnect."""

    def send(self, sent: float) -> Any:
        """Enqueue one job, committed."""
        raise NotImplementedError

    def send_batch(self, count: int) -> Any:
        """Enqueue `count` jobs as fast as it can, committed."""
        raise NotImplementedError

    def work(self) -> Any:
        """Run jobs for ever."""
        raise NotImplementedError


async def _maybe(answer: Any) -> None:
    if inspect.isawaitable(answer):
        await answer


async def _timed(system: System, work: Callable[[], Awaitable[None]]) -> None:
    await _maybe(system.open())
    started = time.perf_counter()
    await work()
    print(json.dumps({"seconds": time.perf_counter() - started}))
    await _maybe(system.close())


async def _single(system: System, count: int) -> None:
    for _ in range(count):
        await _maybe(system.send(time.time()))


async def _slowly(system: System, count: int) -> None:
    for _ in range(count):
        await _maybe(system.send(time.time()))
        await asyncio.sleep(random.uniform(0.03, 0.09))


async def _bulk(system: System, count: int) -> None:
    for first in range(0, count, BATCH):
        await _maybe(system.send_batch(min(BATCH, count - first)))


def main(system: System) -> None:
    """Do what the command line says."""
    command, *numbers = sys.argv[1:]
    if command in ("setup", "worker"):
        answer = system.setup() if command == "setup" else system.work()
        if inspect.isawaitable(answer):
            asyncio.run(_maybe(answer))
        return
    sending = {"single": _single, "bulk": _bulk, "slowly": _slowly}[command]
    asyncio.run(_timed(system, lambda: sending(system, int(numbers[0]))))
