"""The queue's own figures: each alarm rises when what it is about has really happened, and not before."""

from __future__ import annotations

from dataclasses import replace

import pytest
from django.db import connection

from jobs import health, queue
from jobs.reasons import HEALTH_ALARMS
from tests.deadline import wait_until
from tests.jobs.arrange import add_worker, claim, committing_connection, new_job, set_rule

pytestmark = [pytest.mark.django_db, pytest.mark.sql]


def test_a_quiet_queue_raises_no_alarm():
    with connection.cursor() as cursor:
        assert health.health(cursor).alarms == ()


def test_an_attempt_far_past_its_limit_is_overdue_and_one_within_it_is_not():
    with connection.cursor() as cursor:
        set_rule(cursor, "alpha", timeout_seconds=60)
        worker = add_worker(cursor)
        for job_type in ("alpha", "beta"):
            queue.enqueue(cursor, new_job(job_type))
        jobs = {job.job_type: job for job in claim(cursor, worker)}
        age(cursor, 60 + health.OVERDUE_MARGIN_SECONDS - 5)
        assert health.overdue(cursor) == []
        age(cursor, 10)
        [late] = health.overdue(cursor)
        assert (late.job_id, late.job_type, late.worker_id, late.limit_seconds) == (
            jobs["alpha"].id,
            "alpha",
            worker,
            60,
        )
        assert late.running_seconds > 360
        assert "overdue" in health.health(cursor).alarms


def age(cursor, seconds):
    cursor.execute("UPDATE job_queue SET started_at = started_at - make_interval(secs => %s)", [seconds])


def test_an_open_transaction_is_found_with_whoever_holds_it():
    with committing_connection() as holder, connection.cursor() as cursor:
        holder.execute("SET application_name = 'forgotten shell'")
        holder.autocommit = False
        holder.execute("SELECT 1")

        def oldest():
            return (health.health(cursor).oldest_transaction or health.OldestTransaction(0, "", "", 0)).application

        wait_until(lambda: oldest() == "forgotten shell", "the transaction that is open is seen")
        assert health.health(cursor).oldest_transaction.state == "idle in transaction"
        holder.rollback()


def test_the_limits_of_the_alarms():
    quiet = health.Health(1000, health.DEAD_ROWS, None, health.NOTIFY_QUEUE, None, ())
    old = health.OldestTransaction(1, "psql", "active", health.OLD_TRANSACTION_SECONDS + 1)
    assert quiet.alarms == ()
    assert replace(quiet, dead_rows=health.DEAD_ROWS + 51).alarms == ("dead_rows",)
    assert replace(quiet, oldest_transaction=old).alarms == ("old_transaction",)
    assert replace(quiet, notify_queue=0.2).alarms == ("notify_queue",)
    assert set(HEALTH_ALARMS) == {"dead_rows", "old_transaction", "notify_queue", "overdue"}
