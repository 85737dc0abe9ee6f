"""The limits of types and machines: they hold at every look, and nobody is starved by them.

Named after what must hold; tests/README.md says which public bug each one stands for.
"""

from __future__ import annotations

import threading
import time
from typing import Any

import psycopg
import pytest

from jobs import queue
from jobs.queue.claiming import ClaimMemory
from tests.jobs.arrange import add_worker, claimed, lose_worker_of_new_job, new_job, set_rule, succeed

pytestmark = [pytest.mark.django_db, pytest.mark.sql]

HAMMER_SECONDS = 3.0


def test_a_late_finish_cannot_free_the_slot_that_another_worker_holds(cursor):
    set_rule(cursor, "alpha", max_concurrent=1)
    job, _ = lose_worker_of_new_job(cursor)
    queue.enqueue(cursor, new_job())
    queue.rescue(cursor, 30)
    [_] = claimed(cursor, add_worker(cursor))
    for _ in range(3):
        assert queue.finish(cursor, [succeed(job)]).stale
        assert claimed(cursor, add_worker(cursor)) == []


def test_a_dead_workers_job_holds_its_types_only_slot_until_the_rescue_and_no_longer(cursor):
    set_rule(cursor, "alpha", max_concurrent=1)
    job, _ = lose_worker_of_new_job(cursor)
    worker = add_worker(cursor)
    assert claimed(cursor, worker) == []
    queue.rescue(cursor, 30)
    assert [again.id for again in claimed(cursor, worker)] == [job.id]


def test_a_job_is_runnable_as_soon_as_what_held_it_is_gone(cursor):
    """There is no blocked state that somebody must remember to leave: runnable is computed at the claim."""
    set_rule(cursor, "alpha", max_concurrent=1)
    queue.enqueue_many(cursor, [new_job(), new_job(), new_job()])
    worker = add_worker(cursor)
    [first] = claimed(cursor, worker)
    assert claimed(cursor, worker) == []
    queue.finish(cursor, [succeed(first)])
    [_] = claimed(cursor, worker)
    assert claimed(cursor, worker) == []
    set_rule(cursor, "alpha", max_concurrent=2)
    [_] = claimed(cursor, worker)


def test_a_heavy_job_is_not_starved_by_a_stream_of_light_ones(cursor):
    """Its wait is bounded: what runs when it becomes overdue, and nothing after that."""
    set_rule(cursor, "heavy", cpu_weight=5, base_priority=10)
    worker = add_worker(cursor)
    queue.enqueue_many(cursor, [new_job(priority=1) for _ in range(40)])
    heavy = queue.enqueue(cursor, new_job("heavy"))
    assert heavy is not None
    set_rule(cursor, "heavy", paused=True)
    running = claimed(cursor, worker, slots=8)
    set_rule(cursor, "heavy", paused=False)
    overtakers = 0
    for _ in range(8):
        queue.finish(cursor, [succeed(running.pop(0))])
        jobs = claimed(cursor, worker, slots=8)
        if heavy in {job.id for job in jobs}:
            break
        overtakers += len(jobs)
        running += jobs
        cursor.execute("UPDATE job_queue SET scheduled_for = now() - interval '61 seconds' WHERE id = %s", [heavy])
    else:
        pytest.fail("the heavy job never ran")
    assert overtakers <= 1, "after its minute nobody passes it"


SAMPLE = """
SELECT (SELECT coalesce(max(n), 0) FROM (
            SELECT count(*) AS n FROM job_queue WHERE status = 'running' AND job_type = 'alpha') per_type),
       (SELECT coalesce(max(weight), 0) FROM (
            SELECT sum(r.cpu_weight) AS weight
            FROM job_queue q JOIN job_priority_rules r USING (job_type) JOIN workers w ON w.id = q.worker_id
            WHERE q.status = 'running' GROUP BY w.machine) per_machine),
       (SELECT count(*) FROM job_queue WHERE status = 'running')
"""


def test_limits_hold_at_every_look_while_eight_workers_hammer(cursor, connect):
    for job_type, weight, most in (("alpha", 1, 1), ("beta", 2, 3), ("heavy", 5, 0)):
        set_rule(cursor, job_type, cpu_weight=weight, max_concurrent=most)
    stop = threading.Event()
    hammers = [Hammer(connect(), stop, machine="here" if nth % 2 else "there") for nth in range(8)]
    for hammer in hammers:
        hammer.start()
    samples = sample_until(cursor, time.monotonic() + HAMMER_SECONDS)
    stop.set()
    for hammer in hammers:
        hammer.join()
    assert all(hammer.claims for hammer in hammers), "every worker has had work"
    assert max(alpha for alpha, _, _ in samples) == 1
    assert max(weight for _, weight, _ in samples) <= 8
    assert sum(running > 2 for *_, running in samples) > 50, "the looks saw the queue at work"


def sample_until(cursor, end: float) -> list[tuple[int, int, int]]:
    samples = []
    while time.monotonic() < end:
        samples.append(cursor.execute(SAMPLE).fetchone())
    return samples


class Hammer(threading.Thread):
    """A worker that enqueues at the head, claims and finishes as fast as it can."""

    def __init__(self, connection: psycopg.Connection[Any], stop: threading.Event, machine: str) -> None:
        super().__init__()
        self.cursor, self.stop, self.machine = connection.cursor(), stop, machine
        self.worker = add_worker(self.cursor, machine)
        self.memory = ClaimMemory()
        self.claims = 0

    def run(self) -> None:
        while not self.stop.is_set():
            queue.enqueue_many(self.cursor, [new_job(kind, priority=10) for kind in ("alpha", "beta", "heavy")])
            jobs = claimed(self.cursor, self.worker, slots=4, machine=self.machine, memory=self.memory)
            self.claims += len(jobs)
            self.cursor.execute("SELECT 1")
            queue.finish(self.cursor, [succeed(job) for job in jobs])
