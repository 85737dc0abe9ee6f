"""The front page and the pages of figures: right numbers, nothing of unseen collections, a part only with its right."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.contrib.admin.models import LogEntry
from django.core.cache import cache
from django.test import Client
from django.utils import timezone

from jobs.models import Job
from resources.models import DiskReading, PriorityRule, Worker
from synops.graph.models import Node
from tests.jobs.making import ended_job, make_job, running_job
from tests.orchestration.test_admin import make_run
from tests.people import make_collection, make_node, make_user

pytestmark = pytest.mark.django_db

READER = (
    "jobs.view_job", "orchestration.view_run", "orchestration.view_workitem", "resources.view_worker",
    "resources.view_diskreading", "resources.view_priorityrule",
)  # fmt: skip


@pytest.fixture(autouse=True)
def nothing_is_remembered() -> None:
    cache.clear()


@pytest.fixture
def reader() -> Any:
    return make_user("reader", *READER)


def as_user(user: Any, language: str = "en") -> Client:
    client = Client(headers={"accept-language": language})
    client.force_login(user)
    return client


def worker(machine: str = "studio", **fields: Any) -> Worker:
    given = {"pid": 7, "max_concurrent": 3, "max_weight": 8, "types": ["heavy"], **fields}
    return Worker.objects.create(machine=machine, **given)


def test_the_figures_are_those_of_the_jobs_that_the_person_may_see(reader: Any):
    collection, hidden = make_collection("Podcast", reader), make_collection("Hemmelig")
    for place in (collection, hidden):
        ended_job(place), ended_job(place, "failed"), make_job(place), running_job(place)
    old = ended_job(collection)
    Job.objects.filter(pk=old.pk).update(completed_at=timezone.now() - timedelta(hours=3))
    waiting = make_job(collection, "oldest")
    Job.objects.filter(pk=waiting.pk).update(scheduled_for=timezone.now() - timedelta(hours=2))
    early = make_job(hidden, "hemmelig_type")
    Job.objects.filter(pk=early.pk).update(scheduled_for=timezone.now() - timedelta(hours=9))
    response = as_user(reader).get("/admin/")
    figures = response.context["throughput"]
    assert (figures.hour.jobs, figures.hour.failed, figures.day.jobs) == (2, 1, 3)
    assert figures.oldest.id == waiting.pk
    assert sum(figures.chart[1]) + sum(figures.chart[2]) == 3
    assert len(figures.chart[0]) == 96
    assert {chip.status: chip.count for chip in response.context["chips"]}["pending"] == 2
    page = response.content.decode()
    for secret in ("Hemmelig", "hemmelig_type", str(early.pk)):
        assert secret not in page
    everything = as_user(make_user("boss", superuser=True)).get("/admin/").context["throughput"]
    assert (everything.hour.jobs, everything.oldest.id) == (4, early.pk)


def test_the_gauge_counts_all_weight_and_names_only_visible_jobs(reader: Any):
    PriorityRule.objects.create(job_type="heavy", cpu_weight=5)
    here = worker()
    seen = running_job(make_collection("Podcast", reader), "heavy", here.pk)
    hidden = running_job(make_collection("Hemmelig"), "light", here.pk)
    response = as_user(reader).get("/admin/")
    (gauge,) = response.context["gauges"]
    assert (gauge.used, gauge.budget, [one.id for one in gauge.holders], gauge.others) == (6, 8, [seen.pk], 1)
    assert "6 of 8 in use" in response.content.decode()
    assert str(hidden.pk) not in response.content.decode()


def test_a_live_call_is_shown_with_what_it_holds_back(reader: Any):
    worker(types=["blocked"])
    PriorityRule.objects.create(job_type="blocked", block_during_livekit=True)
    PriorityRule.objects.create(job_type="stopped", paused=True)
    collection = make_collection("Podcast", reader)
    make_job(collection, "blocked"), make_job(collection, "stopped"), make_job(collection, "stopped")
    assert [held.reason for held in as_user(reader).get("/admin/").context["governor"].held] == ["paused"]
    make_node("communication", "Åpent møte", into=collection, metadata={"livekit_active": True})
    make_node("communication", "Lukket møte", into=make_collection("Hemmelig"), metadata={"livekit_active": True})
    response = as_user(reader).get("/admin/")
    held = {(one.job_type, one.reason, one.jobs) for one in response.context["governor"].held}
    assert held == {("blocked", "live_call", 1), ("stopped", "paused", 2)}
    page = response.content.decode()
    assert "2 live calls" in page
    assert "Åpent møte" in page
    assert "Lukket møte" not in page
    assert response.context["gauges"][0].budget == 6


def test_a_disk_that_fills_up_says_when_it_is_full(reader: Any):
    now = timezone.now()
    for hours, percent in ((4, 80), (2, 85), (0, 90)):
        reading = DiskReading.objects.create(
            machine="studio", path="/", total_bytes=1000, used_bytes=percent * 10, percent=percent, level="critical"
        )
        DiskReading.objects.filter(pk=reading.pk).update(measured_at=now - timedelta(hours=hours))
    response = as_user(reader).get("/admin/")
    (disk,) = response.context["disks"]
    assert disk.chart[1] == [80.0, 85.0, 90.0]
    assert abs(disk.full_in - timedelta(hours=2)) < timedelta(minutes=1)
    assert response.context["thresholds"] == [85.0, 90.0, 95.0]


def test_workers_runs_and_work_items_are_there_or_say_that_there_are_none(reader: Any):
    client = as_user(reader)
    page = client.get("/admin/").content.decode()
    for empty in ("No worker is alive.", "No run yet.", "Nothing to do.", "No reading yet.", "Nothing runs."):
        assert (empty in page) == (empty != "Nothing runs.")
    worker(), make_run(make_collection("Podcast", reader)), make_run(make_collection("Hemmelig"))
    response = client.get("/admin/")
    assert len(response.context["runs"]) == 1
    assert [code for _worker, code, _label in response.context["workers"]] == ["running"]
    assert response.context["health"].dead_rows >= 0


def test_a_part_without_its_right_is_not_there():
    page = as_user(make_user("nobody")).get("/admin/")
    assert page.status_code == 200
    for part in ("throughput", "workers", "disks", "runs", "items", "health"):
        assert part not in page.context


@pytest.mark.parametrize("language", ["nb", "en"])
def test_numbers_inside_markup_and_data_are_plain_in_every_language(reader: Any, language: str):
    DiskReading.objects.create(machine="s", path="/", total_bytes=10, used_bytes=5, percent=50.5, level="ok")
    page = as_user(reader, language).get("/admin/").content.decode()
    assert 'value="50"' in page
    assert "50.5" in page.split('id="chart-disk-1"')[1].split("</script>")[0]


# Types and failures


def test_types_show_percentiles_and_failure_rate_of_visible_jobs(reader: Any):
    collection, hidden = make_collection("Podcast", reader), make_collection("Hemmelig")
    now = timezone.now()
    for seconds in (1, 2, 3, 100):
        job = ended_job(collection, "failed" if seconds == 100 else "succeeded", "lyd")
        start = now - timedelta(seconds=seconds)
        Job.objects.filter(pk=job.pk).update(
            started_at=start, scheduled_for=start - timedelta(seconds=5), completed_at=now
        )
    ended_job(hidden, "succeeded", "hemmelig_type"), ended_job(hidden, "succeeded", "lyd"), make_job(collection, "lyd")
    response = as_user(reader).get("/admin/job-types/")
    lines = {line.job_type: line for line in response.context["lines"]}
    assert "hemmelig_type" not in response.content.decode()
    figures = lines["lyd"].figures
    assert (figures.jobs, figures.failed, figures.failure_rate) == (4, 1, 25.0)
    assert figures.run[0] == pytest.approx(2.5)
    assert figures.run[2] > 90
    assert figures.wait[0] == pytest.approx(5)


def test_limits_are_changed_in_place_and_audited(reader: Any):
    address = "/admin/job-types/"
    assert as_user(reader).post(address, {"job_type": "rss", "paused": "yes"}).status_code == 403
    operator = make_user("operator", *READER, "resources.change_priorityrule")
    client = as_user(operator)
    client.post(address, {"job_type": "rss", "paused": "yes"})
    client.post(address, {"job_type": "rss", "max_concurrent": "2", "cpu_weight": "3"})
    rule = PriorityRule.objects.get(pk="rss")
    assert (rule.paused, rule.max_concurrent, rule.cpu_weight) == (True, 2, 3)
    notes = list(LogEntry.objects.filter(object_id="rss").values_list("change_message", flat=True))
    assert "paused: False → True" in notes
    for wrong in ("-1", "x", "9" * 40, ""):
        page = client.post(address, {"job_type": "rss", "cpu_weight": wrong}, follow=True)
        assert PriorityRule.objects.get(pk="rss").cpu_weight == 3
        assert "ss: cpu_weight: " in page.content.decode()
    assert client.post(address, {"job_type": "new_type", "paused": "yes"}).status_code == 403


def test_failures_are_grouped_by_what_went_wrong_and_retried_as_one(reader: Any):
    operator = make_user("operator", "jobs.view_job", "jobs.retry_job")
    collection = make_collection("Podcast", reader, operator)
    for number in range(3):
        error = f'fil "opptak {number}.wav" på /store/{number}a/x feilet etter {number * 7}.5 s\nresten er likegyldig {number}'
        ended_job(collection, "failed", "lyd", error_msg=error)
    other = ended_job(collection, "failed", "lyd", error_msg="noe annet")
    ended_job(collection, "cancelled", "lyd", error_msg="cancelled")
    hidden = ended_job(make_collection("Hemmelig"), "failed", "lyd", error_msg="noe annet")
    client = as_user(operator)
    groups = client.get("/admin/failures/").context["groups"]
    assert [(group.jobs, group.job_type) for group in groups] == [(3, "lyd"), (1, "lyd")]
    assert groups[0].error == "fil ‹…› på ‹path› feilet etter ‹n› s"
    keys = {"key": [group.key for group in groups], "hours": "24"}
    assert as_user(reader).post("/admin/failures/", keys).status_code == 403
    asked = client.post("/admin/failures/", keys)
    assert "4 jobs are chosen;" in asked.content.decode()
    assert groups[0].key in asked.content.decode()
    client.post("/admin/failures/", {**keys, "confirm": "yes"})
    other.refresh_from_db()
    hidden.refresh_from_db()
    assert (other.status, hidden.status) == ("pending", "error")
    assert Job.objects.filter(status="pending").count() == 4


def test_a_group_of_failures_is_deleted_by_those_who_may_and_only_after_the_question(reader: Any):
    operator = make_user("operator", "jobs.view_job", "jobs.delete_job")
    failed = ended_job(make_collection("Podcast", operator), "failed", "lyd", error_msg="borte")
    client = as_user(operator)
    page = client.get("/admin/failures/")
    assert "Delete the jobs of the chosen groups" in page.content.decode()
    assert "Retry the jobs" not in page.content.decode()
    chosen = {"key": [page.context["groups"][0].key], "hours": "24", "operation": "discard"}
    assert "deleted for good" in client.post("/admin/failures/", chosen).content.decode()
    assert as_user(reader).post("/admin/failures/", {**chosen, "confirm": "yes"}).status_code == 403
    assert client.post("/admin/failures/", {**chosen, "operation": "retry", "confirm": "yes"}).status_code == 403
    assert Job.objects.filter(pk=failed.pk).exists()
    client.post("/admin/failures/", {**chosen, "confirm": "yes"})
    assert not Job.objects.exists()


def test_hostile_errors_and_types_are_only_text(reader: Any):
    evil = "<script>alert(1)</script>"
    ended_job(make_collection(evil, reader), "failed", evil, error_msg=evil)
    client = as_user(reader)
    for address in ("/admin/", "/admin/job-types/", "/admin/failures/", "/admin/resources/"):
        assert "<script>alert" not in client.get(address).content.decode()


# Workers, calls, agents


def test_workers_are_asked_to_take_no_more_by_those_who_may(reader: Any):
    here, stopped = worker(), worker("loftet", state="stopped", stopped_at=timezone.now())
    data = {"action": "drain_selected", "_selected_action": [str(here.pk), str(stopped.pk)]}
    as_user(reader).post("/admin/resources/worker/", data)
    here.refresh_from_db()
    assert here.drain_requested_at is None
    client = as_user(make_user("operator", *READER, "resources.drain_worker"))
    page = client.post("/admin/resources/worker/", data, follow=True).content.decode()
    assert "1 worker was asked." in page
    assert "takes no more jobs" in page
    client.post("/admin/resources/worker/", {**data, "action": "resume_selected"})
    here.refresh_from_db()
    assert here.drain_requested_at is None
    assert LogEntry.objects.filter(object_id=str(here.pk)).count() == 2


def test_the_switch_for_live_calls(reader: Any):
    assert as_user(reader).post("/admin/live-call/", {"on": "yes"}).status_code == 403
    operator = make_user("operator", *READER, "resources.switch_live_call")
    client = as_user(operator)
    assert client.get("/admin/live-call/").status_code == 405
    client.post("/admin/live-call/", {"on": "yes"})
    assert client.get("/admin/resources/").context["governor"].live_call
    client.post("/admin/live-call/", {"on": "no"})
    assert not client.get("/admin/resources/").context["governor"].live_call
    seen = make_node("communication", "Møte", into=make_collection("A", operator), metadata={"livekit_active": True})
    hidden = make_node("communication", "X", into=make_collection("B"), metadata={"livekit_active": True})
    for call in (seen, hidden):
        client.post("/admin/live-call/", {"on": "no", "call": str(call.pk)})
    assert client.post("/admin/live-call/", {"on": "no", "call": "7"}).status_code == 403
    seen.refresh_from_db()
    hidden.refresh_from_db()
    assert (seen.metadata["livekit_active"], hidden.metadata["livekit_active"]) == (False, True)
    assert LogEntry.objects.filter(user=operator).count() == 3


def test_agents_are_switched_where_a_person_has_access(reader: Any):
    editor = make_user("editor", "jobs.view_job", "graph.change_node")
    ours = make_collection("Vår", reader, editor)
    Node.objects.filter(pk=ours.pk).update(metadata={"agents": {"replies": 5}})
    hidden = make_collection("Hemmelig")
    page = as_user(reader).get("/admin/switches/").content.decode()
    assert "Hemmelig" not in page
    assert "<code>replies</code> 5" in page
    assert as_user(reader).post("/admin/switches/", {"node": str(ours.pk), "on": "no"}).status_code == 403
    client = as_user(editor)
    client.post("/admin/switches/", {"node": str(ours.pk), "on": "no"})
    ours.refresh_from_db()
    assert ours.metadata["agents"] == {"replies": 5, "enabled": False}
    for node in (hidden.pk, "x", ""):
        assert client.post("/admin/switches/", {"node": str(node), "on": "no"}).status_code == 403
    assert LogEntry.objects.get(object_id=str(ours.pk)).change_message == "Agents switched off."
