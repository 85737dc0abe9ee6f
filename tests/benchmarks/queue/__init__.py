"""The queue: throughput, enqueuing, latency, programs, the cost of a claim in bad situations, limits, memory."""

from __future__ import annotations

import os
import statistics
import time
from collections.abc import Callable
from pathlib import Path

from tests.benchmarks.house import house
from tests.benchmarks.queue import claims, command_line, latency, limits, memory, snapshot, throughput
from tests.benchmarks.report import Report
from tests.benchmarks.systems import ours, peers


def fdatasync(folder: Path) -> float:
    """The p50 in ms of writing a page and waiting for the disk: every commit that a promise hangs on costs one."""
    times = []
    with (folder / "page").open("wb", buffering=0) as file:
        for _ in range(200):
            started = time.perf_counter()
            os.pwrite(file.fileno(), bytes(8192), 0)
            os.fdatasync(file.fileno())
            times.append((time.perf_counter() - started) * 1000)
    return statistics.median(times)


def measure(report: Report) -> None:
    """All rows of the area, in one server."""
    with house() as home:
        us, others = ours(home), peers(home)
        report.note("the disk", fdatasync_p50=fdatasync(home.folder), unit="ms")
        parts: list[tuple[str, Callable[[], None]]] = [
            ("throughput and enqueuing", lambda: throughput.measure(home, us, others, report)),
            ("latency", lambda: latency.measure(us, others, report)),
            ("memory", lambda: memory.measure(us, report)),
            ("programs", lambda: command_line.measure(home, others, report)),
            ("limits", lambda: limits.measure(home, report)),
            ("claims", lambda: claims.measure(home, report)),
            ("held snapshot", lambda: snapshot.measure(home, report)),
        ]
        for name, part in parts:
            started = time.monotonic()
            print(f"\n{name}", flush=True)
            part()
            print(f"    ({time.monotonic() - started:.0f} s)", flush=True)
