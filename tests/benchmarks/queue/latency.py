"""From the call of enqueue to the start of the handler, when the worker is idle: jobs come one by one, 30–90 ms apart."""

from __future__ import annotations

import statistics
from collections.abc import Mapping, Sequence

from tests.benchmarks.report import Report
from tests.benchmarks.systems import System

JOBS = {"synops": 300, "procrastinate": 100, "pgqueuer": 100, "graphile-worker": 100, "django-tasks-db": 60}
WARMING = 3


def measure(us: System, others: Mapping[str, System], report: Report) -> None:
    for system in [*others.values(), us]:
        p50, p99 = percentiles(system, JOBS[system.name])
        report.note(system.name, p50=p50, p99=p99, unit="ms")
    report.measured("enqueue to handler start, idle, p50", p50)
    report.measured("enqueue to handler start, idle, p99", p99)


def percentiles(system: System, count: int) -> tuple[float, float]:
    """(p50, p99) in ms."""
    system.forget_stamps()
    with system.worker():
        system.call("slowly", WARMING)
        system.wait_for_stamps(WARMING, 30)  # it is up, and has run something
        system.call("slowly", count)
        stamps = system.wait_for_stamps(WARMING + count, 10)[WARMING:]
    # What a backlog has left over from before was sent at 0.
    return spread([(begun - sent) * 1000 for sent, begun in stamps if sent > 0])


def spread(values: Sequence[float]) -> tuple[float, float]:
    """(p50, p99)."""
    cuts = statistics.quantiles(values, n=100)
    return cuts[49], cuts[98]
