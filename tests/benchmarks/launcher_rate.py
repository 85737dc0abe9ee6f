"""Runs per second through launcher and slots, without a queue: /bin/true and a preloaded tool, beside bare Popen.

    python -m tests.benchmarks.launcher_rate [COUNT]

`measure(count)` returns the same as a dictionary, name → runs per second, for `make bench`.
"""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

from jobs.launcher.client import LauncherClient
from jobs.launcher.environment import basics
from jobs.launcher.wire import Limits, Request

MODULE = "synops.tools.checksum"
TOOL = str(Path(sys.executable).with_name("synops-checksum"))
REFUSED = "--cas-hash=none"  # parsed and checked in full, then refused: no store is needed to measure a start


def measure(count: int = 300) -> dict[str, float]:
    """Runs per second of each kind, `count` runs each (a tenth for those that start an interpreter)."""
    env = basics(os.environ)
    nothing = Request(argv=["/bin/true"], env=env)
    limited = Request(argv=["/bin/true"], env=env, limits=Limits(max_open_files=100))
    executed = Request(argv=[TOOL, REFUSED], env=env)
    preloaded = Request(argv=[TOOL, REFUSED], env=env, preload=MODULE)
    client = LauncherClient.start(2, preload=[MODULE])
    try:
        return asyncio.run(_through_slots(client, nothing, limited, executed, preloaded, count)) | {
            "Popen /bin/true, 1": _bare(["/bin/true"], count),
            "Popen python tool, 1": _bare([TOOL, REFUSED], count // 10),
        }
    finally:
        client.close()


async def _through_slots(
    client: LauncherClient, nothing: Request, limited: Request, executed: Request, preloaded: Request, count: int
) -> dict[str, float]:
    while not (await client.run(0, preloaded)).preloaded or not (await client.run(1, preloaded)).preloaded:
        await asyncio.sleep(0.1)
    rates = {}
    for slots in (1, 2):
        rates[f"/bin/true, {slots} slots"] = await _rate(client, slots, nothing, count)
        rates[f"/bin/true with limits, {slots} slots"] = await _rate(client, slots, limited, count)
        rates[f"python tool executed, {slots} slots"] = await _rate(client, slots, executed, count // 10)
        rates[f"python tool preloaded, {slots} slots"] = await _rate(client, slots, preloaded, count)
    return rates


async def _rate(client: LauncherClient, slots: int, request: Request, count: int) -> float:
    async def one_slot(slot: int) -> None:
        for _ in range(count):
            await client.run(slot, request)

    return await _timed(count * slots, lambda: asyncio.gather(*(one_slot(slot) for slot in range(slots))))


async def _timed(count: int, work: Callable[[], asyncio.Future[list[None]]]) -> float:
    begun = time.perf_counter()
    await work()
    return count / (time.perf_counter() - begun)


def _bare(argv: list[str], count: int) -> float:
    begun = time.perf_counter()
    for _ in range(count):
        subprocess.run(argv, capture_output=True, check=False)
    return count / (time.perf_counter() - begun)


if __name__ == "__main__":
    for name, rate in measure(int(sys.argv[1]) if len(sys.argv) > 1 else 300).items():
        print(f"{name:40s} {rate:8.0f}/s")
