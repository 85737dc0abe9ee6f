"""What people do to jobs: cancel, retry, run now, put off, put before others, delete."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from jobs import queue
from jobs.states import Status, allowed, sources
from tests.jobs.arrange import add_worker, age_heartbeat, claim, fail, new_job, row, succeed

pytestmark = [pytest.mark.django_db, pytest.mark.sql]


@pytest.fixture
def cursor(each_cursor):
    return each_cursor


def test_cancel_ends_a_waiting_job_at_once(cursor):
    id = queue.enqueue(cursor, new_job())
    assert [change.outcome for change in queue.cancel(cursor, [id])] == ["cancelled"]
    assert row(cursor, id, "status::text, outcome") == ("error", "cancelled")
    assert queue.cancel(cursor, [id]) == [], "the second of two people is told that nothing changed"


def test_a_success_that_arrives_after_the_cancel_keeps_its_result_and_stays_cancelled(cursor):
    id = queue.enqueue(cursor, new_job())
    worker = add_worker(cursor)
    [job] = claim(cursor, worker)
    [change] = queue.cancel(cursor, [id])
    assert change.status == "running"
    assert queue.cancelling(cursor, worker) == {(id, 1)}
    queue.finish(cursor, [succeed(job, "ferdig")])
    assert row(cursor, id, "status::text, outcome, result::text") == ("error", "cancelled", '"ferdig"')
    cursor.execute("SELECT outcome, reason FROM job_attempts WHERE job_id = %(id)s", {"id": id})
    assert tuple(cursor.fetchone()) == ("cancelled", "finished_after_cancel")


def test_an_inline_success_after_the_cancel_stays_cancelled_too(cursor):
    id = queue.enqueue(cursor, new_job())
    worker = add_worker(cursor)
    [job] = queue.claim_inline(cursor, worker_id=worker, types=["alpha"])
    queue.cancel(cursor, [id])
    [change] = queue.finish_inline(cursor, worker, [succeed(job, "ferdig")]).changed
    assert (change.id, change.outcome) == (id, "cancelled")
    assert row(cursor, id, "status::text, outcome, result::text") == ("error", "cancelled", '"ferdig"')


def test_a_cancelled_job_is_not_resurrected_by_rescue(cursor):
    id = queue.enqueue(cursor, new_job())
    worker = add_worker(cursor)
    claim(cursor, worker)
    queue.cancel(cursor, [id])
    age_heartbeat(cursor, worker)
    queue.rescue(cursor, 30)
    assert row(cursor, id, "status::text, outcome") == ("error", "cancelled")


def test_retry_by_hand_raises_exhausted_attempts_and_keeps_created_at(cursor):
    id = queue.enqueue(cursor, new_job(max_attempts=1))
    [job] = claim(cursor, add_worker(cursor))
    queue.finish(cursor, [fail(job)])
    [before] = row(cursor, id, "created_at")
    assert [change.status for change in queue.retry(cursor, [id])] == ["pending"]
    assert row(cursor, id, "max_attempts, attempts, created_at, outcome, error_msg") == (2, 1, before, None, None)
    assert queue.retry(cursor, [id]) == [], "a waiting job needs no retry"
    assert [again.attempt for again in claim(cursor, add_worker(cursor))] == [2]


def test_retry_leaves_out_a_job_whose_key_is_taken(cursor):
    id = queue.enqueue(cursor, new_job(dedupe_key="k"))
    queue.cancel(cursor, [id])
    queue.enqueue(cursor, new_job(dedupe_key="k"))
    assert queue.retry(cursor, [id]) == []


def test_run_now_snooze_and_priority_change_waiting_jobs_only(cursor):
    soon = datetime.now(UTC) + timedelta(hours=1)
    waiting, running = queue.enqueue_many(cursor, [new_job(scheduled_for=soon), new_job()])
    claim(cursor, add_worker(cursor))
    both = [waiting, running]
    assert [change.id for change in queue.snooze(cursor, both, soon + timedelta(hours=1))] == [waiting]
    assert row(cursor, waiting, "attempts, scheduled_for") == (0, soon + timedelta(hours=1))
    assert [change.id for change in queue.reprioritise(cursor, both, 10)] == [waiting]
    assert [change.id for change in queue.run_now(cursor, both)] == [waiting]
    assert queue.run_now(cursor, both) == [], "it is due already"
    assert [job.id for job in claim(cursor, add_worker(cursor))] == [waiting]


def test_discard_deletes_finished_jobs_only(cursor):
    dead, alive = queue.enqueue_many(cursor, [new_job(), new_job("beta")])
    [job] = claim(cursor, add_worker(cursor), types=["alpha"])
    queue.append_log(cursor, [queue.LogText(job, 1, "head", "x")])
    queue.finish(cursor, [fail(job, permanent=True)])
    assert [change.id for change in queue.discard(cursor, [dead, alive])] == [dead]
    cursor.execute("SELECT (SELECT count(*) FROM job_attempts) + (SELECT count(*) FROM job_log)")
    assert cursor.fetchone()[0] == 0


@pytest.mark.parametrize("name", ["cancel", "retry"])
def test_statements_and_transition_table_agree(cursor, name):
    ids = queue.enqueue_many(cursor, [new_job(max_attempts=2) for _ in range(5)])
    pending, _running, completed, error, retry = ids
    jobs = {job.id: job for job in claim(cursor, add_worker(cursor), slots=5)}
    queue.give_back(cursor, [jobs[pending]])
    queue.finish(cursor, [succeed(jobs[completed]), fail(jobs[error], permanent=True), fail(jobs[retry])])
    touched = {change.id for change in getattr(queue, name)(cursor, ids)}
    states = dict(zip(ids, (Status.PENDING, Status.RUNNING, Status.COMPLETED, Status.ERROR, Status.RETRY), strict=True))
    assert touched == {id for id, state in states.items() if allowed(name, state)}
    assert set(sources(name)) == {states[id] for id in touched}
