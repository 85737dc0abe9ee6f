"""Pages by place, filters, columns, jumping to an id and the file: the rest of what the job list can do."""

from __future__ import annotations

import csv
import io
from datetime import timedelta
from typing import Any
from uuid import uuid4

import pytest
from django.test import Client
from django.utils import timezone

from jobs.keyset import InvalidPlace, Place, page_of
from jobs.models import Job
from jobs.operations import OPERATIONS
from orchestration.models import Run
from tests.jobs.admin.test_list import LIST, as_user, listed
from tests.jobs.making import ended_job, make_job, running_job
from tests.orchestration.test_admin import make_run
from tests.people import make_collection, make_node, make_user

pytestmark = pytest.mark.django_db


@pytest.fixture
def member() -> Any:
    return make_user("member", "jobs.view_job")


@pytest.fixture
def client(member: Any) -> Client:
    return as_user(member)


def many(member: Any, count: int) -> list[str]:
    """Jobs created in one transaction, so that all have the same time; newest first."""
    collection = make_collection("Podcast", member)
    jobs = [make_job(collection) for _ in range(count)]
    return [str(job.pk) for job in sorted(jobs, key=lambda job: job.pk, reverse=True)]


def test_pages_go_there_and_back_without_losing_or_repeating_a_row(member: Any):
    expected = many(member, 23)
    rows = Job.objects.visible_to(member)
    page, seen = page_of(rows, 10), []
    while True:
        seen += [str(job.pk) for job in page.rows]
        if page.after is None:
            break
        last = page
        page = page_of(rows, 10, after=page.after)
    assert seen == expected
    back = page_of(rows, 10, before=page.before)
    assert [job.pk for job in back.rows] == [job.pk for job in last.rows]
    first = page_of(rows, 10, before=back.before)
    assert [str(job.pk) for job in first.rows] == expected[:10]
    assert first.before is None
    assert page_of(rows, 100).after is None


def test_those_with_more_collections_than_a_statement_names_see_the_same(member: Any, monkeypatch: pytest.MonkeyPatch):
    expected = many(member, 3)
    make_job(make_collection("Hidden"))
    for most in (500, 0):
        monkeypatch.setattr("synops.graph.access.MOST_NAMED", most)
        assert {str(job.pk) for job in Job.objects.visible_to(member)} == set(expected)
        assert not Job.objects.visible_to(make_user(f"stranger {most}")).exists()


def test_a_row_that_is_gone_still_marks_a_place(member: Any):
    expected = many(member, 5)
    rows = Job.objects.visible_to(member)
    place = page_of(rows, 2).after
    Job.objects.filter(pk=place.id).delete()
    assert [str(job.pk) for job in page_of(rows, 2, after=Place.parse(str(place))).rows] == expected[2:4]


ID = "0190f5a6-0000-7000-8000-000000000001"


@pytest.mark.parametrize("text", ["", "7", "x_y", f"2026-01-01T00:00:00_{ID}", "9" * 5000, "_", f"_{ID}"])
def test_what_is_no_place_is_refused(text: str):
    with pytest.raises(InvalidPlace):
        Place.parse(text)


def test_the_page_links_to_its_neighbours_and_keeps_the_filters(client: Client, member: Any):
    expected = many(member, 52)
    first = client.get(LIST + "?type=checksum").context["cl"]
    assert [str(job.pk) for job in first.result_list] == expected[:50]
    assert "type=checksum" in first.older
    assert not first.newer
    second = client.get(f"{LIST}?{first.older}").context["cl"]
    assert [str(job.pk) for job in second.result_list] == expected[50:]
    assert listed(client, f"?{second.newer}") == set(expected[:50])
    lost = client.get(LIST + "?after=nonsense")
    assert len(lost.context["cl"].result_list) == 50
    assert "names no place" in lost.content.decode()


def test_each_filter_finds_its_jobs(client: Client, member: Any):
    podcast = make_collection("Podcast", member)
    failed = ended_job(podcast, "timed_out", error_msg="Modellen «stor» finnes ikke")
    old = make_job(podcast, priority=9)
    Job.objects.filter(pk=old.pk).update(created_at=timezone.now() - timedelta(days=3))
    running = running_job(podcast)
    run = make_run(podcast)
    recipe = make_node("orchestration", "Oppskrift", into=podcast)
    Run.objects.filter(pk=run.pk).update(orchestration_id=recipe.pk)
    step = make_job(podcast, run_id=run.pk)

    def one(query: str) -> Any:
        (found,) = listed(client, query)
        return found

    assert one("?outcome=timed_out") == str(failed.pk)
    assert one("?error=STOR»") == str(failed.pk)
    assert one("?priority=9") == str(old.pk)
    assert one(f"?worker={running.worker_id}") == str(running.pk)
    assert one("?worker=here&status=running") == str(running.pk)
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr("jobs.filters.FEW_ATTEMPTS", 0)  # the way of a worker with many jobs
        assert one("?worker=here&status=running") == one(f"?worker={running.worker_id}") == str(running.pk)
    assert one(f"?run_id={run.pk}") == str(step.pk)
    assert one(f"?recipe={recipe.pk}") == str(step.pk)
    assert str(old.pk) not in listed(client, "?period=24h")
    assert str(old.pk) in listed(client, "?period=7d")
    day = timezone.localtime() - timedelta(days=2)
    assert one(f"?created_before={day:%Y-%m-%dT%H:%M}") == str(old.pk)
    assert str(old.pk) not in listed(client, f"?created_after={day:%Y-%m-%dT%H:%M}")


