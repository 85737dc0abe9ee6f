"""The job list: the spec's filters in the URL, counts per status, only what a person may see, and flat cost."""

from __future__ import annotations

import json
from datetime import timedelta
from html import unescape
from typing import Any
from uuid import uuid4

import pytest
from django.db import connection
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from django.utils.dateparse import parse_datetime

from jobs.models import Job
from synops.graph.admin.paginator import EstimatedPaginator
from tests.jobs.making import ended_job, make_job, running_job
from tests.people import make_collection, make_user

pytestmark = pytest.mark.django_db

LIST = "/admin/jobs/job/"


@pytest.fixture
def people() -> dict[str, Any]:
    member, other = make_user("member", "jobs.view_job"), make_user("other", "jobs.view_job")
    return {"member": member, "other": other, "boss": make_user("boss", superuser=True)}


def as_user(user: Any) -> Client:
    client = Client(headers={"accept-language": "en"})
    client.force_login(user)
    return client


def listed(client: Client, query: str = "") -> set[str]:
    response = client.get(LIST + query)
    assert response.status_code == 200
    return {str(job.pk) for job in response.context["cl"].result_list}


def test_the_address_is_the_one_of_the_spec(people: dict[str, Any]):
    assert reverse("admin:jobs_job_changelist") == LIST
    podcast, news = make_collection("Podcast", people["member"]), make_collection("News", people["member"])
    failed = ended_job(podcast, "failed", "rss")
    waiting, elsewhere = make_job(podcast, "rss"), make_job(news, "checksum")
    client = as_user(people["member"])

    assert listed(client) == {str(job.pk) for job in (failed, waiting, elsewhere)}
    assert listed(client, "?status=error") == {str(failed.pk)}
    assert listed(client, "?type=rss") == {str(failed.pk), str(waiting.pk)}
    assert listed(client, f"?collection_id={news.pk}") == {str(elsewhere.pk)}
    assert listed(client, f"?status=pending&type=rss&collection_id={podcast.pk}") == {str(waiting.pk)}


@pytest.mark.parametrize(
    "query", ["?status=nonsense", "?collection_id=7", f"?collection_id={'9' * 5000}", "?status=%00"]
)
def test_an_impossible_filter_shows_no_rows_and_says_why(people: dict[str, Any], query: str):
    make_job(make_collection("Podcast", people["member"]))
    response = as_user(people["member"]).get(LIST + query)
    assert list(response.context["cl"].result_list) == []
    assert response.context["cl"].filterset.errors
    assert 'role="alert"' in response.content.decode()


def test_other_lookups_are_still_refused(people: dict[str, Any]):
    response = as_user(people["boss"]).get(LIST + "?collection_node__user__password__startswith=a")
    assert response.status_code == 400


def test_a_member_of_the_collection_sees_its_jobs_and_nobody_else_does(people: dict[str, Any]):
    job = make_job(make_collection("Podcast", people["member"]))
    assert listed(as_user(people["member"])) == {str(job.pk)}
    assert listed(as_user(people["boss"])) == {str(job.pk)}
    assert listed(as_user(people["other"])) == set()
    assert listed(as_user(people["other"]), f"?collection_id={job.collection_node_id}") == set()


def test_nothing_of_an_unseen_collection_leaks_into_the_page(people: dict[str, Any]):
    job = ended_job(
        make_collection("Secret project", people["member"]), "failed", "secret_type", error_msg="secret error"
    )
    page = as_user(people["other"]).get(LIST).content.decode()
    for secret in ("Secret project", "secret_type", "secret error", str(job.pk), str(job.collection_node_id)):
        assert secret not in page


def test_the_head_counts_what_the_other_filters_leave(people: dict[str, Any]):
    podcast, news = make_collection("Podcast", people["member"]), make_collection("News", people["member"])
    hidden = make_collection("Hidden")
    for collection in (podcast, news, hidden):
        ended_job(collection, "failed"), make_job(collection), running_job(collection)
    client = as_user(people["member"])

    def counts(query: str = "") -> dict[str, int]:
        return {chip.status: chip.count for chip in client.get(LIST + query).context["chips"]}

    assert counts() == {"pending": 2, "running": 2, "completed": 0, "error": 2, "retry": 0}
    assert counts(f"?collection_id={podcast.pk}&status=error")["running"] == 1
    chosen = [chip.status for chip in client.get(LIST + "?status=error").context["chips"] if chip.chosen]
    assert chosen == ["error"]


