"""Rules, disk and workers in the admin."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone
from django.utils.html import strip_tags

from resources.models import DiskReading, PriorityRule, Worker
from tests.people import make_user

pytestmark = pytest.mark.django_db

MODELS = ("priorityrule", "diskreading", "worker")


def client_with(*permissions: str, language: str = "en") -> Client:
    client = Client(headers={"accept-language": language})
    client.force_login(make_user(f"user{len(permissions)}", *permissions))
    return client


@pytest.fixture
def reader() -> Client:
    return client_with(*(f"resources.view_{model}" for model in MODELS))


def row(page: Any) -> str:
    cells = page.content.decode().split("<tbody>")[1].split("</tbody>")[0].replace("<", " <")
    return " ".join(strip_tags(cells).split())


def test_an_operator_changes_a_rule_and_a_reader_does_not(reader: Client):
    operator = client_with("resources.view_priorityrule", "resources.change_priorityrule")
    data = {
        "paused": "on",
        "base_priority": 7,
        "livekit_priority_adj": -1,
        "cpu_weight": 2,
        "max_concurrent": 1,
        "timeout_seconds": 60,
    }
    address = "/admin/resources/priorityrule/rss/change/"
    assert reader.post(address, data).status_code == 403
    assert operator.post(address, data).status_code == 302
    rule = PriorityRule.objects.get(pk="rss")
    assert (rule.paused, rule.base_priority, rule.cpu_weight) == (True, 7, 2)


def test_a_rule_heavier_than_the_budget_is_refused(settings: Any):
    settings.MAX_TOTAL_WEIGHT = 3
    operator = client_with("resources.view_priorityrule", "resources.change_priorityrule")
    data = {"base_priority": 5, "livekit_priority_adj": 0, "cpu_weight": 4, "max_concurrent": 0, "timeout_seconds": 0}
    page = operator.post("/admin/resources/priorityrule/rss/change/", data).content.decode()
    assert "A job of weight 4 would never run: a machine carries 3 (MAX_TOTAL_WEIGHT)." in page
    assert PriorityRule.objects.get(pk="rss").cpu_weight == 1


@pytest.mark.parametrize(
    ("state", "silent_for", "stopped", "expected"),
    [
        ("running", 5, False, "running"),
        ("draining", 5, False, "draining"),
        ("running", 31, False, "no heartbeat"),
        ("stopped", 500, True, "stopped"),
        ("lost", 500, True, "lost"),
    ],
)
def test_a_silent_worker_is_not_believed(reader: Client, state: str, silent_for: int, stopped: bool, expected: str):
    now = timezone.now()
    Worker.objects.create(
        machine="studio",
        pid=7,
        state=state,
        max_concurrent=3,
        max_weight=8,
        heartbeat_at=now - timedelta(seconds=silent_for),
        stopped_at=now if stopped else None,
    )
    assert f"studio (7) {expected} 0 / 3" in row(reader.get("/admin/resources/worker/"))


def test_numbers_are_the_languages_but_never_inside_markup(reader: Client):
    DiskReading.objects.create(
        machine="studio", path="/", total_bytes=200_000, used_bytes=181_000, percent=90.5, level="critical"
    )
    reader.defaults["HTTP_ACCEPT_LANGUAGE"] = "nb"
    page = reader.get("/admin/resources/diskreading/")
    assert "90,5 %" in row(page)
    assert 'value="90"' in page.content.decode()


@pytest.mark.parametrize("model", MODELS)
def test_pages_without_a_right_are_refused_and_those_that_only_show_take_no_posts(reader: Client, model: str):
    stranger = client_with()
    assert stranger.get(f"/admin/resources/{model}/").status_code == 403
    assert reader.get(f"/admin/resources/{model}/").status_code == 200
    assert reader.get(f"/admin/resources/{model}/add/").status_code == 403
