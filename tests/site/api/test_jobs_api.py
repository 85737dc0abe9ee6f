"""Jobs over HTTP: the spec's list with its filters and pages, one job, a new one, and what can be done to it."""

from __future__ import annotations

from datetime import timedelta
from uuid import uuid4

import pytest
from django.contrib.admin.models import LogEntry
from django.db.models.functions import Now

from jobs.models import Job
from orchestration.models import Run
from tests.jobs.making import ended_job, make_job, running_job
from tests.people import make_node

pytestmark = pytest.mark.django_db


def test_the_list_has_what_the_spec_asks_for_and_only_what_the_caller_may_see(api, desk, elsewhere):
    waiting = make_job(desk, job_type="rss")
    failed = ended_job(desk, "failed", job_type="notify")
    make_job(elsewhere)
    answer = api.get("/admin/jobs")
    assert {item["id"] for item in answer["items"]} == {str(waiting.pk), str(failed.pk)}
    assert answer["total"] == {"value": 2, "exact": True}
    assert {status: count["value"] for status, count in answer["counts"].items()} == {
        "pending": 1,
        "running": 0,
        "completed": 0,
        "error": 1,
        "retry": 0,
    }
    assert {"rss", "notify"} <= set(answer["types"])
    assert [item["id"] for item in api.get("/admin/jobs", status="error")["items"]] == [str(failed.pk)]
    assert [item["id"] for item in api.get("/admin/jobs", type="rss")["items"]] == [str(waiting.pk)]
    assert api.get("/admin/jobs", collection_id=str(elsewhere.pk))["items"] == []


def test_pages_by_offset_and_by_cursor_are_the_same_pages(api, desk):
    for age in range(7):
        make_job(desk, created_at=Now() - timedelta(minutes=age))
    everything = [item["id"] for item in api.get("/admin/jobs")["items"]]
    by_offset = [api.get("/admin/jobs", limit=3, offset=offset)["items"] for offset in (0, 3, 6)]
    assert [item["id"] for page in by_offset for item in page] == everything
    first = api.get("/admin/jobs", limit=3)
    second = api.get("/admin/jobs", limit=3, after=first["next"])
    third = api.get("/admin/jobs", limit=3, after=second["next"])
    pages = [item["id"] for page in (first, second, third) for item in page["items"]]
    assert (pages, third["next"]) == (everything, None)
    assert api.get("/admin/jobs", offset=7)["items"] == []


@pytest.mark.parametrize(
    "query",
    [
        {"status": "done"},
        {"collection_id": "x"},
        {"limit": 0},
        {"limit": 201},
        {"limit": "-1"},
        {"limit": "٣"},
        {"limit": "9" * 30},
        {"offset": 10_001},
        {"after": "yesterday"},
        {"created_after": "yesterday"},
        {"type": "x" * 300},
        {"period": "1y"},
    ],
)
def test_a_value_that_can_not_be_one_is_refused_with_a_sentence(api, query):
    assert api.get("/admin/jobs", 422, **query)["detail"]


def test_one_job_shows_everything_and_says_why_it_waits(api, desk, elsewhere):
    job = make_job(desk, payload={"big": 2**60, "html": "<b>"}, scheduled_for=Now() + timedelta(hours=1))
    answer = api.get(f"/api/jobs/{job.pk}")
    assert answer["payload"] == {"big": 2**60, "html": "<b>"}
    assert [reason["code"] for reason in answer["waits_for"]] == ["scheduled"]
    api.get(f"/api/jobs/{make_job(elsewhere).pk}", 404)
    api.get(f"/api/jobs/{uuid4()}", 404)


def test_a_finished_job_is_not_sent_twice(api, desk, client):
    job = ended_job(desk, "succeeded")
    first = client.get(f"/api/jobs/{job.pk}", headers=api.headers)
    again = client.get(f"/api/jobs/{job.pk}", headers={**api.headers, "if-none-match": first.headers["ETag"]})
    assert (again.status_code, again.content) == (304, b"")


def test_enqueuing_checks_collection_type_and_payload(api, desk, elsewhere):
    node = make_node("content", into=desk)
    body = {"collection": "desk", "job_type": "pg_delete_node", "payload": {"id": str(node.pk)}, "dedupe_key": "k"}
    job = api.post("/api/jobs", body, 202)["job_id"]
    assert Job.objects.get(pk=job).collection_node_id == desk.pk
    assert api.post("/api/jobs", body, 409)["type"] == "urn:synops:problem:duplicate"
    api.post("/api/jobs", {**body, "collection": str(desk.pk), "dedupe_key": "other"}, 202)
    api.post("/api/jobs", {**body, "collection": str(elsewhere.pk)}, 403)
    api.post("/api/jobs", {**body, "collection": "nowhere"}, 403)
    assert "no tool describes" in api.post("/api/jobs", {**body, "job_type": "conjure"}, 422)["detail"]
    api.post("/api/jobs", {**body, "payload": {"idd": "x"}}, 422)
    api.post("/api/jobs", {**body, "priority": 11}, 422)
    api.post("/api/jobs", {**body, "scheduled_for": "2026-11-30T08:00:00"}, 422)


def test_the_intentions_act_once_and_then_say_what_state_the_job_is_in(api, desk, operator):
    failed = ended_job(desk, "failed")
    answer = api.post("/intentions/retry_job", {"job_id": str(failed.pk)})
    assert answer["job"]["status"] == "pending"
    again = api.post("/intentions/retry_job", {"job_id": str(failed.pk)}, 409)
    assert (again["job"]["status"], "pending" in again["detail"]) == ("pending", True)
    assert api.post("/intentions/cancel_job", {"job_id": str(failed.pk)})["job"]["outcome"] == "cancelled"
    api.post("/intentions/cancel_job", {"job_id": str(failed.pk)}, 409)
    assert LogEntry.objects.filter(user=operator, object_id=str(failed.pk)).count() == 2


def test_the_other_operations(api, desk):
    job = make_job(desk, scheduled_for=Now() + timedelta(hours=1))
    wish = {"job_id": str(job.pk)}
    assert api.post("/intentions/prioritise_job", {**wish, "priority": 9})["job"]["priority"] == 9
    api.post("/intentions/defer_job", {**wish, "until": "2099-01-01T00:00:00+01:00"})
    api.post("/intentions/defer_job", {**wish, "until": "tomorrow"}, 422)
    api.post("/intentions/run_job_now", wish)
    api.post("/intentions/discard_job", wish, 409)
    api.post("/intentions/cancel_job", wish)
    assert api.post("/intentions/discard_job", wish)["job"] is None
    api.post("/intentions/discard_job", wish, 404)


def test_a_job_that_is_not_seen_is_not_touched(api, elsewhere):
    job = running_job(elsewhere)
    for name in ("retry_job", "cancel_job", "run_job_now", "discard_job"):
        api.post(f"/intentions/{name}", {"job_id": str(job.pk)}, 404)
    job.refresh_from_db()
    assert job.status == "running"


def test_summarising_is_asked_for_once(api, chief, desk, elsewhere):
    talk = make_node("communication", "Møte", into=desk)
    refused = api.post("/intentions/summarize", {"communication_id": str(talk.pk)}, 422)
    assert "no tool describes" in refused["detail"], "the tests' database knows no tool"
    api.post("/intentions/summarize", {"communication_id": str(make_node("communication", into=elsewhere).pk)}, 404)
    loose = make_node("communication", "Uten samling")
    chief.post("/intentions/summarize", {"communication_id": str(loose.pk)}, 409)
    assert not Run.objects.exists()
