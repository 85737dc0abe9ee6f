"""What a claim costs, in milliseconds and shared buffers, whatever stands in the queue. 20 types, 3 levels, n = 3."""

from __future__ import annotations

import json
import statistics
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import psycopg

from jobs.queue import RESERVE_AFTER_SECONDS
from jobs.queue.claiming import claim_statement, remembering
from synops.store.sql import load
from tests.benchmarks.house import House
from tests.benchmarks.queue.backlogs import LEVELS, TYPES, Claimer, fill, limit, settle
from tests.benchmarks.queue.raw_loop import COMPLETE
from tests.benchmarks.report import Report

FINISHED = 1_000_000
CLAIMS = 150
REFERENCE = (Path(__file__).parent / "reference_claim.sql").read_bytes()
FULL, LATER = "bench_full", "bench_later"


def measure(house: House, report: Report) -> None:
    """Each case adds to the table, so that the last one has everything in it at once."""
    with house.connect() as connection:
        connection.execute("TRUNCATE job_queue CASCADE")
        fill(connection, FINISHED, finished=True)
        claimer = Claimer(connection, [*TYPES, FULL, LATER])
        costs = {name: cost(connection, claimer, add) for name, add in cases(connection, claimer)}
        report.note("the statement that the target was measured with, 1M waiting", p50=reference(connection, claimer))
        connection.execute("TRUNCATE job_queue CASCADE")
    for name, (ms, buffers) in costs.items():
        report.note(f"claim, {name}, 1M finished", p50=ms, unit="ms", buffers=buffers)
    times = [ms for ms, _ in costs.values()]
    report.measured("claim p50, worst case", max(times))
    report.measured("claim shared buffers, worst case", max(buffers for _, buffers in costs.values()))
    report.measured("claim p50, worst over best case", max(times) / min(times))


def cases(connection: psycopg.Connection[Any], claimer: Claimer) -> list[tuple[str, Callable[[], None]]]:
    def saturated() -> None:
        limit(connection, FULL, most=1)
        fill(connection, 200_000, [FULL], [10])
        blocker = Claimer(connection, [FULL], machine="elsewhere")
        blocker.claim(1)

    return [
        ("1k waiting", lambda: fill(connection, 1_000)),
        ("100k waiting", lambda: fill(connection, 100_000)),
        ("200k saturated in front", saturated),
        ("200k future in front", lambda: fill(connection, 200_000, [LATER], [10], delay="1 day")),
        ("1M waiting", lambda: fill(connection, 1_000_000)),
    ]


def cost(connection: psycopg.Connection[Any], claimer: Claimer, add: Callable[[], None]) -> tuple[float, float]:
    """(p50 in ms, shared buffers) of a claim of three once the case's jobs are there."""
    add()
    settle(connection)
    for _ in range(10):
        claimer.finish(claimer.claim())
    times = []
    for _ in range(CLAIMS):
        started = time.perf_counter()
        jobs = claimer.claim()
        times.append((time.perf_counter() - started) * 1000)
        claimer.finish(jobs)
    return statistics.median(times), statistics.median(buffers(connection, claimer) for _ in range(5))


def reference(connection: psycopg.Connection[Any], claimer: Claimer) -> float:
    """p50 in ms of the statement that the target was measured with, in the same way."""
    levels = [(kind, level) for kind in TYPES for level in LEVELS]
    count = len(levels)
    parameters = {
        "t": [kind for kind, _ in levels],
        "p": [level for _, level in levels],
        "s": ["-infinity"] * count,
        "room": [3] * count,
        "wt": [1] * count,
        "adj": [0] * count,
        "n": 3,
        "budget": 8,
        "worker": claimer.id,
    }
    times = []
    for _ in range(CLAIMS):
        started = time.perf_counter()
        with connection.transaction():
            connection.execute(load("jobs.sql", "claim_lock"))
            ids = [id for (id,) in connection.execute(REFERENCE, parameters).fetchall()]
        times.append((time.perf_counter() - started) * 1000)
        connection.execute(COMPLETE, {"ids": ids})
    return statistics.median(times)


def buffers(connection: psycopg.Connection[Any], claimer: Claimer) -> float:
    """The shared buffers of a claim that remembers nothing; it has really run, and its effect is then undone."""
    parameters = {
        **{name: value for name, value in claimer.options(3).items() if name != "worker_id"},
        "worker": claimer.id,
        "live_call": False,
        "disk_full": False,
        "reserve_after": RESERVE_AFTER_SECONDS,
        **remembering(),
    }
    with connection.transaction(force_rollback=True):
        connection.execute("SELECT set_config('jit', 'off', true)")
        statement = f"EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) {claim_statement()}"
        [document] = connection.execute(statement.encode(), parameters).fetchone() or [None]
    plan = (json.loads(document) if isinstance(document, str) else document)[0]["Plan"]
    return float(plan["Shared Hit Blocks"] + plan["Shared Read Blocks"])
