"""Every reason why a job waits, as the claim sees it."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from jobs import queue
from jobs.waiting import Conditions, why_waiting
from tests.jobs.arrange import add_worker, claim, fail, new_job, set_rule, succeed

pytestmark = [pytest.mark.django_db, pytest.mark.sql]

CALM = Conditions(ttl_seconds=30, live_call=False, live_call_weight=2)
CALL = Conditions(ttl_seconds=30, live_call=True, live_call_weight=2)


@pytest.fixture
def cursor(each_cursor):
    return each_cursor


def why(cursor, job, conditions=CALM):
    return [(reason.code, reason.facts, reason.machine) for reason in why_waiting(cursor, job, conditions)]


def codes(cursor, job, conditions=CALM):
    return [reason.code for reason in why_waiting(cursor, job, conditions)]


def test_not_due_yet_and_between_attempts(cursor):
    at = datetime.now(UTC) + timedelta(hours=1)
    later = queue.enqueue(cursor, new_job(scheduled_for=at))
    assert why(cursor, later) == [("scheduled", {"at": at}, None)]
    failing = queue.enqueue(cursor, new_job("beta"))
    [job] = claim(cursor, add_worker(cursor), types=["beta"])
    queue.finish(cursor, [fail(job)])
    [(code, facts, _)] = why(cursor, failing)
    assert (code, facts["attempts"]) == ("backoff", 1)


def test_nobody_can_run_it(cursor):
    job = queue.enqueue(cursor, new_job("unknown"))
    assert codes(cursor, job) == ["no_worker"]
    add_worker(cursor)
    assert codes(cursor, job) == ["no_worker"], "the worker that lives can't run this type"
    known = queue.enqueue(cursor, new_job("alpha"))
    cursor.execute("UPDATE workers SET heartbeat_at = now() - interval '5 minutes'")
    assert codes(cursor, known) == ["no_worker"], "a worker without a heartbeat runs nothing"


def test_its_type_is_paused(cursor):
    set_rule(cursor, "alpha", paused=True)
    add_worker(cursor)
    assert codes(cursor, queue.enqueue(cursor, new_job())) == ["paused"]


def test_its_type_is_full_and_by_which_job(cursor):
    set_rule(cursor, "alpha", max_concurrent=1)
    running, waiting = queue.enqueue_many(cursor, [new_job(), new_job()])
    claim(cursor, add_worker(cursor))
    assert why(cursor, waiting) == [("type_full", {"limit": 1, "running": [running]}, "here")]


def test_the_budget_is_short_by_how_much_and_who_holds_it(cursor):
    set_rule(cursor, "heavy", cpu_weight=5)
    running, waiting = queue.enqueue_many(cursor, [new_job("heavy"), new_job("heavy")])
    claim(cursor, add_worker(cursor))
    assert why(cursor, waiting) == [("budget_short", {"short": 2, "held_by": [running]}, "here")]


def test_a_live_call_blocks_it_or_takes_its_budget(cursor):
    set_rule(cursor, "alpha", block_during_livekit=True)
    set_rule(cursor, "heavy", cpu_weight=5)
    add_worker(cursor)
    blocked, running, squeezed = queue.enqueue_many(cursor, [new_job("alpha"), new_job("beta"), new_job("heavy")])
    assert codes(cursor, blocked, CALL) == ["live_call"]
    assert codes(cursor, blocked, CALM) == ["starting"]
    set_rule(cursor, "beta", cpu_weight=2)
    claim(cursor, add_worker(cursor), types=["beta"])
    assert why(cursor, squeezed, CALL) == [("budget_short", {"short": 1, "held_by": [running]}, "here")]


def test_a_full_disk_holds_it(cursor):
    set_rule(cursor, "alpha", hold_when_disk_full=True)
    add_worker(cursor)
    full = Conditions(ttl_seconds=30, live_call=False, live_call_weight=2, disk_full=frozenset({"here"}))
    assert codes(cursor, queue.enqueue(cursor, new_job()), full) == ["disk_full"]


def test_all_slots_are_taken(cursor):
    add_worker(cursor)
    cursor.execute("UPDATE workers SET running = max_concurrent")
    assert codes(cursor, queue.enqueue(cursor, new_job())) == ["slots_full"]


def test_others_come_first(cursor):
    add_worker(cursor, max_concurrent=1)
    jobs = queue.enqueue_many(cursor, [new_job(priority=5) for _ in range(4)])
    assert why(cursor, jobs[0]) == [("starting", {}, "here")]
    assert why(cursor, jobs[3]) == [("behind", {"ahead": 3}, "here")]
    other = queue.enqueue(cursor, new_job("beta", priority=1))
    assert codes(cursor, other) == ["behind"], "jobs of other types come first too"


def test_the_machine_is_reserved_for_a_heavy_job_that_has_waited(cursor):
    set_rule(cursor, "heavy", cpu_weight=5)
    worker = add_worker(cursor, max_concurrent=8)
    queue.enqueue_many(cursor, [new_job("alpha", priority=9) for _ in range(5)])
    busy = claim(cursor, worker, slots=5, types=["alpha"])
    heavy = queue.enqueue(cursor, new_job("heavy", priority=5))
    light = queue.enqueue(cursor, new_job("beta", priority=1))
    assert codes(cursor, light) == ["starting"], "a light job passes at first"
    cursor.execute("UPDATE job_queue SET scheduled_for = now() - interval '61 s' WHERE id = %(id)s", {"id": heavy})
    assert why(cursor, light) == [("reserved", {"for": heavy}, "here")]
    assert codes(cursor, heavy) == ["budget_short"]
    assert claim(cursor, worker, slots=3) == [], "the claim says the same"
    queue.finish(cursor, [succeed(job) for job in busy[:2]])
    assert [job.id for job in claim(cursor, worker, slots=3)] == [heavy]


def test_a_job_that_no_machine_could_hold_reserves_none(cursor):
    set_rule(cursor, "heavy", cpu_weight=5)
    worker = add_worker(cursor, max_concurrent=8)
    heavy = queue.enqueue(cursor, new_job("heavy", priority=10))
    cursor.execute("UPDATE job_queue SET scheduled_for = now() - interval '1 h' WHERE id = %(id)s", {"id": heavy})
    light = queue.enqueue(cursor, new_job("beta", priority=1))
    assert [job.id for job in claim(cursor, worker, slots=3, budget=4)] == [light]


def test_it_waits_for_an_earlier_job_of_the_same_key(cursor):
    add_worker(cursor)
    first, second = queue.enqueue_many(cursor, [new_job(order_key="k"), new_job(order_key="k")])
    assert why(cursor, second) == [("order", {"after": first}, None)]


def test_what_does_not_wait_has_no_reason(cursor):
    id = queue.enqueue(cursor, new_job())
    claim(cursor, add_worker(cursor))
    assert why(cursor, id) == []
