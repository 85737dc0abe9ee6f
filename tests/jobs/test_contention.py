"""Several connections at once: whoever comes first wins, whoever comes late changes nothing, limits hold at every look.

Named after what must hold; tests/README.md says which public bug each one stands for.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from functools import partial
from typing import Any
from uuid import UUID

import psycopg
import pytest

from jobs import queue
from jobs.queue import Ended
from jobs.queue.claiming import ClaimMemory
from tests.deadline import wait_until
from tests.jobs.arrange import (
    add_worker,
    age_heartbeat,
    claim,
    fail,
    make_due,
    new_job,
    row,
    set_rule,
    succeed,
)

pytestmark = [pytest.mark.django_db, pytest.mark.sql]

HAMMER_SECONDS = 3.0


def lose_worker_of_new_job(cursor, **fields) -> tuple[queue.ClaimedJob, UUID]:
    """A running job whose worker has fallen silent."""
    queue.enqueue(cursor, new_job(**fields))
    worker = add_worker(cursor)
    [job] = claimed(cursor, worker)
    age_heartbeat(cursor, worker)
    return job, worker


def claimed(cursor, worker, **options):
    with cursor.connection.transaction():
        return claim(cursor, worker, **options)


def test_a_finish_under_way_is_passed_by_the_rescue(cursor, connect):
    job, _ = lose_worker_of_new_job(cursor)
    finisher = connect()
    with finisher.transaction():
        assert queue.finish(finisher.cursor(), [succeed(job, "done")]).changed
        assert queue.rescue(cursor, 30) == [], "the row is locked by the finish and left alone"
    assert row(cursor, job.id, "status::text, interruptions") == ("completed", 0)
    assert queue.rescue(cursor, 30) == []


def test_a_finish_that_meets_a_rescue_is_held_and_then_stale(cursor, connect):
    job, _ = lose_worker_of_new_job(cursor)
    rescuer = connect()
    with rescuer.transaction():
        assert len(queue.rescue(rescuer.cursor(), 30)) == 1
        assert queue.finish(cursor, [succeed(job)]).held == {job.id}
    assert queue.finish(cursor, [succeed(job)]).stale == {job.id}
    assert row(cursor, job.id, "status::text, outcome, interruptions") == ("pending", None, 1)


def test_of_many_finishes_of_one_attempt_exactly_one_is_recorded(cursor, connect):
    for _ in range(5):
        job, _ = lose_worker_of_new_job(cursor)
        endings = [succeed(job), fail(job), fail(job, permanent=True), Ended(job, "timed_out")]
        results = in_parallel([finishing(connect(), ended) for ended in endings])
        assert sorted(results) == [False, False, False, True]


def finishing(connection: psycopg.Connection[Any], ended: Ended) -> Callable[[], bool]:
    def finish() -> bool:
        while (finished := queue.finish(connection.cursor(), [ended])).held:
            pass
        return bool(finished.changed)

    return finish


def in_parallel(calls: list[Callable[[], Any]]) -> list[Any]:
    """The answers of calls that begin together, each in a thread."""
    barrier, answers = threading.Barrier(len(calls)), [None] * len(calls)

    def run(nth: int) -> None:
        barrier.wait()
        answers[nth] = calls[nth]()

    threads = [threading.Thread(target=run, args=(nth,)) for nth in range(len(calls))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return answers


def test_two_results_of_one_job_in_one_batch_are_told_apart_by_their_leases(cursor):
    job, _ = lose_worker_of_new_job(cursor)
    queue.rescue(cursor, 30)
    [again] = claimed(cursor, add_worker(cursor))
    finished = queue.finish(cursor, [succeed(job, "old"), succeed(again, "new")])
    assert len(finished.changed) == 1, "the listeners must not be told twice"
    assert row(cursor, job.id, "result::text") == ('"new"',)


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


def test_two_rescuers_share_the_orphans_and_none_is_rescued_twice(cursor, connect):
    ids = queue.enqueue_many(cursor, [new_job() for _ in range(60)])
    worker = add_worker(cursor)
    claimed(cursor, worker, slots=60, budget=60)
    age_heartbeat(cursor, worker)
    rescuers = [connect() for _ in range(3)]
    found = in_parallel([partial(queue.rescue, one.cursor(), 30) for one in rescuers])
    assert sorted(change.id for part in found for change in part) == sorted(ids)
    cursor.execute("SELECT count(*) FROM job_queue WHERE interruptions <> 1 OR status <> 'pending'")
    assert cursor.fetchone() == (0,)


def test_a_rescue_that_is_lost_with_its_connection_is_simply_done_again(cursor, connect):
    job, _ = lose_worker_of_new_job(cursor)
    dying = connect()
    with dying.transaction(force_rollback=True):
        assert len(queue.rescue(dying.cursor(), 30)) == 1
    assert [change.id for change in queue.rescue(cursor, 30)] == [job.id]
    assert queue.rescue(cursor, 30) == []


def test_a_retry_by_hand_beside_a_rescue_makes_one_run(cursor):
    job, _ = lose_worker_of_new_job(cursor)
    assert queue.retry(cursor, [job.id]) == [], "a running job is not the hand's to restart"
    queue.rescue(cursor, 30)
    assert queue.retry(cursor, [job.id]) == []
    assert len(claimed(cursor, add_worker(cursor))) == 1
    assert claimed(cursor, add_worker(cursor)) == []


def test_two_people_retry_and_one_is_told_that_nothing_changed(cursor, connect):
    id = queue.enqueue(cursor, new_job())
    assert id is not None
    queue.cancel(cursor, [id])
    people = [connect(), connect()]
    answers = in_parallel([partial(queue.retry, one.cursor(), [id]) for one in people])
    assert sorted(len(answer) for answer in answers) == [0, 1]


@pytest.mark.parametrize("outcome", ["succeeded", "failed", "excluded"])
def test_a_finished_job_is_left_alone_by_every_sweep(cursor, outcome):
    job, _ = lose_worker_of_new_job(cursor)
    queue.finish(cursor, [Ended(job, outcome, permanent=True)])
    before = row(cursor, job.id, "status::text, outcome, completed_at")
    assert queue.rescue(cursor, 0) == []
    assert queue.cancel(cursor, [job.id]) == []
    assert queue.give_back(cursor, [job]) == []
    assert row(cursor, job.id, "status::text, outcome, completed_at") == before


def test_only_the_current_attempt_decides_whether_a_job_is_lost(cursor):
    job, old = lose_worker_of_new_job(cursor)
    queue.rescue(cursor, 30)
    cursor.execute("UPDATE job_attempts SET started_at = now() - interval '3 days'")
    age_heartbeat(cursor, old, 3 * 86400)
    claimed(cursor, add_worker(cursor))
    assert queue.rescue(cursor, 30) == []
    assert row(cursor, job.id, "status::text") == ("running",)


def test_a_full_batch_of_healthy_jobs_hides_no_orphan(cursor):
    healthy, dead = add_worker(cursor), add_worker(cursor)
    count = queue.RESCUE_BATCH + 20
    queue.enqueue_many(cursor, [new_job() for _ in range(count)])
    claimed(cursor, healthy, slots=count, budget=count)
    orphans = queue.enqueue_many(cursor, [new_job() for _ in range(count)])
    claimed(cursor, dead, slots=count, budget=2 * count)
    age_heartbeat(cursor, dead)
    rescued = [change.id for _ in range(3) for change in queue.rescue(cursor, 30)]
    assert sorted(rescued) == sorted(orphans), "in two batches, and then there is nothing left"


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


def test_each_attempt_keeps_its_own_times_and_created_at_never_moves(cursor):
    job, _ = lose_worker_of_new_job(cursor, max_attempts=2)
    [born] = row(cursor, job.id, "created_at")
    queue.rescue(cursor, 30)
    [again] = claimed(cursor, add_worker(cursor))
    queue.finish(cursor, [fail(again)])
    queue.retry(cursor, [job.id])
    make_due(cursor, job.id)
    [last] = claimed(cursor, add_worker(cursor))
    queue.finish(cursor, [succeed(last)])
    assert row(cursor, job.id, "created_at") == (born,)
    cursor.execute(
        "SELECT due_at, started_at, finished_at FROM job_attempts WHERE job_id = %s ORDER BY lease", [job.id]
    )
    times = cursor.fetchall()
    assert len(times) == 3
    flat = [time for attempt in times for time in attempt[1:]]
    assert flat == sorted(flat), "attempts lie one after another"
    assert all(due <= started for due, started, _ in times)


def test_a_bulk_enqueue_rings_once_and_a_claim_or_finish_not_at_all(cursor, connect):
    """The commit of a notification takes a lock that all databases of the server share."""
    listener, rung = connect(), []
    listener.add_notify_handler(rung.append)
    listener.execute("LISTEN synops_work")
    queue.enqueue_many(cursor, [new_job() for _ in range(500)])
    queue.finish(cursor, [succeed(job) for job in claimed(cursor, add_worker(cursor))])
    queue.enqueue(cursor, new_job())

    def heard() -> bool:
        listener.execute("SELECT 1")
        return len(rung) >= 2

    wait_until(heard, "the last enqueue has rung")
    assert [(one.channel, one.payload) for one in rung] == [("synops_work", "")] * 2


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