@pytest.mark.parametrize(
    "query",
    ["priority=11", "priority=-1", f"priority={'9' * 400}", "outcome=x", "period=1", "created_after=tomorrow",
     "recipe=7", f"error={'x' * 201}", "worker=%00", "run_id='; DROP TABLE job_queue"],
)  # fmt: skip
def test_values_that_can_not_be_are_said_to_be_wrong(client: Client, member: Any, query: str):
    make_job(make_collection("Podcast", member))
    response = client.get(f"{LIST}?{query}")
    assert list(response.context["cl"].result_list) == []
    assert 'role="alert"' in response.content.decode()
    assert response.status_code == 200


def test_choices_name_only_what_the_person_may_see_in_norwegian_order(client: Client, member: Any):
    for title in ("Ås", "Zebra", "Ærlig", "Østfold", "arkiv"):
        make_collection(title, member)
    make_collection("Hemmelig")
    fields = client.get(LIST).context["fields"]["first"]
    (collections,) = [one for one in fields if one.name == "collection_id"]
    assert [label for _, label in collections.choices] == ["arkiv", "Zebra", "Ærlig", "Østfold", "Ås"]


def test_every_column_of_the_table_can_be_shown_and_the_choice_is_kept(client: Client, member: Any):
    run = make_run(collection := make_collection("Podcast", member))
    make_job(collection, payload={"tittel": "<b>Ærlig</b>"}, run_id=run.pk, chain=[run.pk], dedupe_key="nøkkel")
    from jobs.admin.more_columns import MORE

    response = client.post(f"{LIST}columns/", {"column": [*MORE, "state"], "from_list": "status=pending"})
    assert response.headers["Location"] == f"{LIST}?status=pending"
    page = client.get(LIST).content.decode()
    for shown in ("&lt;b&gt;Ærlig", str(run.pk), "nøkkel", "field-shown_payload", "field-under_lease"):
        assert shown in page
    assert "field-tries" not in page
    client.post(f"{LIST}columns/", {"column": []})
    assert "field-tries" in client.get(LIST).content.decode()


def test_an_id_or_its_beginning_leads_to_the_job(client: Client, member: Any):
    collection = make_collection("Podcast", member)
    job, hidden = make_job(collection), make_job(make_collection("Hemmelig"))
    there = f"{LIST}{job.pk}/change/"
    for text in (str(job.pk), job.pk.hex, f"  {str(job.pk).upper()} ", str(job.pk)[:30]):
        assert client.get(f"{LIST}jump/", {"id": text}).headers["Location"] == there
    for text in (str(hidden.pk), "", "zzzzzzzz", "%", "9" * 400, str(uuid4())):
        assert client.get(f"{LIST}jump/", {"id": text}).headers["Location"] == LIST
    make_job(collection)
    assert client.get(f"{LIST}jump/", {"id": str(job.pk)[:6]}, follow=True).content.decode().count("Several jobs") == 1


def test_the_file_holds_what_the_filter_finds_and_no_formula(client: Client, member: Any):
    make_job(make_collection("Hemmelig"), "hemmelig")
    collection = make_collection("Podcast", member)
    ended_job(collection, "failed", error_msg='=HYPERLINK("http://evil")')
    make_job(collection, "+type")
    answer = client.get(f"{LIST}export/")
    rows = list(csv.DictReader(io.StringIO(answer.content.decode())))
    assert answer.headers["Content-Type"].startswith("text/csv")
    assert {row["job_type"] for row in rows} == {"checksum", "'+type"}
    assert rows[1]["error_msg"] == '\'=HYPERLINK("http://evil")'
    assert len(list(csv.DictReader(io.StringIO(client.get(f"{LIST}export/?type=checksum").content.decode())))) == 1


def test_nobody_without_the_right_reaches_the_rest(member: Any):
    stranger = as_user(make_user("stranger"))
    for address in ("export/", "jump/?id=abcdef", "new/", "news/"):
        assert stranger.get(LIST + address).status_code == 403
    assert stranger.post(f"{LIST}columns/").status_code == 403
    assert as_user(member).get(f"{LIST}new/").status_code == 403
    assert as_user(member).get(f"{LIST}columns/").status_code == 405


def test_a_filter_that_takes_too_long_ends_with_a_sentence(client: Client, monkeypatch: pytest.MonkeyPatch):
    from jobs.admin import job

    def slow(query: Any, rows: Any) -> Any:
        from django.db import connection

        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_sleep(60)")

    monkeypatch.setattr(job, "chips", slow)
    monkeypatch.setattr("synops.graph.patience.PAGE_SECONDS", 0.05)
    response = client.get(LIST)
    assert response.status_code == 503
    assert "Choose a shorter period" in response.content.decode()


def test_each_operation_has_a_right_of_its_own_and_a_reader_has_none(client: Client, member: Any):
    collection = make_collection("Podcast", member)
    waiting, ended = make_job(collection), ended_job(collection, "failed")
    assert len({one.permission for one in OPERATIONS.values()}) == len(OPERATIONS)
    for operation in OPERATIONS.values():
        for job in (waiting, ended):
            data = {"confirm": "yes", "later": "1h", "priority": "9"}
            assert client.post(f"{LIST}{job.pk}/{operation.name}/", data).status_code == 403
            action = {"action": f"{operation.name}_selected", "_selected_action": [str(job.pk)], **data}
            client.post(LIST, action)
    assert sorted(Job.objects.values_list("status", "priority")) == [("error", 0), ("pending", 0)]
