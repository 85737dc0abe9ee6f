"""Bulk operations: thousands of jobs by a filter, in pieces that count once, under rights that are asked again."""

from __future__ import annotations

import threading
from datetime import datetime, timedelta
from typing import Any

import pytest
from django.contrib.admin.models import LogEntry
from django.contrib.auth.models import User
from django.db import connection, transaction
from django.test import Client
from django.utils import timezone

from jobs.bulk import beginning, pieces
from jobs.bulk.beginning import Chosen, begin, numbers
from jobs.bulk.pieces import do_piece
from jobs.models import BulkOperation, Job
from jobs.operations import CANCEL, CHUNK, DISCARD, OPERATIONS, PRIORITISE, RETRY
from synops.graph.models import Edge
from tests.benchmarks.admin.filling import WAITING
from tests.jobs.admin.test_actions import LIST, choose, said
from tests.jobs.making import ended_job, make_job, running_job
from tests.people import make_collection, make_user

pytestmark = pytest.mark.django_db

MANY = 2_500
PAGES = "/admin/jobs/bulkoperation/"


@pytest.fixture
def operator() -> Any:
    return make_user("operator", "jobs.view_job", *(one.permission for one in OPERATIONS.values()))


@pytest.fixture
def client(operator: Any) -> Client:
    client = Client(headers={"accept-language": "en"})
    client.force_login(operator)
    return client


def fill(collection: Any, rows: int = MANY) -> None:
    """Waiting jobs of the type `lyd`."""
    with connection.cursor() as cursor:
        cursor.execute(WAITING, {"collection": collection.pk, "rows": rows})


def work() -> int:
    """What a worker's loop does; how many pieces it was."""
    done = 0
    while do_piece():
        done += 1
    return done


def begun(operator: Any, operation: Any, filters: Any = None, value: Any = None) -> BulkOperation:
    rows = Job.objects.visible_to(operator)
    return begin(operation, operator, Chosen(filters or {}), numbers(rows, operation), value)


