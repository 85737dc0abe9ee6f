from __future__ import annotations

from collections.abc import Callable
from uuid import UUID, uuid4

import pytest
from django.db import IntegrityError as DjangoIntegrityError
from psycopg import IntegrityError

from synops.store.edges import Edge, delete_edge, edges_from, edges_to, insert_edge
from synops.store.nodes import Node, UnknownNode, delete_node, get_node, insert_node, update_node, upsert_node
from synops.store.sql import Cursor

VIOLATION = (IntegrityError, DjangoIntegrityError)


def new_node(cur: Cursor, **fields: object) -> Node:
    node = Node(**{"id": uuid4(), "node_kind": "content", "metadata": {"a": 1, "b": {"c": [None]}}} | fields)  # type: ignore[arg-type]
    insert_node(cur, node)
    return node


def events(cur: Cursor, event: str, node: UUID) -> int:
    cur.execute(
        "SELECT count(*) FROM graph_events WHERE event = %(event)s AND node_id = %(node)s",
        {"event": event, "node": node},
    )
    row = cur.fetchone()
    assert row is not None
    return int(row[0])


def changes(cur: Cursor, question: str, key: UUID) -> tuple[object, ...]:
    cur.execute(question, {"id": key})
    row = cur.fetchone()
    assert row is not None
    return row


def test_a_node_comes_back_as_it_was_written(cur: Cursor) -> None:
    node = new_node(cur, title="Tittel 🎙", content="linje\nto", metadata={"cas_hash": "ab", "n": [1, {"x": None}]})
    assert get_node(cur, node.id) == node


def test_what_the_database_can_not_hold_does_not_break_the_write(cur: Cursor) -> None:
    node = new_node(cur, title="a\x00b", content="\ud800", metadata={"k\x00": "\udfff"})
    assert get_node(cur, node.id) == Node(node.id, "content", "a\ufffdb", "\ufffd", {"k\ufffd": "\ufffd"})


def test_a_taken_id_is_refused(cur: Cursor) -> None:
    node = new_node(cur)
    with pytest.raises(VIOLATION):
        insert_node(cur, node)


def test_upsert_makes_the_row_equal_and_leaves_an_equal_row_alone(cur: Cursor) -> None:
    node = new_node(cur, title="old", metadata={"old": True})
    row = "SELECT xmin::text, title, metadata::text FROM nodes WHERE id = %(id)s"
    upsert_node(cur, Node(node.id, "content", "new", "text", {"new": True}))
    assert get_node(cur, node.id) == Node(node.id, "content", "new", "text", {"new": True})
    before = changes(cur, "SELECT ctid::text FROM nodes WHERE id = %(id)s", node.id)
    upsert_node(cur, Node(node.id, "content", "new", "text", {"new": True}))
    assert changes(cur, "SELECT ctid::text FROM nodes WHERE id = %(id)s", node.id) == before
    assert changes(cur, row, node.id)[1] == "new"


def test_update_changes_what_is_given_and_keeps_the_rest(cur: Cursor) -> None:
    node = new_node(cur, title="title", content="content", metadata={"keep": 1, "change": 1, "drop": 1})
    assert update_node(cur, node.id, metadata={"change": {"deep": 2}, "drop": None, "add": False})
    expected = {"keep": 1, "change": {"deep": 2}, "add": False}
    assert get_node(cur, node.id) == Node(node.id, "content", "title", "content", expected)
    assert update_node(cur, node.id, title="", content="new")
    assert get_node(cur, node.id) == Node(node.id, "content", "", "new", expected)


def test_nothing_happens_to_a_node_that_is_not_there(cur: Cursor) -> None:
    assert not update_node(cur, uuid4(), title="x")
    assert not delete_node(cur, uuid4())
    with pytest.raises(UnknownNode):
        get_node(cur, uuid4())


def test_deleting_a_node_takes_its_edges(cur: Cursor) -> None:
    one, two = new_node(cur), new_node(cur)
    insert_edge(cur, Edge(one.id, "mentions", two.id))
    assert delete_node(cur, one.id)
    assert edges_to(cur, two.id, "mentions") == []


def test_two_nodes_are_joined_once_by_each_type(cur: Cursor) -> None:
    one, two = new_node(cur), new_node(cur)
    first = insert_edge(cur, Edge(one.id, "has_media", two.id, {"role": "main"}))
    again = insert_edge(cur, Edge(one.id, "has_media", two.id, {"order": 1}))
    other = insert_edge(cur, Edge(one.id, "mentions", two.id))
    assert first == again != other
    assert edges_from(cur, one.id, "has_media") == [
        Edge(one.id, "has_media", two.id, {"role": "main", "order": 1}, first)
    ]
    assert [edge.id for edge in edges_to(cur, two.id, "mentions")] == [other]


def test_an_edge_drawn_by_hand_keeps_its_id(cur: Cursor) -> None:
    one, two, own = new_node(cur), new_node(cur), uuid4()
    assert insert_edge(cur, Edge(one.id, "mentions", two.id, {}, own)) == own
    assert insert_edge(cur, Edge(one.id, "mentions", two.id, {"score": 0.5})) == own


def test_the_same_edge_again_raises_no_second_event(cur: Cursor) -> None:
    one, two = new_node(cur), new_node(cur, node_kind="collection")
    for _ in range(3):
        insert_edge(cur, Edge(one.id, "belongs_to", two.id, {"slot": "front"}))
    assert events(cur, "node.published", one.id) == 1
    insert_edge(cur, Edge(one.id, "belongs_to", two.id, {"slot": "archive"}))
    assert events(cur, "node.published", one.id) == 2


def test_delete_edge(cur: Cursor) -> None:
    one, two = new_node(cur), new_node(cur)
    edge = insert_edge(cur, Edge(one.id, "mentions", two.id))
    assert delete_edge(cur, edge)
    assert not delete_edge(cur, edge)


@pytest.mark.parametrize("make", [lambda there, gone: (there, gone), lambda there, gone: (gone, there)])
def test_both_ends_must_exist(cur: Cursor, make: Callable[[UUID, UUID], tuple[UUID, UUID]]) -> None:
    source, target = make(new_node(cur).id, uuid4())
    with pytest.raises(VIOLATION):
        insert_edge(cur, Edge(source, "mentions", target))
