"""Workers die, are stopped, and lose their database: nothing is lost, nothing survives, nothing is done twice."""

from __future__ import annotations

import signal

import pytest
from django.db import connection
from django.db.models.functions import Now

from jobs.models import Attempt, Job
from resources.models import PriorityRule, Worker
from tests.deadline import wait_until
from tests.jobs.arrange import committing_connection
from tests.jobs.worker.conftest import enqueue, processes_with, wait_for
from tests.people import make_collection, make_node

LONG = "setsid sleep 600 & nohup sleep 601 >/dev/null 2>&1 & trap '' TERM; sleep 602"


def test_kill_9_of_the_worker_leaves_no_process_and_another_runs_the_job_once(tools, start_worker, tmp_path):
    flag = tmp_path / "second-time"
    tools.add("fragile", f"if [ -e {flag} ]; then echo '\"done\"'; else {LONG}; fi")
    job = enqueue("fragile")
    first = start_worker().ready()
    wait_for(job, "running")
    wait_until(lambda: len(processes_with(f"SYNOPS_JOB_ID={job.pk}")) >= 4, "the job's processes are there")
    flag.touch()
    first.signal(signal.SIGKILL)
    first.process.wait()
    wait_until(lambda: not processes_with(f"SYNOPS_JOB_ID={job.pk}"), "no process of the job is left")
    start_worker().ready()
    job = wait_for(job, "completed")
    assert (job.result, job.attempts, job.interruptions) == ("done", 1, 1)
    assert list(Attempt.objects.filter(job=job).order_by("lease").values_list("outcome", flat=True)) == [
        "lost",
        "succeeded",
    ]
    assert Worker.objects.filter(state="lost").count() == 1


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
def test_a_signal_drains_running_jobs_and_claims_nothing_new(tools, start_worker, tmp_path, number):
    gate = tmp_path / "gate"
    tools.add("gated", f"while [ ! -e {gate} ]; do sleep 0.05; done; echo 1")
    running = enqueue("gated")
    worker = start_worker("--max-concurrent=1").ready()
    wait_for(running, "running")
    waiting = enqueue("gated")
    worker.signal(number)
    wait_until(lambda: "stopping" in worker.output(), "the worker has heard it")
    gate.touch()
    assert worker.ended() == 0
    running.refresh_from_db()
    waiting.refresh_from_db()
    assert (running.status, waiting.status) == ("completed", "pending")
    assert Worker.objects.get().state == "stopped"


def test_after_the_drain_time_the_job_is_stopped_and_given_back_without_burning_an_attempt(tools, start_worker):
    tools.add("endless", LONG)
    job = enqueue("endless")
    worker = start_worker(DRAIN_SECONDS="0.5").ready()
    wait_for(job, "running")
    worker.signal(signal.SIGTERM)
    assert worker.ended() == 0
    job.refresh_from_db()
    assert (job.status, job.attempts, job.interruptions) == ("pending", 0, 1)
    assert not processes_with(f"SYNOPS_JOB_ID={job.pk}")


def test_the_second_signal_gives_everything_back_now(tools, start_worker):
    tools.add("endless", LONG)
    job = enqueue("endless")
    worker = start_worker(TERM_GRACE_SECONDS="600").ready()
    wait_for(job, "running")
    worker.signal(signal.SIGINT)
    wait_until(lambda: "stopping" in worker.output(), "the first signal is heard")
    worker.signal(signal.SIGINT)
    assert worker.ended() == 0
    job.refresh_from_db()
    assert job.status == "pending"
    assert not Job.objects.filter(status="running").exists()
    assert not processes_with(f"SYNOPS_JOB_ID={job.pk}")


def test_a_stop_that_comes_before_the_program_has_started_still_stops_it(tools, start_worker, tmp_path):
    started = tmp_path / "started"
    collection = make_collection("desk")
    node = make_node("media", into=collection)
    param = {"name": "node", "flag": "--node", "type": "uuid", "required": True}
    tools.add("endless", f"touch {started}; {LONG}", params=[param])
    worker = start_worker(TERM_GRACE_SECONDS="600").ready()
    with committing_connection() as own, own.transaction():
        own.execute("LOCK TABLE edges IN ACCESS EXCLUSIVE MODE")  # the job is claimed, but its payload can't be checked
        job = enqueue("endless", payload={"node": str(node.pk)}, collection=collection.pk)
        wait_for(job, "running")
        worker.signal(signal.SIGINT)
        wait_until(lambda: "stopping" in worker.output(), "the first signal is heard")
        worker.signal(signal.SIGINT)
        wait_until(lambda: "stopping now" in worker.output(), "the second signal is heard")
    assert worker.ended() == 0
    job.refresh_from_db()
    assert job.status == "pending"
    assert not started.exists()


def test_a_lost_database_connection_delays_a_result_and_loses_nothing(tools, start_worker, tmp_path):
    gate = tmp_path / "gate"
    tools.add("gated", f"while [ ! -e {gate} ]; do sleep 0.05; done; echo 1")
    job = enqueue("gated")
    worker = start_worker().ready()
    wait_for(job, "running")
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
            "WHERE application_name LIKE 'synops-worker%%' AND datname = current_database()"
        )
    gate.touch()
    wait_for(job, "completed")
    assert job.attempts == 1
    wait_until(lambda: Worker.objects.get().listening, "the worker listens again")
    wait_for(enqueue("gated"), "completed")
    worker.signal(signal.SIGTERM)
    assert worker.ended() == 0


def test_a_worker_that_was_given_up_goes_on_under_a_new_identity(tools, start_worker, tmp_path):
    gate = tmp_path / "gate"
    tools.add("gated", f"while [ ! -e {gate} ]; do sleep 0.05; done; echo 1")
    job = enqueue("gated")
    start_worker().ready()
    wait_for(job, "running")
    Worker.objects.update(state="lost", stopped_at=Now())
    wait_until(lambda: Worker.objects.filter(state="running").exists(), "a new identity")
    gate.touch()
    wait_for(job, "completed")


def test_several_workers_never_run_more_of_a_type_than_its_limit(tools, start_worker, tmp_path):
    PriorityRule.objects.create(job_type="single", max_concurrent=1)
    tools.add("single", f"mkdir {tmp_path}/busy || exit 9; sleep 0.05; rmdir {tmp_path}/busy; echo 1")
    jobs = [enqueue("single") for _ in range(12)]
    for _ in range(3):
        start_worker("--max-concurrent=4")
    for job in jobs:
        wait_for(job, "completed", 60)
    assert set(Attempt.objects.values_list("exit_code", flat=True)) == {0}, "two programs met"
