"""Who may start: priority, due time, the limits of types and machines, live calls, and what a worker can run."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from jobs import queue
from tests.jobs.arrange import add_worker, claim, make_due, new_job, set_rule

pytestmark = [pytest.mark.django_db, pytest.mark.sql]


@pytest.fixture
def cursor(each_cursor):
    return each_cursor


def test_priority_decides_then_due_time(cursor):
    low = queue.enqueue(cursor, new_job(priority=1))
    high = queue.enqueue(cursor, new_job("beta", priority=10))
    older = queue.enqueue(cursor, new_job(priority=5, scheduled_for=datetime.now(UTC) - timedelta(hours=1)))
    newer = queue.enqueue(cursor, new_job("beta", priority=5))
    assert [job.id for job in claim(cursor, add_worker(cursor), slots=4)] == [high, older, newer, low]


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
