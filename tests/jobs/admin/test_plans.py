"""What the pages ask reads indexes and never the whole queue: plans on 30,000 rows with fresh statistics."""

from __future__ import annotations

from typing import Any

import pytest
from django.db import connection
from django.db.models import QuerySet

from jobs import statistics
from jobs.filters import found
from jobs.keyset import PLACE_OF_ROW, Place, at
from jobs.models import Job
from synops.graph.admin.paginator import BOUND
from synops.graph.models import Edge, Node
from synops.store.sql import load
from tests.benchmarks.admin.filling import ATTEMPTS, FILL, GONE, WAITING, WORKER
from tests.jobs.making import make_job
from tests.people import make_collection, make_user

pytestmark = [pytest.mark.django_db, pytest.mark.sql]

ROWS = 30_000


@pytest.fixture
def collection() -> Any:
    place = make_collection("Podcast")
    with connection.cursor() as cursor:
        cursor.execute(FILL, {"collection": place.pk, "rows": ROWS})
        cursor.execute(WAITING, {"collection": place.pk, "rows": 500})
        cursor.execute(ATTEMPTS, {"worker": WORKER, "gone": GONE, "rows": ROWS})
        cursor.execute("ANALYZE job_queue, job_attempts")
    return place


def plan(rows: QuerySet[Any] | str, parameters: Any = None) -> str:
    with connection.cursor() as cursor:
        sql, values = rows.query.sql_with_params() if isinstance(rows, QuerySet) else (rows, parameters)
        cursor.execute(f"EXPLAIN {sql}", values)
        return "\n".join(row[0] for row in cursor.fetchall())


def assert_reads(text: str, index: str) -> None:
    assert index in text, text
    assert "Seq Scan on job_queue" not in text, text


def test_pages_of_the_list(collection: Any):
    from django.db.models.lookups import LessThan

    newest = Job.objects.order_by("-created_at", "-id")
    assert_reads(plan(newest[:51]), "job_queue_created")
    place = Place.of(newest[20_000])
    assert_reads(plan(newest.filter(LessThan(PLACE_OF_ROW, at(place)))[:51]), "job_queue_created")
    for query, index in (
        ({"status": "error"}, "job_queue_status_created"),
        ({"collection_id": str(collection.pk)}, "job_queue_"),
        ({"error": "x"}, "job_queue_"),
        ({"run_id": str(collection.pk)}, "job_queue_run"),
        ({"period": "1h"}, "job_queue_created"),
    ):
        assert_reads(plan(found(query, Job.objects.all())[1].order_by("-created_at", "-id")[:51]), index)


@pytest.mark.parametrize("query", [{"type": "rare"}, {"type": "rare", "status": "completed"}])
def test_a_rare_type_is_not_looked_for_in_every_job(collection: Any, query: dict[str, str]):
    """Only in the ranges of the heap that may hold it, whose summaries cost an enqueue next to nothing."""
    for number in range(3):
        Job.objects.filter(pk=Job.objects.order_by("created_at")[number * 100].pk).update(job_type="rare")
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE job_queue")
    rows = found(query, Job.objects.all())[1]
    for asked in (rows.order_by("-created_at", "-id")[:51], rows.order_by()[: BOUND + 1].values("pk")):
        assert_reads(plan(asked), "job_queue_type")


def test_somebody_who_sees_little_reads_little(collection: Any):
    """Of the millions in between nothing is read; whoever sees most of them still reads in the list's order."""
    guest, member = make_user("guest"), make_user("member")
    make_job(make_collection("Tom", guest))
    Edge.objects.create(
        source=Node.objects.create(user=member, node_kind="person"), target=collection, edge_type="member"
    )

    def first_page(user: Any) -> str:
        return plan(Job.objects.visible_to(user).order_by("-created_at", "-id")[:51])

    assert_reads(first_page(guest), "job_queue_collection")
    assert_reads(first_page(member), "job_queue_c")
    assert "Sort" not in first_page(member)


@pytest.mark.parametrize(
    ("value", "index", "few"),
    [(GONE, "worker", True), ("kjelleren", "machine", True), (WORKER, "worker", False), ("studio", "machine", False)],
)
def test_jobs_of_a_worker(collection: Any, monkeypatch: pytest.MonkeyPatch, value: str, index: str, few: bool):
    """A few attempts are an array of ids; with many the list is walked from where the worker was last at work."""
    monkeypatch.setattr("jobs.filters.FEW_ATTEMPTS", 1_000)
    text = plan(found({"worker": value}, Job.objects.all())[1].order_by("-created_at", "-id")[:51])
    assert_reads(text, f"job_attempts_{index}")
    assert_reads(text, "job_queue_pkey" if few else "job_queue_created")
    assert "Seq Scan on job_attempts" not in text, text


def test_counts_of_the_head(collection: Any):
    for status in ("pending", "running", "retry", "error"):
        text = plan(Job.objects.filter(status=status).order_by()[: BOUND + 1].values("pk"))
        assert "Seq Scan on job_queue" not in text, text


def test_figures_of_the_front_page(collection: Any):
    everything = statistics.sight(make_user("boss", superuser=True))
    assert_reads(plan(load("jobs.sql", "ended_lately"), {"hours": 1, **everything}), "job_queue_completed")
    assert_reads(plan(load("jobs.sql", "oldest_waiting"), everything), "job_queue_claim")
    assert_reads(plan(load("jobs.sql", "types_now"), {"types": ["rss"], **everything}), "job_queue_claim")
    held = {"live_call": True, "disk_full": True}
    assert "Seq Scan on job_queue" not in plan(load("jobs.sql", "held_back"), held)
    failures = f"{load('jobs.sql', 'failures')}\n{load('jobs.sql', 'failure_groups')}"
    assert_reads(plan(failures, {"hours": 1, **everything}), "job_queue_status_created")
