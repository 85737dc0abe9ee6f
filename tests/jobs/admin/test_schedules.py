"""The schedules' pages: who sees which, what may be changed of whose, running by hand, and what a wrong line is told."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from jobs.models import Job, Schedule
from jobs.schedules.declared import NEVER
from synops.graph.models import Node
from tests.people import make_collection, make_user

pytestmark = pytest.mark.django_db

LIST = "/admin/jobs/schedule/"
RIGHTS = ("view_schedule", "add_schedule", "change_schedule", "delete_schedule", "run_schedule")


@pytest.fixture
def operator() -> Any:
    return make_user("operator", *[f"jobs.{right}" for right in RIGHTS])


@pytest.fixture
def collection(operator: Any) -> Node:
    return make_collection("Ærlig talt", operator)


@pytest.fixture
def client(operator: Any) -> Client:
    client = Client(headers={"accept-language": "en"})
    client.force_login(operator)
    return client


def make(collection: Node, name: str = "nightly", **fields: Any) -> Schedule:
    fields = {"cron": "0 3 * * *", "job_type": "reconciliation", **fields}
    return Schedule.objects.create(name=name, collection_node=collection, **fields)


def page(name: str = "nightly") -> str:
    return f"{LIST}{name}/change/"


def text(response: Any) -> str:
    return str(response.content.decode())


FORM = {
    "cron": "0 3 * * *",
    "timezone": "Europe/Oslo",
    "enabled": "on",
    "job_type": "reconciliation",
    "payload": "{}",
    "priority": "1",
    "max_concurrency": "1",
    "description": "",
}


def test_the_list_says_in_words_when_and_what_came_of_it(client: Client, collection: Node):
    make(collection, description="Cleans up.")
    make(collection, "asleep", cron=NEVER, dormant=True)
    make(collection, "gone", owner="code", orphaned=True)
    make(collection, "broken", cron="never")
    make(collection, "behind", cron="0 * * * *")
    Schedule.objects.filter(pk="behind").update(last_tick_at=timezone.now() - timedelta(days=1))
    shown = text(client.get(LIST))
    for words in ("At 03:00", "Cleans up.", "dormant", "orphaned", "never", "late"):
        assert words in shown


def test_only_schedules_of_ones_collections_are_there(client: Client, collection: Node):
    make(collection)
    make(make_collection("Hemmelig", make_user("other")), "secret")
    shown = text(client.get(LIST))
    assert "nightly" in shown
    assert "secret" not in shown
    assert client.get(page("secret")).status_code == 302
    assert client.post(f"{LIST}secret/run/").status_code == 404


def test_the_page_shows_the_next_five_ticks(client: Client, collection: Node):
    make(collection, cron="0 3 1 1 *", timezone="UTC")
    shown = text(client.get(page()))
    assert shown.count("1 Jan") >= 5


@pytest.mark.parametrize(
    ("field", "value", "said"),
    [
        ("cron", "0 0 31 2 *", "never comes, such as 31 February"),
        ("cron", "0 0 1--100000000 * *", "The day of the month, the third field"),
        ("cron", "* * * *", "Five fields are needed"),
        ("timezone", "Europe/Olso", "no such time zone"),
        ("job_type", "no_such_type", "no tool describes no_such_type yet"),
        ("payload", '{"x": 1}', "takes no payload"),
        ("payload", "[]", "An object is needed"),
        ("priority", "11", "less than or equal to 10"),
    ],
)
def test_what_is_wrong_is_said_at_its_field(client: Client, collection: Node, field: str, value: str, said: str):
    data = {**FORM, "name": "mine", "collection_node": str(collection.pk), field: value}
    response = client.post(f"{LIST}add/", data)
    assert response.status_code == 200
    assert said in text(response)
    assert not Schedule.objects.filter(pk="mine").exists()


def test_a_person_makes_and_deletes_one(client: Client, collection: Node):
    data = {**FORM, "name": "mine", "collection_node": str(collection.pk)}
    assert client.post(f"{LIST}add/", data).status_code == 302
    made = Schedule.objects.get(pk="mine")
    assert (made.owner, made.cron) == ("", "0 3 * * *")
    assert client.post(f"{LIST}mine/delete/", {"post": "yes"}).status_code == 302
    assert not Schedule.objects.filter(pk="mine").exists()


def test_nobody_schedules_into_a_strangers_collection(client: Client, collection: Node):
    stranger = make_collection("Hemmelig", make_user("other"))
    data = {**FORM, "name": "mine", "collection_node": str(stranger.pk)}
    assert client.post(f"{LIST}add/", data).status_code == 200
    assert not Schedule.objects.filter(pk="mine").exists()


def test_of_what_comes_with_the_program_only_time_and_switch_are_changed(client: Client, collection: Node):
    schedule = make(collection, owner="code", description="x")
    Schedule.objects.update(last_tick_at=timezone.now() - timedelta(days=3))
    client.post(page(), {"cron": "0 5 * * *", "timezone": "UTC", "enabled": "on", "job_type": "checksum", "name": "x"})
    schedule.refresh_from_db()
    assert (schedule.cron, schedule.timezone, schedule.job_type) == ("0 5 * * *", "UTC", "reconciliation")
    assert timezone.now() - schedule.last_tick_at < timedelta(days=1), "new times begin now"
    assert client.post(f"{LIST}nightly/delete/", {"post": "yes"}).status_code == 403


def test_of_a_recipes_schedule_only_the_switch_is_changed(client: Client, collection: Node):
    schedule = make(collection, owner="recipe:1")
    client.post(page(), {"cron": "0 5 * * *", "timezone": "UTC"})
    schedule.refresh_from_db()
    assert (schedule.cron, schedule.enabled) == ("0 3 * * *", False)


def test_run_now_enqueues_once_and_is_written_down(client: Client, collection: Node):
    make(collection, dormant=True)
    run = f"{LIST}nightly/run/"
    assert "enqueued" in text(client.post(run, follow=True))
    assert "queued or running already" in text(client.post(run, follow=True))
    assert Job.objects.filter(job_type="reconciliation").count() == 1
    assert "Run by hand." in text(client.get(f"{LIST}nightly/history/"))


def test_a_reader_neither_runs_nor_changes(collection: Node):
    reader = make_user("reader", "jobs.view_schedule")
    shared = make_collection("Felles", reader)
    make(shared)
    client = Client()
    client.force_login(reader)
    assert client.get(page()).status_code == 200
    assert client.post(f"{LIST}nightly/run/").status_code == 403
    client.post(page(), FORM)
    assert not Job.objects.exists()


def test_switching_off_and_on_leaves_out_the_ticks_between(client: Client, collection: Node):
    schedule = make(collection)
    for action, enabled in (("switch_off", False), ("switch_on", True)):
        Schedule.objects.filter(pk="nightly").update(last_tick_at=timezone.now() - timedelta(days=3))
        client.post(LIST, {"action": action, "_selected_action": ["nightly"]})
        schedule.refresh_from_db()
        assert schedule.enabled is enabled
    assert timezone.now() - schedule.last_tick_at < timedelta(days=1)
