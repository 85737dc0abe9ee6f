"""Planned times of nodes: raised once per value, in the zone that they mean, and remembered as long as their node."""

from __future__ import annotations

import pytest
from django.db import connection

from orchestration.steward import prune_events, raise_due
from synops.graph.models import GraphEvent, Node
from tests.orchestration.arrange import (
    compiled,
    consume_all,
    item,
    make_recipe,
    note,
    runs_of,
)
from tests.people import make_node

pytestmark = pytest.mark.django_db


def test_a_planned_time_starts_recipes_once_per_value(collection):
    recipe = make_recipe("R", compiled([note("{event.scheduled_for}")], event="scheduled.due"), collection)
    node = make_node("content", "Sak", into=collection, metadata={"scheduled_for": "2026-05-17T08:00"})
    make_node("content", "Senere", into=collection, metadata={"scheduled_for": "2999-01-01"})
    for value in ("ikke en tid", 17, None, "2026-99-99T99:99"):
        make_node("content", "Rot", into=collection, metadata={"scheduled_for": value})
    assert [raise_due(), raise_due()] == [1, 0]
    consume_all()
    assert runs_of(recipe) == 1
    node.metadata = {"scheduled_for": "2026-05-18T08:00:00+02:00"}
    node.save()
    assert raise_due() == 1
    consume_all()
    assert runs_of(recipe) == 2


@pytest.mark.parametrize(
    ("value", "utc"),
    [
        ("2026-07-01T08:00", "2026-07-01 06:00"),
        ("2026-01-01 08:00:00", "2026-01-01 07:00"),
        ("2026-07-01", "2026-06-30 22:00"),
        ("2026-07-01T08:00:00Z", "2026-07-01 08:00"),
        ("2026-07-01T08:00:00+05:00", "2026-07-01 03:00"),
        ("2026-07-01T08:00:00.123-0500", "2026-07-01 13:00"),
        ("tull", None),
        ("", None),
    ],
)
def test_a_time_without_an_offset_is_local(value, utc):
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT to_char(planned_time(%s, 'Europe/Oslo') AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI')", [value]
        )
        assert cursor.fetchone() == (utc,)


def test_a_clock_recipe_is_not_started_by_planned_nodes(collection):
    document = compiled([item("x")], event="scheduled.due")
    document["trigger"]["schedule"] = {"cron": "0 8 * * 1", "timezone": "Europe/Oslo"}
    recipe = make_recipe("R", document, collection)
    make_node("content", "Sak", into=collection, metadata={"scheduled_for": "2026-05-17T08:00"})
    raise_due()
    consume_all()
    assert runs_of(recipe) == 0


def test_handled_events_are_forgotten_after_a_week_but_planned_times_are_remembered(collection):
    node = make_node("content", "Sak", into=collection, metadata={"scheduled_for": "2026-05-17T08:00"})
    raise_due()
    consume_all()
    with connection.cursor() as cursor:
        cursor.execute("UPDATE graph_events SET done_at = now() - interval '8 days'")
    prune_events()
    assert [event.event for event in GraphEvent.objects.all()] == ["scheduled.due"]
    assert raise_due() == 0
    Node.objects.filter(pk=node.pk)._raw_delete("default")
    prune_events()
    assert not GraphEvent.objects.exists()
