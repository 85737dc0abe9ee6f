"""Every transition of a job, through Django's cursor and through the worker's own."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from jobs import queue
from jobs.payload import PayloadRefused
from jobs.states import Status, allowed, sources
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
    set_rule,
    succeed,
)

pytestmark = [pytest.mark.django_db, pytest.mark.sql]


@pytest.fixture(params=[django_cursor, psycopg_cursor], ids=["django", "psycopg"])
def cursor(request):
    with request.param() as cursor:
        yield cursor


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


def test_priority_decides_then_due_time(cursor):
    low = queue.enqueue(cursor, new_job(priority=1))
    high = queue.enqueue(cursor, new_job("beta", priority=10))
    older = queue.enqueue(cursor, new_job(priority=5, scheduled_for=datetime.now(UTC) - timedelta(hours=1)))
    newer = queue.enqueue(cursor, new_job("beta", priority=5))
    assert [job.id for job in claim(cursor, add_worker(cursor), slots=4)] == [high, older, newer, low]


def test_base_priority_applies_when_the_caller_gives_none(cursor):
    set_rule(cursor, "beta", base_priority=9)
    ruled, plain, given = queue.enqueue_many(cursor, [new_job("beta"), new_job(), new_job("beta", priority=0)])
    assert [row(cursor, id, "priority")[0] for id in (ruled, plain, given)] == [9, 5, 0]


def test_a_future_job_waits_for_its_time(cursor):
    id = queue.enqueue(cursor, new_job(scheduled_for=datetime.now(UTC) + timedelta(hours=1)))
    worker = add_worker(cursor)
    assert claim(cursor, worker) == []
    assert queue.waiting(cursor, ["alpha"]) == (0, 1)
    make_due(cursor, id)
    assert [job.id for job in claim(cursor, worker)] == [id]


def test_type_limit_holds_over_all_workers_and_others_pass_the_full_type(cursor):
    set_rule(cursor, "alpha", max_concurrent=1, base_priority=10)
    queue.enqueue_many(cursor, [new_job(), new_job(), new_job("beta")])
    assert [job.job_type for job in claim(cursor, add_worker(cursor))] == ["alpha", "beta"]
    assert claim(cursor, add_worker(cursor, machine="there"), machine="there") == []


def test_weight_budget_is_the_machines_and_light_jobs_pass_a_heavy_one(cursor):
    set_rule(cursor, "heavy", cpu_weight=5, base_priority=10)
    queue.enqueue_many(cursor, [new_job("heavy"), new_job("heavy"), new_job("alpha")])
    assert [job.job_type for job in claim(cursor, add_worker(cursor))] == ["heavy", "alpha"]
    assert claim(cursor, add_worker(cursor)) == [], "a second worker of the machine shares its budget"
    assert [job.job_type for job in claim(cursor, add_worker(cursor, "there"), machine="there")] == ["heavy"]


def test_a_paused_type_is_not_claimed(cursor):
    set_rule(cursor, "alpha", paused=True)
    queue.enqueue(cursor, new_job())
    assert claim(cursor, add_worker(cursor)) == []


def test_live_call_blocks_and_lowers(cursor):
    set_rule(cursor, "alpha", block_during_livekit=True, base_priority=10)
    set_rule(cursor, "heavy", livekit_priority_adj=-3, base_priority=6)
    queue.enqueue_many(cursor, [new_job("heavy"), new_job("beta"), new_job("alpha")])
    jobs = claim(cursor, add_worker(cursor), slots=1, live_call=True)
    assert [job.job_type for job in jobs] == ["beta"], "6 − 3 comes after 5; alpha waits"


def test_a_worker_claims_only_types_it_can_run(cursor):
    queue.enqueue_many(cursor, [new_job("alpha"), new_job("beta")])
    assert [job.job_type for job in claim(cursor, add_worker(cursor), types=["beta"])] == ["beta"]


def test_dedupe_key_is_unique_while_unfinished(cursor):
    first = queue.enqueue(cursor, new_job(dedupe_key="episode-1"))
    assert queue.enqueue(cursor, new_job(dedupe_key="episode-1")) is None
    assert queue.enqueue(cursor, new_job("beta", dedupe_key="episode-1")) is not None
    [job] = claim(cursor, add_worker(cursor), types=["alpha"])
    assert job.id == first
    queue.finish(cursor, [succeed(job)])
    assert queue.enqueue(cursor, new_job(dedupe_key="episode-1")) is not None


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


def test_what_becomes_of_a_duplicate_is_said_by_the_caller(cursor):
    first = queue.enqueue_unique(cursor, new_job(dedupe_key="k", payload={"n": 1}), "skip")
    assert queue.enqueue_unique(cursor, new_job(dedupe_key="k", payload={"n": 2}), "skip") == first
    assert row(cursor, first, "payload ->> 'n'") == ("1",)
    assert queue.enqueue_unique(cursor, new_job(dedupe_key="k", payload={"n": 3}, priority=9), "replace") == first
    assert row(cursor, first, "payload ->> 'n', priority") == ("3", 9)
    with pytest.raises(queue.DuplicateJob, match=str(first)):
        queue.enqueue_unique(cursor, new_job(dedupe_key="k"), "error")
    claim(cursor, add_worker(cursor))
    queue.enqueue_unique(cursor, new_job(dedupe_key="k", payload={"n": 4}), "replace")
    assert row(cursor, first, "payload ->> 'n'") == ("3",), "what runs keeps its payload"


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


def test_nul_and_surrogates_never_keep_a_row_running(cursor):
    id = queue.enqueue(cursor, new_job(payload={"a": "x\x00y"}))
    [job] = claim(cursor, add_worker(cursor))
    queue.finish(cursor, [fail(job, permanent=True, error="\x00\ud800", result={"\x00": "\udfff", "n": float("nan")})])
    assert row(cursor, id, "status::text, error_msg") == ("error", "\N{REPLACEMENT CHARACTER}" * 2)


@pytest.mark.parametrize(
    "payload",
    [
        {"text": "ord " * 20_000},
        {"file": "data:audio/mpeg;base64," + "A" * 5000},
        {"deep": [{"blob": "QUJD" * 2000}]},
        ["not", "an", "object"],
        {"when": datetime.now(UTC)},
    ],
    ids=["too large", "data url", "base64", "list", "no json"],
)
def test_a_payload_that_no_job_can_have_is_refused_before_anything_is_written(cursor, payload):
    with pytest.raises(PayloadRefused):
        queue.enqueue_many(cursor, [new_job(), new_job(payload=payload)])
    cursor.execute("SELECT count(*) FROM job_queue")
    assert cursor.fetchone()[0] == 0


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
