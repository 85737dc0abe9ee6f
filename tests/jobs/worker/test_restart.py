"""The database server itself is restarted, the hard way, while a job runs: a server of its own, because others need theirs."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

import psycopg
import pytest

from jobs import queue
from tests.deadline import wait_until
from tests.jobs.arrange import new_job
from tests.jobs.worker.conftest import processes_with
from tests.server import own_server


@pytest.fixture
def root():
    """Outside pytest's own folder, which the server's user may not enter."""
    with tempfile.TemporaryDirectory(prefix="synops-test-") as folder:
        yield Path(folder) / "cluster"


def test_a_restart_in_mid_job_delays_its_result_and_the_worker_hears_new_work_again(
    root, tools, start_worker, tmp_path
):
    gate = tmp_path / "gate"
    tools.add("gated", f"while [ ! -e {gate} ]; do sleep 0.05; done; echo '\"through\"'")
    tools.add("quick", "echo 1")
    root.mkdir()
    chosen = os.environ.get("SYNOPS_TEST_POSTGRES_BIN")
    with own_server(root, ["fsync=off"], Path(chosen) if chosen else None) as server:
        server.migrate({**os.environ, "DATABASE_URL": server.url})
        gated = enqueue(server.url, "gated")
        worker = start_worker("--poll-interval=3600s", DATABASE_URL=server.url).ready()
        wait_until(lambda: processes_with(f"SYNOPS_JOB_ID={gated}"), "its program runs")
        server.restart_immediately()
        gate.touch()
        wait_until(lambda: read(server.url, gated)[0] == "completed", "its result is reported afterwards")
        assert read(server.url, gated) == ("completed", 1, 0, "through"), "by the same attempt"
        wait_until(lambda: listening(server.url), "the worker listens again")
        quick = enqueue(server.url, "quick")
        wait_until(lambda: read(server.url, quick)[0] == "completed", "a notification wakes it, long before its poll")
        worker.process.terminate()
        assert worker.ended() == 0


def enqueue(url: str, job_type: str):
    with psycopg.connect(url) as connection, connection.cursor() as cursor:
        return queue.enqueue(cursor, new_job(job_type))


def read(url: str, job):
    with psycopg.connect(url) as connection:
        return connection.execute(
            "SELECT status::text, attempts, interruptions, result #>> '{}' FROM job_queue WHERE id = %s", [job]
        ).fetchone()


def listening(url: str):
    with psycopg.connect(url) as connection:
        return connection.execute("SELECT bool_or(listening) FROM workers WHERE state = 'running'").fetchone()[0]
