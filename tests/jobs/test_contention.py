"""Several connections at once: whoever comes first wins, whoever comes late changes nothing.

Named after what must hold; tests/README.md says which public bug each one stands for.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from functools import partial
from typing import Any
from uuid import UUID

import psycopg
import pytest

from jobs import queue
from jobs.queue import Ended
from tests.deadline import wait_until
from tests.jobs.arrange import (
    add_worker,
    age_heartbeat,
    claim,
    claimed,
    fail,
    lose_worker_of_new_job,
    make_due,
    new_job,
    row,
    succeed,
)

pytestmark = [pytest.mark.django_db, pytest.mark.sql]


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


def test_of_a_herd_of_workers_that_one_job_wakes_one_gets_it_and_the_others_nothing(cursor, connect):
    herd = [(connect(), add_worker(cursor)) for _ in range(16)]
    for _ in range(3):
        id = queue.enqueue(cursor, new_job())
        taken = in_parallel([claiming(connection, worker) for connection, worker in herd])
        assert sorted(taken, key=len) == [[]] * 15 + [[id]]


def claiming(connection: psycopg.Connection[Any], worker: UUID) -> Callable[[], list[UUID]]:
    def one_claim() -> list[UUID]:
        with connection.transaction():
            return [job.id for job in claim(connection.cursor(), worker)]

    return one_claim


def test_two_results_of_one_job_in_one_batch_are_told_apart_by_their_leases(cursor):
    job, _ = lose_worker_of_new_job(cursor)
    queue.rescue(cursor, 30)
    [again] = claimed(cursor, add_worker(cursor))
    finished = queue.finish(cursor, [succeed(job, "old"), succeed(again, "new")])
    assert len(finished.changed) == 1, "the listeners must not be told twice"
    assert row(cursor, job.id, "result::text") == ('"new"',)


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
