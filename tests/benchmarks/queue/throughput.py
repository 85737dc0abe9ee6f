"""Jobs/s that do nothing, a backlog drained by one worker, and enqueues/s on one connection; ours beside the others."""

from __future__ import annotations

import statistics
from collections.abc import Mapping

from tests.benchmarks.house import House
from tests.benchmarks.queue import raw_loop
from tests.benchmarks.report import Report
from tests.benchmarks.systems import System

#: A backlog that keeps the worker busy for some seconds.
BACKLOG = {
    "synops": 30_000,
    "pgqueuer": 30_000,
    "graphile-worker": 40_000,
    "procrastinate": 1_500,
    "django-tasks-db": 1_200,
}
SINGLES = 300
RUNS = 2


def measure(house: House, us: System, others: Mapping[str, System], report: Report) -> None:
    systems = {us.name: us, **others}
    rates: dict[str, dict[str, list[float]]] = {name: {"drain": [], "bulk": [], "single": []} for name in systems}
    for _ in range(RUNS):  # in turn, so that a busy minute of the machine hits all of them
        for name, system in systems.items():
            rates[name]["single"].append(SINGLES / system.call("single", SINGLES))
            bulk, drain = fill_and_drain(system, BACKLOG[name])
            rates[name]["bulk"].append(bulk)
            rates[name]["drain"].append(drain)
    best = {name: {kind: statistics.median(values) for kind, values in of.items()} for name, of in rates.items()}
    for name, of in best.items():
        report.note(name, drained=of["drain"], bulk=of["bulk"], single=of["single"], unit="jobs/s")
    raw = raw_loop.measure(house)
    report.note("raw loop on our table", **{f"batch {size}": rate for size, rate in raw.items()}, unit="jobs/s")
    _compare(report, best, raw[50])


def _compare(report: Report, best: Mapping[str, Mapping[str, float]], raw: float) -> None:
    def anchor(name: str, kind: str) -> float | None:
        return best[name][kind] if name in best else None

    mine = best["synops"]
    report.measured("inline jobs/s against pgqueuer at its best", mine["drain"], anchor("pgqueuer", "drain"))
    report.measured("inline jobs/s against the raw batch loop on our table", mine["drain"], raw)
    report.measured("inline jobs/s against procrastinate", mine["drain"], anchor("procrastinate", "drain"))
    report.measured("inline jobs/s against django-tasks-db", mine["drain"], anchor("django-tasks-db", "drain"))
    report.measured("single enqueue/s against pgqueuer", mine["single"], anchor("pgqueuer", "single"))
    report.measured("bulk enqueue/s against graphile-worker", mine["bulk"], anchor("graphile-worker", "bulk"))


def fill_and_drain(system: System, count: int) -> tuple[float, float]:
    """(enqueued/s, run/s) of `count` jobs and one worker, from the first handler's start to the last one's.

    Singles that wait from before are drained first, so that they are not counted.
    """
    system.forget_stamps()
    with system.worker():
        system.wait_for_stamps(SINGLES, 30)
    system.forget_stamps()
    bulk = count / system.call("bulk", count)
    with system.worker():
        stamps = system.wait_for_stamps(count, 60)
    begun = sorted(at for _, at in stamps)
    return bulk, (len(begun) - 1) / (begun[-1] - begun[0])
