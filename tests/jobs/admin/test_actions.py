"""Retry and cancel: own rights, each job checked when it happens, a question before and a sentence after."""

from __future__ import annotations

from typing import Any

import pytest
from django.contrib.admin.models import LogEntry
from django.contrib.messages import get_messages
from django.test import Client

from jobs.models import Job
from jobs.queue import Changed
from jobs.registries import registries
from tests.jobs.making import ended_job, make_job, running_job
from tests.people import make_collection, make_user

pytestmark = pytest.mark.django_db

LIST = "/admin/jobs/job/"
OPERATOR = ("jobs.view_job", "jobs.retry_job", "jobs.cancel_job")


@pytest.fixture
def operator() -> Any:
    return make_user("operator", *OPERATOR)


@pytest.fixture
def client(operator: Any) -> Client:
    client = Client(headers={"accept-language": "en"})
    client.force_login(operator)
    return client


def choose(client: Client, action: str, *jobs: Job, confirm: bool = True, across: bool = False, query: str = "") -> Any:
    data = {
        "action": action,
        "_selected_action": [str(job.pk) for job in jobs],
        "select_across": "1" if across else "0",
    }
    if confirm:
        data["confirm"] = "yes"
    return client.post(LIST + query, data)


def said(response: Any) -> str:
    """The newest sentence; older ones stay until a page shows them."""
    return [str(message) for message in get_messages(response.wsgi_request)][-1]


def status(job: Job) -> tuple[str, str | None]:
    job.refresh_from_db()
    return job.status, job.outcome


def test_the_action_asks_first(client: Client, operator: Any):
    collection = make_collection("Podcast", operator)
    failed, running = ended_job(collection, "failed"), running_job(collection)
    response = choose(client, "retry_selected", failed, running, confirm=False)
    page = response.content.decode()
    assert "2 jobs are chosen;" in page
    assert "1 can be changed now." in page
    assert status(failed) == ("error", "failed")


def test_retry_and_cancel_say_what_changed_and_why_the_rest_did_not(client: Client, operator: Any):
    collection = make_collection("Podcast", operator)
    failed, waiting, running = ended_job(collection, "failed"), make_job(collection), running_job(collection)
    done = ended_job(collection, "succeeded")

    response = choose(client, "retry_selected", failed, waiting, running, done)
    assert said(response) == "1 job is due now. 3 skipped (1 waiting, 1 running, 1 completed)."
    assert status(failed) == ("pending", None)

    response = choose(client, "cancel_selected", failed, waiting, running, done)
    assert said(response) == "3 jobs cancelled. 1 skipped (1 completed)."
    assert status(waiting) == ("error", "cancelled")
    assert status(running) == ("running", None)
    assert running.cancel_requested_at is not None


def test_everything_that_the_filter_finds_and_nothing_else(client: Client, operator: Any):
    collection, hidden = make_collection("Podcast", operator), make_collection("Hidden")
    failed = [ended_job(collection, "failed", "rss") for _ in range(3)]
    other, unseen = ended_job(collection, "failed", "checksum"), ended_job(hidden, "failed", "rss")
    response = choose(client, "retry_selected", failed[0], across=True, query="?type=rss")
    assert said(response) == "3 jobs are due now."
    assert {status(job) for job in failed} == {("pending", None)}
    assert status(other) == status(unseen) == ("error", "failed")


def test_a_job_that_may_not_be_seen_is_not_touched(client: Client):
    unseen = ended_job(make_collection("Hidden"), "failed")
    response = choose(client, "retry_selected", unseen)
    assert said(response) == "0 jobs are due now."
    assert client.post(f"{LIST}{unseen.pk}/retry/").status_code == 403
    assert status(unseen) == ("error", "failed")


@pytest.mark.parametrize("action", ["retry", "cancel"])
def test_a_reader_can_do_neither(action: str):
    reader = make_user("reader", "jobs.view_job")
    collection = make_collection("Podcast", reader)
    job = ended_job(collection, "failed") if action == "retry" else make_job(collection)
    before = status(job)
    client = Client()
    client.force_login(reader)
    choose(client, f"{action}_selected", job)
    assert client.post(f"{LIST}{job.pk}/{action}/").status_code == 403
    assert status(job) == before


def test_each_right_stands_alone():
    user = make_user("half", "jobs.view_job", "jobs.retry_job")
    collection = make_collection("Podcast", user)
    failed, waiting = ended_job(collection, "failed"), make_job(collection)
    client = Client()
    client.force_login(user)
    assert client.post(f"{LIST}{failed.pk}/retry/").status_code == 302
    assert client.post(f"{LIST}{waiting.pk}/cancel/").status_code == 403
    assert (status(failed), status(waiting)) == (("pending", None), ("pending", None))


def test_buttons_are_forms_and_lead_back(client: Client, operator: Any):
    job = ended_job(make_collection("Podcast", operator), "failed")
    assert client.get(f"{LIST}{job.pk}/retry/").status_code == 405
    response = client.post(f"{LIST}{job.pk}/retry/", {"from_list": "status=error&type=checksum"})
    assert response.headers["Location"] == f"{LIST}?status=error&type=checksum"
    response = client.post(f"{LIST}{job.pk}/cancel/")
    assert response.headers["Location"] == f"{LIST}{job.pk}/change/"
    response = client.post(f"{LIST}{job.pk}/cancel/")
    assert said(response) == "0 jobs cancelled. 1 skipped (1 cancelled)."


def test_a_button_without_csrf_token_is_refused(operator: Any):
    job = ended_job(make_collection("Podcast", operator), "failed")
    strict = Client(enforce_csrf_checks=True)
    strict.force_login(operator)
    assert strict.post(f"{LIST}{job.pk}/retry/").status_code == 403
    assert status(job) == ("error", "failed")


def test_the_history_names_who_did_it(client: Client, operator: Any):
    job = ended_job(make_collection("Podcast", operator), "failed")
    client.post(f"{LIST}{job.pk}/retry/")
    entry = LogEntry.objects.get(object_id=str(job.pk))
    assert (entry.user, entry.change_message) == (operator, "Retried.")
    assert "Retried." in client.get(f"{LIST}{job.pk}/history/").content.decode()


def test_those_who_wait_for_a_job_are_told_that_it_was_cancelled(
    client: Client, operator: Any, monkeypatch: pytest.MonkeyPatch, django_capture_on_commit_callbacks: Any
):
    told: list[Changed] = []
    monkeypatch.setattr(registries, "on_finished", [told.extend])
    collection = make_collection("Podcast", operator)
    waiting, running = make_job(collection), running_job(collection)
    with django_capture_on_commit_callbacks(execute=True):
        choose(client, "cancel_selected", waiting, running)
    assert [job.id for job in told] == [waiting.pk]
