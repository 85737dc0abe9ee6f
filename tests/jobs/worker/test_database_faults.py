"""The database goes away in every way it can while a worker has jobs: nothing is lost, nothing is said a thousand times.

The worker reaches its PostgreSQL over a wire that the test can cut or freeze.
"""

from __future__ import annotations

import signal

import pytest
from django.db import connection

from jobs.models import Attempt
from resources.models import Worker
from tests.deadline import wait_until
from tests.jobs.worker.conftest import enqueue, processes_with, wait_for
from tests.jobs.worker.wire import wire_to
from tests.web import database_url

pytestmark = pytest.mark.django_db(transaction=True)

GATED = "while [ ! -e {gate} ]; do sleep 0.05; done; echo 1"


@pytest.fixture
def wire():
    with wire_to(database_url()) as wire:
        yield wire


def start_over(wire, start_worker, *options, **environment):
    over = {"DATABASE_URL": wire.address, "DATABASE_DIRECT_URL": wire.address}
    return start_worker(*options, **over, **environment).ready()


def test_an_outage_longer_than_the_ttl_delays_a_result_and_is_said_once(tools, start_worker, wire, tmp_path):
    gate = tmp_path / "gate"
    tools.add("gated", GATED.format(gate=gate))
    job = enqueue("gated")
    worker = start_over(wire, start_worker)
    wait_for(job, "running")
    said = len(worker.output())  # before the cut: it is noticed at once
    wire.cut()
    gate.touch()
    wait_until(lambda: not processes_with(f"SYNOPS_JOB_ID={job.pk}"), "the program has ended meanwhile")
    overdue = Worker.objects.get().heartbeat_at
    wait_until(lambda: seconds_since(overdue) > 3, "the outage lasts two TTLs")
    heard = worker.output()[said:]
    for once in ("no claim", "results wait", "no heartbeat", "wake-up connection is lost"):
        assert heard.count(once) == 1, heard
    wire.mend()
    assert wait_for(job, "completed").attempts == 1
    wait_until(lambda: Worker.objects.filter(state="running", listening=True).exists(), "it hears of new work again")
    wait_for(enqueue("gated"), "completed")
    worker.signal(signal.SIGTERM)
    assert worker.ended() == 0


def seconds_since(moment) -> float:
    with connection.cursor() as cursor:
        cursor.execute("SELECT extract(epoch FROM clock_timestamp() - %s)::float8", [moment])
        return cursor.fetchone()[0]


def test_a_frozen_wire_is_noticed_what_writes_is_stopped_and_the_rest_reports_later(
    tools, start_worker, wire, tmp_path
):
    gate = tmp_path / "gate"
    tools.add("reader", GATED.format(gate=gate))
    tools.add("writer", "sleep 600", database="write")
    reader, writer = enqueue("reader"), enqueue("writer")
    worker = start_over(wire, start_worker)
    for job in (reader, writer):
        wait_until(lambda job=job: processes_with(f"SYNOPS_JOB_ID={job.pk}"), "its program runs")
    wire.freeze()
    wait_until(
        lambda: not processes_with(f"SYNOPS_JOB_ID={writer.pk}"),
        "past its TTL the worker stops what writes, because others may run it now",
        20,
    )
    assert processes_with(f"SYNOPS_JOB_ID={reader.pk}"), "what only reads runs on"
    gate.touch()
    wire.mend()
    assert wait_for(reader, "completed", 60).attempts == 1
    wait_until(
        lambda: Attempt.objects.filter(job=writer, finished_at__isnull=False).exists(), "the writer was given back"
    )
    worker.signal(signal.SIGTERM)
    worker.signal(signal.SIGTERM)
    assert worker.ended() == 0


def test_a_killed_listener_is_back_and_new_work_wakes_it_at_once(tools, start_worker):
    tools.add("quick", "echo 1")
    start_worker("--poll-interval=3600s").ready()
    wait_until(lambda: Worker.objects.filter(listening=True).exists(), "the worker listens")
    killed = listener_pid()
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_terminate_backend(%s)", [killed])
    wait_until(lambda: listener_pid() not in (None, killed), "there is another listener")
    wait_for(enqueue("quick"), "completed")


def listener_pid() -> int | None:
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT pid FROM pg_stat_activity WHERE application_name = 'synops-worker-listener' "
            "AND datname = current_database() AND state = 'idle' AND query LIKE 'LISTEN%'"
        )
        found = cursor.fetchone()
    return found[0] if found else None
