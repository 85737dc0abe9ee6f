"""Rules are changed while everything runs: at once, whole or not at all, and by one function."""

from __future__ import annotations

import threading

import psycopg
import pytest
from django.conf import settings
from django.db import connection
from django.utils import translation

from resources.models import PriorityRule
from resources.rules import CHANGEABLE, RuleRefused, update_rule
from tests.web import database_url

pytestmark = pytest.mark.django_db


def test_a_change_says_what_it_changed_and_touches_nothing_else():
    update_rule("whisper_transcribe", {"timeout_seconds": 7200})
    before = PriorityRule.objects.get(pk="whisper_transcribe")
    change = update_rule(
        "whisper_transcribe", {"cpu_weight": 4, "max_concurrent": before.max_concurrent, "paused": True}
    )
    assert (change.created, change.before, change.after) == (
        False,
        {"cpu_weight": 5, "paused": False},
        {"cpu_weight": 4, "paused": True},
    )
    after = PriorityRule.objects.get(pk="whisper_transcribe")
    assert (after.cpu_weight, after.paused, after.timeout_seconds) == (4, True, 7200)
    assert after.updated_at > before.updated_at


def test_a_type_without_a_rule_gets_one():
    change = update_rule("my_tool", {"base_priority": 7, "max_rss_mb": 512})
    assert (change.created, change.before) == (True, {})
    assert set(change.after) == set(CHANGEABLE)
    rule = PriorityRule.objects.get(pk="my_tool")
    assert (rule.base_priority, rule.max_rss_mb, rule.cpu_weight) == (7, 512, 1)


def test_nothing_changed_writes_nothing():
    update_rule("my_tool", {"base_priority": 7})
    before = PriorityRule.objects.get(pk="my_tool").updated_at
    assert update_rule("my_tool", {"base_priority": 7}).after == {}
    assert PriorityRule.objects.get(pk="my_tool").updated_at == before


@pytest.mark.parametrize(
    ("fields", "field"),
    [
        ({"cpu_weight": 6}, "cpu_weight"),
        ({"base_priority": 11}, "base_priority"),
        ({"base_priority": 1.5}, "base_priority"),
        ({"base_priority": True}, "base_priority"),
        ({"base_priority": None}, "base_priority"),
        ({"paused": "no"}, "paused"),
        ({"max_open_files": 3}, "max_open_files"),
        ({"timeout_seconds": -1}, "timeout_seconds"),
        ({"colour": "red"}, "colour"),
        ({"job_type": "other"}, "job_type"),
        ({"updated_at": "2026-01-01"}, "updated_at"),
    ],
)
def test_what_is_wrong_is_refused_whole_with_its_field_named(fields, field):
    with pytest.raises(RuleRefused) as refused:
        update_rule("my_tool", {"max_concurrent": 2, **fields})
    assert set(refused.value.problems) == {field}
    assert not PriorityRule.objects.filter(pk="my_tool").exists()


def test_a_weight_over_the_budget_is_refused_in_the_readers_language(monkeypatch):
    monkeypatch.setattr(settings, "MAX_TOTAL_WEIGHT", 4)
    with translation.override("nb"), pytest.raises(RuleRefused, match="MAX_TOTAL_WEIGHT") as refused:
        update_rule("my_tool", {"cpu_weight": 5})
    assert "maskin" in refused.value.problems["cpu_weight"][0]


def test_an_unnamed_type_is_refused():
    with pytest.raises(RuleRefused) as refused:
        update_rule("", {})
    assert set(refused.value.problems) == {"job_type"}


@pytest.mark.django_db(transaction=True)
def test_waiting_workers_are_woken_and_two_changes_at_once_both_hold():
    with psycopg.connect(database_url(), autocommit=True) as listener:
        listener.execute("LISTEN synops_work")

        def change(fields):
            update_rule("my_tool", fields)
            connection.close()

        both = [threading.Thread(target=change, args=[one]) for one in ({"base_priority": 9}, {"max_concurrent": 4})]
        for thread in both:
            thread.start()
        for thread in both:
            thread.join()
        assert {note.channel for note in listener.notifies(timeout=60, stop_after=1)} == {"synops_work"}
    rule = PriorityRule.objects.get(pk="my_tool")
    assert (rule.base_priority, rule.max_concurrent) == (9, 4)
