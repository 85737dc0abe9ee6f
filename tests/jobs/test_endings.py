"""How attempts end: with a result, as failures, given back, lost with their worker; and what they told before."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from jobs import queue
from tests.jobs.arrange import (
    add_worker,
    age_heartbeat,
    claim,
    django_cursor,
    fail,
    make_due,
    new_job,
    psycopg_cursor,
    row,
    succeed,
)

pytestmark = [pytest.mark.django_db, pytest.mark.sql]


@pytest.fixture
def cursor(each_cursor):
    return each_cursor


def test_a_job_goes_in_runs_and_completes_with_its_result(cursor):
    id = queue.enqueue(cursor, new_job(payload={"tekst": "blåbærsyltetøy"}))
    worker = add_worker(cursor)
    [job] = claim(cursor, worker)
    assert (job.id, job.payload, job.lease, job.attempt) == (id, {"tekst": "blåbærsyltetøy"}, 1, 1)
    assert row(cursor, id, "status::text, worker_id, attempts") == ("running", worker, 1)

    finished = queue.finish(cursor, [succeed(job, {"svar": "æøå", "stort": 2**60})])

    assert [change.status for change in finished.changed] == ["completed"]
    status, outcome, owner, result = row(cursor, id, "status::text, outcome, worker_id, result::text")
    assert (status, outcome, owner) == ("completed", "succeeded", None)
    assert json.loads(result) == {"svar": "æøå", "stort": 2**60}
    cursor.execute(
        "SELECT outcome, exit_code, finished_at IS NOT NULL FROM job_attempts WHERE job_id = %(id)s", {"id": id}
    )
    assert tuple(cursor.fetchone()) == ("succeeded", 0, True)


def test_failure_waits_30_seconds_then_60_then_ends_the_job(cursor):
    id = queue.enqueue(cursor, new_job())
    worker = add_worker(cursor)
    for attempt, low, high in ((1, 30, 33), (2, 60, 66)):
        [job] = claim(cursor, worker)
        assert job.attempt == attempt
        queue.finish(cursor, [fail(job)])
        status, wait, error = row(
            cursor, id, "status::text, extract(epoch from scheduled_for - now())::float8, error_msg"
        )
        assert status == "retry"
        assert low <= wait <= high, "the jitter only adds, at most 10 %"
        assert error == "it broke"
        assert claim(cursor, worker) == [], "not before it is due again"
        make_due(cursor, id)
    [job] = claim(cursor, worker)
    queue.finish(cursor, [fail(job)])
    assert row(cursor, id, "status::text, outcome, attempts") == ("error", "failed", 3)


def test_a_permanent_failure_does_not_burn_three_attempts(cursor):
    id = queue.enqueue(cursor, new_job())
    [job] = claim(cursor, add_worker(cursor))
    queue.finish(cursor, [fail(job, permanent=True)])
    assert row(cursor, id, "status::text, outcome, attempts") == ("error", "failed", 1)


@pytest.mark.parametrize(("transient", "status"), [(True, "retry"), (False, "error")])
def test_a_step_with_a_fallback_only_retries_passing_failures(cursor, transient, status):
    id = queue.enqueue(cursor, new_job(retry_on="transient"))
    [job] = claim(cursor, add_worker(cursor))
    queue.finish(cursor, [fail(job, transient=transient)])
    assert row(cursor, id, "status::text") == (status,)


def test_a_later_success_without_a_result_leaves_no_old_one(cursor):
    id = queue.enqueue(cursor, new_job())
    worker = add_worker(cursor)
    [job] = claim(cursor, worker)
    queue.finish(cursor, [fail(job, result={"half": True})])
    make_due(cursor, id)
    [again] = claim(cursor, worker)
    queue.finish(cursor, [succeed(again)])
    assert row(cursor, id, "status::text, result") == ("completed", None)


def test_excluded_is_done_and_no_error(cursor):
    id = queue.enqueue(cursor, new_job())
    [job] = claim(cursor, add_worker(cursor))
    queue.finish(cursor, [fail(job, outcome="excluded")])
    assert row(cursor, id, "status::text, outcome, error_msg") == ("completed", "excluded", None)


def test_a_result_under_an_old_lease_is_stale_and_changes_nothing(cursor):
    id = queue.enqueue(cursor, new_job())
    first, second = add_worker(cursor), add_worker(cursor)
    [job] = claim(cursor, first)
    age_heartbeat(cursor, first)
    queue.rescue(cursor, 30)
    [again] = claim(cursor, second)
    finished = queue.finish(cursor, [succeed(job, "late")])
    assert finished.stale == {id}
    assert finished.changed == ()
    assert row(cursor, id, "status::text, result::text, lease") == ("running", None, 2)
    assert queue.finish(cursor, [succeed(again, "right")]).changed
    assert row(cursor, id, "status::text, result::text") == ("completed", '"right"')


def test_the_same_finish_twice_is_recorded_once(cursor):
    queue.enqueue(cursor, new_job())
    [job] = claim(cursor, add_worker(cursor))
    assert len(queue.finish(cursor, [succeed(job)]).changed) == 1
    assert queue.finish(cursor, [fail(job)]).stale == {job.id}
    assert row(cursor, job.id, "outcome") == ("succeeded",)


@pytest.mark.django_db(transaction=True)
def test_finishing_a_batch_says_which_rows_someone_else_holds_and_brings_the_logs_of_the_others():
    with django_cursor() as cursor:
        ids = queue.enqueue_many(cursor, [new_job(), new_job()])
        jobs = claim(cursor, add_worker(cursor))
    with psycopg_cursor() as holder:
        holder.execute("SELECT id FROM job_queue WHERE id = %(id)s FOR UPDATE", {"id": ids[0]})
        with django_cursor() as cursor:
            logs = [queue.LogText(job, 1, "head", str(job.id)) for job in jobs]
            finished = queue.finish(cursor, [replace(succeed(log.job), log=(log,)) for log in logs])
            cursor.execute("SELECT text FROM job_log")
            assert cursor.fetchall() == [(str(ids[1]),)]
    assert finished.held == {ids[0]}
    assert [change.id for change in finished.changed] == [ids[1]]


def test_giving_back_burns_no_attempt(cursor):
    id = queue.enqueue(cursor, new_job())
    [job] = claim(cursor, add_worker(cursor))
    queue.give_back(cursor, [job])
    assert row(cursor, id, "status::text, attempts, interruptions, worker_id") == ("pending", 0, 1, None)
    [again] = claim(cursor, add_worker(cursor))
    assert (again.attempt, again.lease) == (1, 2)


def test_rescue_leaves_a_beating_worker_alone_however_long_its_job_runs(cursor):
    id = queue.enqueue(cursor, new_job())
    claim(cursor, add_worker(cursor))
    cursor.execute("UPDATE job_queue SET started_at = now() - interval '2 hours'")
    assert queue.rescue(cursor, 30) == []
    assert row(cursor, id, "status::text") == ("running",)


@pytest.mark.parametrize("how", ["silent", "row gone", "signed off"])
def test_rescue_requeues_what_no_live_worker_owns(cursor, how):
    id = queue.enqueue(cursor, new_job())
    worker = add_worker(cursor)
    claim(cursor, worker)
    if how == "silent":
        age_heartbeat(cursor, worker)
    elif how == "row gone":
        cursor.execute("DELETE FROM workers")
    else:
        cursor.execute("UPDATE workers SET state = 'stopped', stopped_at = now()")
    assert [(change.id, change.status) for change in queue.rescue(cursor, 30)] == [(id, "pending")]
    assert row(cursor, id, "attempts, interruptions") == (0, 1)


def test_a_job_that_keeps_losing_its_worker_ends_as_lost(cursor):
    id = queue.enqueue(cursor, new_job())
    for _ in range(queue.INTERRUPTION_CAP + 1):
        worker = add_worker(cursor)
        claim(cursor, worker)
        age_heartbeat(cursor, worker)
        queue.rescue(cursor, 30)
    assert row(cursor, id, "status::text, outcome, error_msg") == ("error", "lost", "worker_lost")


def test_nul_and_surrogates_never_keep_a_row_running(cursor):
    id = queue.enqueue(cursor, new_job(payload={"a": "x\x00y"}))
    [job] = claim(cursor, add_worker(cursor))
    queue.finish(cursor, [fail(job, permanent=True, error="\x00\ud800", result={"\x00": "\udfff", "n": float("nan")})])
    assert row(cursor, id, "status::text, error_msg") == ("error", "\N{REPLACEMENT CHARACTER}" * 2)


def test_progress_and_log_belong_to_the_attempt_that_wrote_them(cursor):
    queue.enqueue(cursor, new_job())
    [job] = claim(cursor, add_worker(cursor))
    assert queue.record_progress(cursor, [(job, 0.5, "halvveis")]) == [job.id]
    queue.append_log(cursor, [queue.LogText(job, 1, "head", "linje\x00"), queue.LogText(job, 2, "tail", "slutt")])
    queue.drop_log(cursor, job.id, job.lease, [2])
    queue.finish(cursor, [succeed(job)])
    assert queue.record_progress(cursor, [(job, 0.6, None)]) == []
    cursor.execute("SELECT text FROM job_log ORDER BY seq")
    assert [text for (text,) in cursor.fetchall()] == ["linje\N{REPLACEMENT CHARACTER}"]
    cursor.execute("SELECT progress, message FROM job_attempts")
    assert tuple(cursor.fetchone()) == (0.5, "halvveis")
