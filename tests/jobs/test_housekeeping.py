"""The queue's own schedules: they are there after a migration, and retention goes on until nothing old is left."""

from __future__ import annotations

from typing import Any

import pytest

from jobs import queue, retention
from jobs.models import Job, Schedule
from jobs.registries import registries
from jobs.worker.inline import run_batch
from tests.jobs.arrange import add_worker, django_cursor
from tests.jobs.making import ended_job
from tests.people import make_collection

pytestmark = pytest.mark.django_db


def test_the_shipped_schedules_are_there_with_their_descriptions():
    found = dict(Schedule.objects.filter(owner="code").values_list("name", "cron"))
    assert found["reconciliation"] == "*/10 * * * *"
    assert {"retention", "stats_parse"} <= found.keys()
    assert not Schedule.objects.filter(owner="code", description="").exists()


def test_retention_goes_on_while_its_batches_are_full(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(retention, "BATCH", 2)
    collection = make_collection("Podcast")
    for _ in range(5):
        ended_job(collection)
    with django_cursor() as cursor:
        cursor.execute(
            "UPDATE job_queue SET completed_at = now() - interval '90 days', created_at = now() - interval '91 days'"
        )
        Job.objects.create(collection_node=collection, job_type="retention", payload={})
        worker = add_worker(cursor)
        rounds: list[Any] = []
        while jobs := queue.claim_inline(cursor, worker_id=worker, types=["retention"]):
            rounds.append(run_batch(cursor, jobs, registries.inline))
    assert len(rounds) == 3
    assert not Job.objects.exclude(job_type="retention").exists()