def test_empty_states_say_why_there_is_nothing(people: dict[str, Any]):
    client = as_user(people["member"])
    assert "There are no jobs yet." in client.get(LIST).content.decode()
    assert "No job fits these filters." in client.get(LIST + "?status=error").content.decode()


def test_what_programs_say_is_only_text(people: dict[str, Any]):
    evil = "<script>alert('x')</script>"
    collection = make_collection(evil, people["member"])
    ended_job(collection, "failed", evil, error_msg=evil)
    running_job(collection).attempt_rows.update(message=evil)
    page = as_user(people["member"]).get(LIST).content.decode()
    assert "<script>alert" not in page
    assert unescape(page).count(evil) >= 3


def test_a_reader_gets_no_buttons_and_no_actions(people: dict[str, Any]):
    ended_job(make_collection("Podcast", people["member"]), "failed")
    response = as_user(people["member"]).get(LIST)
    assert response.context["action_form"] is None
    assert "row-button" not in response.content.decode()


def test_the_page_costs_the_same_however_many_rows_it_shows(people: dict[str, Any], django_assert_num_queries: Any):
    collection = make_collection("Podcast", people["member"])
    client = as_user(people["member"])
    running_job(collection)
    with CountQueries() as one:
        client.get(LIST)
    for _ in range(30):
        running_job(collection)
    with CountQueries() as many:
        client.get(LIST)
    assert many.count == one.count <= 24


class CountQueries:
    def __enter__(self) -> CountQueries:
        self.count = 0
        self._wrapper = connection.execute_wrapper(self._counting)
        self._wrapper.__enter__()
        return self

    def _counting(self, execute: Any, *arguments: Any) -> Any:
        self.count += 1
        return execute(*arguments)

    def __exit__(self, *exception: Any) -> None:
        self._wrapper.__exit__(*exception)


def test_the_count_is_estimated_when_nothing_is_filtered_and_bounded_otherwise(monkeypatch: pytest.MonkeyPatch):
    collection = make_collection("Podcast")
    for _ in range(3):
        make_job(collection)
    monkeypatch.setattr("synops.graph.admin.paginator.BOUND", 2)
    with connection.cursor() as cursor:
        cursor.execute("UPDATE pg_class SET reltuples = 12345 WHERE relname = 'job_queue'")
    assert EstimatedPaginator(Job.objects.order_by("pk"), 10).count == 12345
    assert EstimatedPaginator(Job.objects.filter(status="pending"), 10).count == 3


def test_news_counts_what_is_newer_under_the_same_filters(people: dict[str, Any]):
    collection, hidden = make_collection("Podcast", people["member"]), make_collection("Hidden")
    make_job(collection)
    Job.objects.update(created_at=timezone.now() - timedelta(minutes=1))
    since = timezone.now() - timedelta(seconds=30)
    make_job(collection, "rss"), make_job(collection, "checksum"), make_job(hidden, "rss")
    client = as_user(people["member"])

    def news(**query: str) -> Any:
        return json.loads(client.get(LIST + "news/", query).content)

    assert news(since=since.isoformat())["new"] == 2
    page = client.get(LIST)
    assert parse_datetime(page.context["since"])
    assert news(since=page.context["since"])["new"] == 0
    assert news(since=since.isoformat(), type="rss")["new"] == 1
    assert news(since=since.isoformat())["counts"]["pending"] == 3
    for wrong in ("", "yesterday", "2026-99-99T00:00:00Z", "2026-01-01T00:00:00"):
        assert news(since=wrong)["new"] == 0
    assert news(since=since.isoformat(), collection_id=str(uuid4()))["new"] == 0