def test_a_whole_filter_is_left_to_the_workers_and_the_page_says_what_became_of_it(client: Client, operator: Any):
    collection, hidden = make_collection("Podcast", operator), make_collection("Hemmelig")
    fill(collection)
    fill(hidden, 10)
    one = ended_job(collection, "succeeded", "lyd")
    running_job(collection, "lyd"), make_job(collection, "rss")
    asked = choose(client, "prioritise_selected", one, confirm=False, across=True, query="?type=lyd")
    page = asked.content.decode()
    assert (asked.context["total"], asked.context["possible"]) == (MANY + 2, MANY)
    assert "left to the workers" in page

    data = {"action": "prioritise_selected", "_selected_action": [str(one.pk)], "select_across": "1", "confirm": "yes"}
    answer = client.post(f"{LIST}?type=lyd&p=", {**data, "priority": "9"})
    bulk = BulkOperation.objects.get()
    assert answer.headers["Location"] == f"{PAGES}{bulk.pk}/change/"
    assert "waits for a worker" in client.get(answer.headers["Location"]).content.decode()
    assert not Job.objects.filter(priority=9).exists(), "the request itself changes nothing"
    later = make_job(collection, "lyd", created_at=timezone.now() + timedelta(minutes=1))

    assert work() == -(-MANY // CHUNK) + 1
    bulk.refresh_from_db()
    assert (bulk.changed, bulk.skipped, bulk.seen) == (MANY, {"running": 1, "succeeded": 1}, bulk.total)
    assert bulk.finished_at is not None
    assert Job.objects.filter(priority=9).count() == MANY
    assert not Job.objects.filter(priority=9).exclude(job_type="lyd", collection_node=collection).exists()
    later.refresh_from_db()
    assert later.priority == 0, "what came after the question was not part of the answer"
    assert LogEntry.objects.filter(user=operator, change_message="Priority changed.").count() == MANY
    page = client.get(f"{PAGES}{bulk.pk}/change/").content.decode()
    assert "2,500" in page
    assert "1 running" in page
    assert "done" in page


def test_a_time_to_defer_to_is_kept_as_it_was_told(client: Client, operator: Any):
    job = make_job(make_collection("Podcast", operator))
    until = timezone.now() + timedelta(days=2)
    bulk = begun(operator, OPERATIONS["defer"], value=until)
    work()
    job.refresh_from_db()
    assert job.scheduled_for == until
    page = client.get(f"{PAGES}{bulk.pk}/change/").content.decode()
    assert f"Defer: {timezone.localtime(until).day} " in page
    for operation, value in ((RETRY, None), (PRIORITISE, 0)):
        begun(operator, operation, value=value)
    page = client.get(PAGES).content.decode()
    assert "Change priority: 0" in page


def test_few_are_done_at_once(client: Client, operator: Any, monkeypatch: pytest.MonkeyPatch):
    collection = make_collection("Podcast", operator)
    fill(collection, 20)
    job = running_job(collection, "rss")
    answer = choose(client, "cancel_selected", job, across=True)
    assert said(answer) == "21 jobs cancelled."
    monkeypatch.setattr("jobs.admin.confirming.AT_ONCE", 20)
    assert (
        said(choose(client, "retry_selected", job, across=True))
        == "20 jobs are due now. 1 skipped (1 being cancelled)."
    )
    assert not BulkOperation.objects.exists()


def test_groups_of_failures_are_retried_by_the_workers_too(
    client: Client, operator: Any, monkeypatch: pytest.MonkeyPatch
):
    collection = make_collection("Podcast", operator)
    failed = [ended_job(collection, "failed", error_msg=f"no model number {number}") for number in range(3)]
    other = ended_job(collection, "failed", error_msg="another thing")
    (key,) = [one.key for one in client.get("/admin/failures/").context["groups"] if one.jobs == 3]
    monkeypatch.setattr("jobs.admin.confirming.AT_ONCE", 2)
    client.post("/admin/failures/", {"key": key, "confirm": "yes"})
    work()
    assert {job.pk for job in Job.objects.filter(status="pending")} == {job.pk for job in failed}
    other.refresh_from_db()
    assert other.status == "error"


def test_deleting_goes_on_where_it_was(operator: Any, monkeypatch: pytest.MonkeyPatch):
    """Rows that vanish or stay in their state are taken once each."""
    monkeypatch.setattr(pieces, "CHUNK", 4)
    collection = make_collection("Podcast", operator)
    for number in range(10):
        ended_job(collection, "failed" if number % 2 else "succeeded")
    make_job(collection)
    bulk = begun(operator, DISCARD)
    assert work() == 4
    bulk.refresh_from_db()
    assert (bulk.changed, bulk.skipped, bulk.seen, bulk.total) == (10, {"pending": 1}, 11, 11)
    assert Job.objects.count() == 1


def test_a_right_or_an_access_that_is_lost_meanwhile_counts(operator: Any, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(pieces, "CHUNK", 5)
    ours, theirs = make_collection("Vår", operator), make_collection("Deres", operator)
    fill(ours, 10)
    fill(theirs, 10)
    first = begun(operator, PRIORITISE, value=7)
    Edge.objects.filter(source__user=operator, target=theirs).delete()
    work()
    first.refresh_from_db()
    assert first.changed == 10
    assert not Job.objects.filter(collection_node=theirs, priority=7).exists()
    second = begun(operator, PRIORITISE, value=8)
    do_piece()
    User.objects.get(pk=operator.pk).user_permissions.clear()
    work()
    second.refresh_from_db()
    assert (second.changed, second.error) == (5, "jobs.prioritise_job is needed")


def test_it_is_stopped_by_who_asked_for_it_and_nobody_else_sees_it(
    client: Client, operator: Any, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(pieces, "CHUNK", 5)
    fill(make_collection("Podcast", operator), 20)
    bulk = begun(operator, CANCEL)
    do_piece()
    other = Client(headers={"accept-language": "en"})
    other.force_login(make_user("annen", "jobs.view_job", "jobs.cancel_job"))
    assert other.get(f"{PAGES}{bulk.pk}/change/").status_code == 302
    assert other.post(f"{PAGES}{bulk.pk}/stop/").status_code == 403
    assert "Stop" in client.get(f"{PAGES}{bulk.pk}/change/").content.decode()
    assert client.post(f"{PAGES}{bulk.pk}/stop/").status_code == 302
    work()
    bulk.refresh_from_db()
    assert (bulk.changed, bulk.finished_at is None) == (5, False)
    assert "stopped" in client.get(PAGES).content.decode()
    assert client.post(f"{PAGES}{bulk.pk}/stop/").status_code == 403, "it is over"
    assert LogEntry.objects.filter(object_id=str(bulk.pk), user=operator, change_message="Asked to stop.").exists()


def test_a_reader_can_neither_begin_nor_stop_one(operator: Any):
    collection = make_collection("Podcast", operator)
    fill(collection, 3)
    reader = make_user("leser", "jobs.view_job")
    with pytest.raises(PermissionError):
        begun(reader, CANCEL)
    bulk = begun(operator, CANCEL)
    BulkOperation.objects.filter(pk=bulk.pk).update(user=reader)
    client = Client()
    client.force_login(reader)
    assert client.post(f"{PAGES}{bulk.pk}/stop/").status_code == 403
    for address in ("change/", "delete/", "history/"):
        client.post(f"{PAGES}{bulk.pk}/{address}", {"post": "yes"})
    work()
    bulk.refresh_from_db()
    assert (bulk.changed, bulk.error) == (0, "jobs.cancel_job is needed")
    assert Job.objects.filter(status="pending").count() == 3


def test_what_can_not_go_on_ends_with_a_sentence_and_the_next_one_goes_on(operator: Any):
    fill(make_collection("Podcast", operator), 3)
    broken, good = begun(operator, CANCEL, {"type": "lyd"}), begun(operator, CANCEL)
    BulkOperation.objects.filter(pk=broken.pk).update(filters={"status": "nonsense"})
    work()
    broken.refresh_from_db()
    good.refresh_from_db()
    assert "not valid" in broken.error
    assert (broken.changed, good.changed) == (0, 3)


def test_the_last_hour_stays_the_hour_before_the_question(operator: Any):
    collection = make_collection("Podcast", operator)
    job = make_job(collection)
    bulk = begun(operator, CANCEL, {"period": "1h", "after": "x", "type": "", "created_after": "2001-01-01T00:00Z"})
    assert set(bulk.filters) == {"created_after"}
    began = datetime.fromisoformat(bulk.filters["created_after"])
    assert 3_590 < (timezone.now() - began).total_seconds() < 3_700
    work()
    job.refresh_from_db()
    assert job.outcome == "cancelled"
    assert beginning.fixed({"created_after": "2099-01-01T00:00Z", "period": "1h"})["created_after"].startswith("2099")


def test_jobs_with_one_dedupe_key_are_retried_once(client: Client, operator: Any):
    """Two failures of the same recurring job: the second would be a duplicate of the first."""
    collection = make_collection("Podcast", operator)
    twins = [ended_job(collection, "failed", "rss", dedupe_key="feed") for _ in range(2)]
    answer = choose(client, "retry_selected", *twins)
    assert said(answer) == "1 job is due now. 1 skipped (1 failed)."
    assert Job.objects.get(status="pending").pk == max(twins, key=lambda job: (job.created_at, job.pk)).pk
    begun(operator, RETRY)
    work()
    assert BulkOperation.objects.get().error == ""


@pytest.mark.django_db(transaction=True)
def test_two_workers_never_do_the_same_piece(operator: Any, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(pieces, "CHUNK", 20)
    fill(make_collection("Podcast", operator), 400)
    bulk = begun(operator, PRIORITISE, value=3)
    with transaction.atomic():
        BulkOperation.objects.select_for_update().get(pk=bulk.pk)
        answers: list[bool] = []
        in_threads(lambda: answers.append(do_piece()))
        assert answers == [False], "another worker has it in hand"
    in_threads(work, work)
    work()
    bulk.refresh_from_db()
    assert (bulk.changed, bulk.seen, bulk.total) == (400, 400, 400)
    assert LogEntry.objects.filter(change_message="Priority changed.").count() == 400


def in_threads(*tasks: Any) -> None:
    """Each with a connection of its own, until all are done."""

    def run(task: Any) -> None:
        try:
            task()
        finally:
            connection.close()

    threads = [threading.Thread(target=run, args=[task]) for task in tasks]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
