"""Run now, defer, change priority, delete; and new jobs by hand."""

from __future__ import annotations

from datetime import timedelta
from typing import Any
from uuid import uuid4

import pytest
from django.contrib.admin.models import DELETION, LogEntry
from django.test import Client
from django.utils import timezone

from jobs.models import Attempt, Job
from jobs.operations import DISCARD, OPERATIONS, perform
from synops.tools import checksum
from tests.jobs.admin.test_actions import LIST, choose, said, status
from tests.jobs.making import ended_job, make_job, running_job
from tests.people import make_collection, make_node, make_user

pytestmark = pytest.mark.django_db


@pytest.fixture
def operator() -> Any:
    rights = (one.permission for one in OPERATIONS.values())
    return make_user("operator", "jobs.view_job", "jobs.enqueue_job", *rights)


@pytest.fixture
def client(operator: Any) -> Client:
    client = Client(headers={"accept-language": "en"})
    client.force_login(operator)
    return client


def later(hours: int = 1) -> Any:
    return timezone.now() + timedelta(hours=hours)


def answer(client: Client, action: str, *jobs: Job, **told: str) -> Any:
    chosen = [str(job.pk) for job in jobs]
    return client.post(LIST, {"action": action, "_selected_action": chosen, "confirm": "yes", **told})


def test_run_now_makes_waiting_jobs_due(client: Client, operator: Any):
    collection = make_collection("Podcast", operator)
    waiting, due = make_job(collection, scheduled_for=later()), make_job(collection)
    response = answer(client, "run_now_selected", waiting, due, running_job(collection))
    assert said(response) == "1 job is due now. 2 skipped (1 waiting, 1 running)."
    waiting.refresh_from_db()
    assert waiting.scheduled_for <= timezone.now()


def test_defer_asks_how_long_and_keeps_the_attempts(client: Client, operator: Any):
    job = make_job(make_collection("Podcast", operator))
    asked = choose(client, "defer_selected", job, confirm=False)
    assert "10 minutes" in asked.content.decode()
    assert "defer" in said(answer(client, "defer_selected", job, later="24h"))
    job.refresh_from_db()
    assert timezone.now() + timedelta(hours=23) < job.scheduled_for < timezone.now() + timedelta(hours=25)
    at = timezone.localtime() + timedelta(days=3)
    answer(client, "defer_selected", job, later="at", until=f"{at:%Y-%m-%dT%H:%M}")
    job.refresh_from_db()
    assert abs(job.scheduled_for - at) < timedelta(minutes=1)
    assert job.attempts == 0


@pytest.mark.parametrize(
    ("told", "complaint"),
    [
        ({"later": "at"}, "Give a time."),
        ({"later": "at", "until": "2001-01-01T00:00"}, "This time is past."),
        ({"later": "at", "until": "soon"}, "Enter a valid date/time."),
        ({"later": "never"}, "Select a valid choice."),
        ({}, "This field is required."),
    ],
)
def test_a_time_that_can_not_be_is_asked_for_again(client: Client, operator: Any, told: Any, complaint: str):
    job = make_job(make_collection("Podcast", operator))
    before = job.scheduled_for
    assert complaint in answer(client, "defer_selected", job, **told).content.decode()
    job.refresh_from_db()
    assert job.scheduled_for == before or before is not None


@pytest.mark.parametrize("wrong", ["11", "-1", "x", "9" * 50])
def test_a_priority_is_from_0_to_10(client: Client, operator: Any, wrong: str):
    job = make_job(make_collection("Podcast", operator))
    assert "Select a valid choice." in answer(client, "prioritise_selected", job, priority=wrong).content.decode()
    assert said(answer(client, "prioritise_selected", job, priority="10")) == "1 job got another priority."
    job.refresh_from_db()
    assert job.priority == 10


def test_deleting_leaves_only_the_audit_entry(client: Client, operator: Any):
    collection = make_collection("Podcast", operator)
    ended, waiting = ended_job(collection, "failed"), make_job(collection)
    page = client.post(f"{LIST}{ended.pk}/discard/")
    assert "deleted for good" in page.content.decode()
    assert Job.objects.filter(pk=ended.pk).exists()
    response = answer(client, "discard_selected", ended, waiting)
    assert said(response) == "1 job deleted. 1 skipped (1 waiting)."
    assert not Job.objects.filter(pk=ended.pk).exists()
    assert not Attempt.objects.filter(job_id=ended.pk).exists()
    entry = LogEntry.objects.get(object_id=str(ended.pk))
    assert (entry.action_flag, entry.user, entry.object_repr) == (DELETION, operator, str(ended))


