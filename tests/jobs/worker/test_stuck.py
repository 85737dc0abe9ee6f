"""No job stays running without a worker, and none runs twice because somebody was impatient."""

from __future__ import annotations

import signal
from datetime import timedelta

import pytest
from django.db import connection
from django.db.models import F
from django.db.models.functions import Now

from jobs.models import Attempt, Job
from resources.models import PriorityRule, Worker
from tests.deadline import wait_until
from tests.jobs.arrange import make_due
from tests.jobs.worker.conftest import QUICK, enqueue, processes_with, wait_for

TTL = float(QUICK["WORKER_TTL_SECONDS"])

pytestmark = pytest.mark.django_db(transaction=True)


def test_a_job_of_three_ttls_runs_once_beside_a_sweeping_worker(tools, start_worker, tmp_path):
    gate = tmp_path / "gate"
    tools.add("long", f"while [ ! -e {gate} ]; do sleep 0.05; done; echo 1")
    job = enqueue("long")
    workers = [start_worker().ready() for _ in range(2)]
    Job.objects.filter(pk=wait_for(job, "running").pk).update(started_at=F("started_at") - timedelta(hours=2))
    for worker in workers:
        wait_until(lambda worker=worker: "should have stopped it" in worker.output(), "the job's age is an alarm")
    three_ttls = Attempt.objects.filter(job=job, started_at__lt=Now() - timedelta(seconds=3 * TTL))
    wait_until(three_ttls.exists, "it has run for three TTLs")
    gate.touch()
    job = wait_for(job, "completed")
    assert (job.attempts, job.lease, job.interruptions) == (1, 1, 0)
    for worker in workers:
        assert worker.output().count("should have stopped it") == 1, worker.output()


def test_kill_9_strands_only_what_had_a_slot_and_a_full_worker_requeues_it_within_ttl_and_sweep(
    tools, start_worker, tmp_path
):
    """Claims are permits: nothing is claimed ahead. The rescue is no job, so a worker without a free slot does it."""
    tools.add("first", "sleep 600")
    tools.add("second", "sleep 601")
    jobs = [enqueue("first") for _ in range(5)]
    busy = enqueue("second")
    start_worker("--max-concurrent=1", "--types=second").ready()
    wait_for(busy, "running")
    dying = start_worker("--max-concurrent=1", "--types=first").ready()
    wait_until(lambda: Job.objects.filter(job_type="first", status="running").exists(), "one runs")
    assert Job.objects.filter(job_type="first", status="running").count() == 1
    dying.signal(signal.SIGKILL)
    wait_until(lambda: not Job.objects.filter(job_type="first", status="running").exists(), "it is requeued")
    [lost] = Attempt.objects.filter(outcome="lost")
    silent = Worker.objects.get(id=lost.worker_id).heartbeat_at
    bound = TTL + float(QUICK["SWEEP_SECONDS"])
    slow_machine = 20.0
    assert bound - float(QUICK["SWEEP_SECONDS"]) <= (lost.finished_at - silent).total_seconds() < bound + slow_machine
    assert {job.status for job in Job.objects.filter(id__in=[one.pk for one in jobs])} == {"pending"}
    assert Worker.objects.values("id").distinct().count() == 2, "each start has an identity of its own"


def test_a_timed_out_attempt_is_quite_dead_before_the_next_begins(tools, start_worker, tmp_path):
    PriorityRule.objects.create(job_type="stubborn", timeout_seconds=1)
    tools.add(
        "stubborn",
        f"exec 9>{tmp_path}/lock; flock -n 9 || exit 9; [ -e {tmp_path}/again ] && echo 1 && exit; "
        f"touch {tmp_path}/again; trap '' TERM; (trap '' TERM; sleep 600) & sleep 600",
    )
    job = enqueue("stubborn")
    start_worker().ready()
    wait_for(job, "retry")
    with connection.cursor() as cursor:
        make_due(cursor, job.pk)
    assert wait_for(job, "completed").attempts == 2


def test_a_program_that_is_killed_every_time_ends_its_job_after_the_last_attempt(tools, start_worker):
    tools.add("doomed", "kill -9 $$")
    job = enqueue("doomed", max_attempts=2)
    start_worker().ready()
    wait_for(job, "retry")
    with connection.cursor() as cursor:
        make_due(cursor, job.pk)
    job = wait_for(job, "error")
    assert (job.outcome, job.attempts) == ("failed", 2)


def test_a_claim_whose_answer_was_lost_goes_back_by_itself(tools, start_worker):
    """The row says that it runs under a worker that beats and knows nothing of it."""
    tools.add("quick", "echo 1")
    worker = start_worker("--types=quick").ready()
    job = enqueue("other")
    with connection.cursor() as cursor:
        cursor.execute(
            "UPDATE job_queue SET status = 'running', worker_id = (SELECT id FROM workers), lease = 1, attempts = 1, "
            "started_at = now() WHERE id = %s",
            [job.pk],
        )
    job = wait_for(job, "pending")
    assert (job.attempts, job.interruptions) == (0, 1)
    worker.signal(signal.SIGTERM)
    assert worker.ended() == 0


def test_a_signal_in_the_middle_of_a_claim_leaves_no_row_running(tools, start_worker):
    """The claim waits for its lock, the signal comes, the lock is free: what was claimed then runs or goes back."""
    tools.add("quick", "sleep 600")
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_lock(hashtext('synops.claim'))")
    worker = start_worker(DRAIN_SECONDS="0.3").ready()
    job = enqueue("quick")
    wait_until(waiting_for_the_lock, "the claim waits for its lock")
    worker.signal(signal.SIGTERM)
    wait_until(lambda: "stopping" in worker.output(), "the worker has heard it")
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_unlock(hashtext('synops.claim'))")
    assert worker.ended() == 0
    job.refresh_from_db()
    assert (job.status, job.attempts) == ("pending", 0)
    assert not processes_with(f"SYNOPS_JOB_ID={job.pk}")


def waiting_for_the_lock() -> bool:
    with connection.cursor() as cursor:
        cursor.execute("SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND NOT granted")
        return cursor.fetchone()[0] > 0


def test_start_up_reads_no_history(tools, start_worker):
    """A worker's start must not grow with the jobs that have ended: no scan of them, and few rows touched."""
    tools.add("quick", "echo 1")
    with connection.cursor() as cursor:
        cursor.execute(
            "INSERT INTO job_queue (collection_node_id, job_type, payload, status, outcome, completed_at) "
            "SELECT collection_node_id, 'quick', '{}', 'completed', 'succeeded', now() "
            "FROM (SELECT id AS collection_node_id FROM nodes WHERE node_kind = 'collection' LIMIT 1) one, "
            "generate_series(1, 30000)"
        )
        # And vacuumed: autovacuum would summarise the BRIN index of these rows meanwhile, and its reading counts too.
        cursor.execute("VACUUM (ANALYZE) job_queue")
        before = rows_read(cursor)
        start_worker("--drain").ended()
        read = rows_read(cursor) - before
    assert read < 5000, f"{read} rows of job_queue were read to start and stop"


def rows_read(cursor) -> int:
    cursor.execute("SELECT pg_stat_force_next_flush()")  # this session's own reading, now and not some time later
    cursor.execute("SELECT pg_stat_clear_snapshot()")
    cursor.execute(
        "SELECT seq_tup_read + coalesce(idx_tup_fetch, 0) FROM pg_stat_user_tables WHERE relname = 'job_queue'"
    )
    return cursor.fetchone()[0]
