"""A snapshot that somebody holds (a report, pg_dump) keeps dead rows alive: a claim must not pay for them."""

from __future__ import annotations

import statistics
import time

from tests.benchmarks.house import House
from tests.benchmarks.queue.backlogs import Claimer, fill, settle
from tests.benchmarks.report import Report

JOBS = 15_000
WINDOW = 150
MOST_SECONDS = 75.0


def measure(house: House, report: Report) -> None:
    with house.connect() as connection, house.connect() as holder:
        connection.execute("TRUNCATE job_queue CASCADE")
        fill(connection, 200_000)
        settle(connection)
        holder.execute("BEGIN ISOLATION LEVEL REPEATABLE READ")
        holder.execute("SELECT count(*) FROM job_queue WHERE status = 'running'")
        times, done = claim_on(Claimer(connection))
        holder.execute("ROLLBACK")
        connection.execute("TRUNCATE job_queue CASCADE")
    first, last = statistics.median(times[:WINDOW]), statistics.median(times[-WINDOW:])
    report.note("claims under a held snapshot", first=first, last=last, unit="ms", jobs=done)
    report.measured("claim under a held snapshot, 15,000 jobs later over the start", last / first, jobs=done)


def claim_on(claimer: Claimer) -> tuple[list[float], int]:
    """The time of each claim in ms, until 15,000 jobs are done or the time is up."""
    times: list[float] = []
    done, end = 0, time.monotonic() + MOST_SECONDS
    while done < JOBS and time.monotonic() < end:
        started = time.perf_counter()
        jobs = claimer.claim()
        times.append((time.perf_counter() - started) * 1000)
        claimer.finish(jobs)
        done += len(jobs)
    return times, done