def test_the_page_of_a_job_offers_what_fits_it(client: Client, operator: Any):
    collection = make_collection("Podcast", operator)
    waiting, ended = make_job(collection, scheduled_for=later()), ended_job(collection, "succeeded")

    def offered(job: Job) -> set[str]:
        page = client.get(f"{LIST}{job.pk}/change/")
        return {operation.name for operation in page.context["operations"]}

    assert offered(waiting) == {"cancel", "run_now", "defer", "prioritise"}
    assert offered(ended) == {"discard"}
    response = client.post(f"{LIST}{waiting.pk}/defer/", {"confirm": "yes", "later": "10m"})
    assert response.headers["Location"] == f"{LIST}{waiting.pk}/change/"
    assert client.post(f"{LIST}{ended.pk}/discard/", {"confirm": "yes"}).headers["Location"] == f"{LIST}?"


def test_the_way_in_asks_for_the_right_itself():
    reader = make_user("reader", "jobs.view_job")
    job = ended_job(make_collection("Podcast", reader), "failed")
    with pytest.raises(PermissionError):
        perform(DISCARD, reader, [job.pk])


def test_two_people_act_on_the_same_job(client: Client, operator: Any):
    failed = ended_job(make_collection("Podcast", operator), "failed")
    assert said(client.post(f"{LIST}{failed.pk}/retry/")) == "1 job is due now."
    assert said(client.post(f"{LIST}{failed.pk}/retry/")) == "0 jobs are due now. 1 skipped (1 waiting)."
    assert status(failed) == ("pending", None)


# New jobs


@pytest.fixture
def tools() -> None:
    """What sync_tools would store; asking every program takes seconds."""
    described = checksum.DESCRIPTION.to_json() | {"available": True}
    make_node("cli_tool", "synops-checksum", metadata=described)


def test_a_new_job_has_the_form_of_its_tool(client: Client, operator: Any, tools: None):
    collection = make_collection("Podcast", operator)
    assert "checksum" in client.get(f"{LIST}new/").content.decode()
    form = client.get(f"{LIST}new/?type=checksum").context["form"]
    assert "param-cas_hash" in form.fields
    data = {"collection": str(collection.pk), "priority": "7", "param-cas_hash": "a" * 64}
    refused = client.post(f"{LIST}new/?type=checksum", data)
    assert "does not lie in the job" in refused.content.decode()
    assert not Job.objects.exists()
    make_node("media", "Lyd", into=collection, metadata={"cas_hash": "a" * 64})
    made = client.post(f"{LIST}new/?type=checksum", data)
    job = Job.objects.get()
    assert made.headers["Location"] == f"{LIST}{job.pk}/change/"
    assert (job.job_type, job.priority, job.payload) == ("checksum", 7, {"cas_hash": "a" * 64})
    assert LogEntry.objects.get(object_id=str(job.pk)).change_message == "Enqueued."

    copy = client.get(f"{LIST}new/?from={job.pk}")
    assert "a" * 64 in copy.content.decode()
    changed = {**data, "param-cas_hash": "b" * 64}
    assert "does not lie" in client.post(f"{LIST}new/?from={job.pk}", changed).content.decode()


def test_an_inline_type_takes_json_and_wrong_json_is_said(client: Client, operator: Any):
    collection = make_collection("Podcast", operator)
    data = {"collection": str(collection.pk), "payload": "{"}
    assert "Enter a valid JSON." in client.post(f"{LIST}new/?type=pg_insert_node", data).content.decode()
    data["payload"] = "[1]"
    assert "can&#x27;t be enqueued" in client.post(f"{LIST}new/?type=pg_insert_node", data).content.decode()
    assert not Job.objects.exists()


def test_no_job_is_made_in_an_unseen_collection_and_none_is_copied_from_there(client: Client, tools: None):
    hidden = make_collection("Hemmelig")
    job = make_job(hidden, payload={"cas_hash": "c" * 64})
    assert "c" * 64 not in client.get(f"{LIST}new/?from={job.pk}").content.decode()
    data = {"collection": str(hidden.pk), "param-cas_hash": "c" * 64}
    assert "valid choice" in client.post(f"{LIST}new/?type=checksum", data).content.decode()
    assert "No tool describes nothing" in client.get(f"{LIST}new/?type=nothing").content.decode()
    assert client.get(f"{LIST}new/?from={uuid4()}").status_code == 200
    assert Job.objects.count() == 1
