"""Which change raises which event (docs/graph.md), also when a tool or a person in psql makes it."""

from __future__ import annotations

import pytest
from django.db import connection

from synops.graph.columns import new_id
from synops.graph.models import Edge, GraphEvent, Node
from tests.graph.arrange import edge, node

pytestmark = [pytest.mark.django_db, pytest.mark.sql]


@pytest.fixture(autouse=True)
def quiet_start(db):
    GraphEvent.objects.all().delete()


def events() -> list[tuple[str, str]]:
    return list(GraphEvent.objects.order_by("id").values_list("event", "op"))


def test_a_new_node_and_a_new_edge():
    story, news = node("content", "sak"), node("collection", "nyheter")
    place = edge(story, "belongs_to", news)
    assert events() == [("node.created", "INSERT"), ("node.created", "INSERT"), ("edge.created", "INSERT")]
    event = GraphEvent.objects.get(event="edge.created")
    assert (event.node_id, event.edge_id, event.payload["target_id"]) == (story.pk, place.pk, str(news.pk))


def test_a_communication_ends_when_ended_at_is_set_and_not_when_it_changes():
    talk = node("communication", "opptak")
    GraphEvent.objects.all().delete()
    for metadata, expected in (
        ({"note": 1}, []),
        ({"ended_at": "2026-11-30T12:00:00Z"}, [("communication.ended", "UPDATE")]),
        ({"ended_at": "2026-11-30T13:00:00Z"}, [("communication.ended", "UPDATE")]),
        ({}, [("communication.ended", "UPDATE")]),
        ({"ended_at": "2026-11-30T12:00:00Z"}, [("communication.ended", "UPDATE")] * 2),
    ):
        Node.objects.filter(pk=talk.pk).update(metadata=metadata)
        assert events() == expected


def test_a_communication_that_arrives_ended_has_ended():
    node("communication", "import", metadata={"ended_at": "2026-11-30T12:00:00Z"})
    assert ("communication.ended", "INSERT") in events()


def test_ended_at_on_something_else_is_no_event():
    story = node("content", "sak")
    Node.objects.filter(pk=story.pk).update(metadata={"ended_at": "2026-11-30T12:00:00Z"})
    assert events() == [("node.created", "INSERT")]


def test_a_slot_publishes_once_per_value():
    place = edge(node("content", "sak"), "belongs_to", node("collection", "nyheter"))
    GraphEvent.objects.all().delete()
    for metadata, count in (({}, 0), ({"slot": "topp"}, 1), ({"slot": "topp", "note": 1}, 1), ({"slot": "bunn"}, 2)):
        Edge.objects.filter(pk=place.pk).update(metadata=metadata)
        assert [event for event in events() if event[0] == "node.published"] == [("node.published", "UPDATE")] * count
    assert GraphEvent.objects.filter(event="node.published").latest("id").payload["slot"] == "bunn"


def test_an_edge_that_arrives_with_a_slot_publishes():
    edge(node("content", "sak"), "belongs_to", node("collection", "nyheter"), slot="topp")
    assert ("node.published", "INSERT") in events()


def test_one_statement_that_writes_many_rows_raises_an_event_for_each():
    with connection.cursor() as cursor:
        cursor.execute("INSERT INTO nodes (node_kind) SELECT 'content' FROM generate_series(1, 50)")
    assert events() == [("node.created", "INSERT")] * 50


def test_the_chain_of_the_writing_transaction_is_kept():
    chain = [new_id(), new_id()]
    with connection.cursor() as cursor:
        cursor.execute("SELECT set_config('synops.chain', %s, true)", ["{" + ",".join(map(str, chain)) + "}"])
    node("content", "sak")
    assert GraphEvent.objects.get().chain == chain
    with connection.cursor() as cursor:
        cursor.execute("SELECT set_config('synops.chain', '', true)")
    node("content", "neste")
    assert GraphEvent.objects.latest("id").chain is None


def test_changing_a_node_moves_its_change_time():
    story = node("content", "sak")
    with connection.cursor() as cursor:
        cursor.execute("ALTER TABLE nodes DISABLE TRIGGER nodes_touched")
        cursor.execute("UPDATE nodes SET updated_at = now() - interval '1 day' WHERE id = %s", [story.pk])
        cursor.execute("ALTER TABLE nodes ENABLE TRIGGER nodes_touched")
    before = Node.objects.get(pk=story.pk).updated_at
    Node.objects.filter(pk=story.pk).update(title="ny")
    assert Node.objects.get(pk=story.pk).updated_at > before
