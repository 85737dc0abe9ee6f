"""What is old goes, what is not stays, and the counts are kept."""

from __future__ import annotations

import os
import time

import pytest
from django.core.management import call_command
from django.db import connection

from jobs import queue, retention, unreferenced
from jobs.models import Job, JobCount, LogChunk
from jobs.retention import Ages
from synops.graph.models import Node
from synops.store.files import FileStore
from tests.jobs.arrange import add_worker, claim, django_cursor, fail, new_job, succeed

pytestmark = [pytest.mark.django_db, pytest.mark.sql]

AGES = Ages(job_days=30, log_days=14)


@pytest.fixture
def cursor(db):
    with django_cursor() as cursor:
        yield cursor


def finished(cursor, *, days: int, job_type: str = "alpha", good: bool = True):
    id = queue.enqueue(cursor, new_job(job_type))
    [job] = claim(cursor, add_worker(cursor), types=[job_type])
    queue.append_log(cursor, [queue.LogText(job, 1, "head", "tekst")])
    queue.finish(cursor, [succeed(job) if good else fail(job, permanent=True)])
    past = {"id": id, "days": days}
    cursor.execute(
        "UPDATE job_queue SET created_at = now() - make_interval(days => %(days)s), "
        "completed_at = now() - make_interval(days => %(days)s) WHERE id = %(id)s",
        past,
    )
    cursor.execute(
        "UPDATE job_log SET created_at = now() - make_interval(days => %(days)s) WHERE job_id = %(id)s", past
    )
    return id


def test_old_finished_jobs_go_and_are_counted(cursor):
    old = [finished(cursor, days=31), finished(cursor, days=31), finished(cursor, days=31, good=False)]
    young = finished(cursor, days=29)
    waiting = queue.enqueue(cursor, new_job("beta"))
    cursor.execute("UPDATE job_queue SET created_at = now() - interval '1 year' WHERE id = %(id)s", {"id": waiting})
    assert retention.expire_jobs(cursor, AGES.job_days) == 3
    assert set(Job.objects.values_list("pk", flat=True)) == {young, waiting}
    assert not LogChunk.objects.filter(job_id__in=old).exists()
    assert dict(JobCount.objects.values_list("outcome", "jobs")) == {"succeeded": 2, "failed": 1}
    finished(cursor, days=31)
    retention.expire_jobs(cursor, AGES.job_days)
    assert JobCount.objects.get(outcome="succeeded").jobs == 3


def test_a_dead_letter_stays_until_somebody_decides(cursor):
    letter = finished(cursor, days=400, job_type="pg_insert_node", good=False)
    finished(cursor, days=400, job_type="pg_insert_node")
    assert retention.expire_jobs(cursor, AGES.job_days) == 1
    assert [job.pk for job in Job.objects.all()] == [letter]
    assert [change.id for change in queue.retry(cursor, [letter])] == [letter], "redrive"


def test_logs_go_before_their_jobs(cursor):
    job = finished(cursor, days=20)
    assert retention.expire_batch(cursor, AGES) == 1
    assert Job.objects.filter(pk=job).exists()
    assert not LogChunk.objects.exists()


@pytest.mark.django_db(transaction=True)
def test_a_row_that_somebody_holds_is_passed_over_and_a_second_pruner_does_nothing():
    import psycopg

    with django_cursor() as cursor:
        held, free = finished(cursor, days=40), finished(cursor, days=40)
    parameters = connection.get_connection_params()
    for name in ("cursor_factory", "context"):
        parameters.pop(name, None)
    with psycopg.connect(**parameters) as other:
        other.execute("SELECT 1 FROM job_queue WHERE id = %s FOR UPDATE", [held])
        with django_cursor() as cursor:
            assert retention.expire_jobs(cursor, AGES.job_days) == 1
        assert retention.try_to_be_the_one(other.cursor())
        with django_cursor() as cursor:
            assert retention.expire_batch(cursor, AGES) == 0
    assert [job.pk for job in Job.objects.all()] == [held]
    assert free


def test_prune_deletes_old_files_that_nothing_names(cursor, tmp_path, settings, capsys):
    settings.STORE_DIR = tmp_path / "store"
    store = FileStore(settings.STORE_DIR)
    kept = {
        "node": store.put_bytes(b"named by a node"),
        "job": store.put_bytes(b"named by a job"),
        "young": store.put_bytes(b"young"),
    }
    loose = store.put_bytes(b"named by nobody")
    for stored in (kept["node"], kept["job"], loose):
        os.utime(store.path(stored.digest), (time.time() - 2 * unreferenced.YOUNGEST_SECONDS,) * 2)
    Node.objects.create(node_kind="media", metadata={"cas_hash": kept["node"].digest})
    queue.enqueue(cursor, new_job(payload={"cas_hash": kept["job"].digest}))
    call_command("prune")
    assert capsys.readouterr().out == "0 rows and 1 files (0.0 MB) deleted\n"
    assert {name for name, stored in kept.items() if store.exists(stored.digest)} == {"node", "job", "young"}
    assert not store.exists(loose.digest)
