"""The pg_* jobs: what they write, what they refuse, and that they can run again."""

from __future__ import annotations

import json
from uuid import uuid4

import pytest

from jobs import queue
from jobs.enqueueing import Refused, enqueue_checked
from jobs.graph_writes import HANDLERS
from jobs.queue import NewJob
from jobs.registries import registries
from jobs.worker.inline import run_batch
from synops.graph.columns import new_id
from synops.store.identities import SYSTEM_COLLECTION_ID
from tests.jobs.arrange import add_worker, row

pytestmark = [pytest.mark.django_db, pytest.mark.sql]


@pytest.fixture
def cursor(each_cursor):
    return each_cursor


def add_node(cursor, kind="content", collection=SYSTEM_COLLECTION_ID):
    node = new_id()
    cursor.execute("INSERT INTO nodes (id, node_kind) VALUES (%(id)s, %(kind)s)", {"id": node, "kind": kind})
    if collection:
        cursor.execute(
            "INSERT INTO edges (source_id, target_id, edge_type) VALUES (%(a)s, %(b)s, 'belongs_to')",
            {"a": node, "b": collection},
        )
    return node


def enqueue(cursor, job_type, collection=SYSTEM_COLLECTION_ID, **payload):
    return enqueue_checked(cursor, NewJob(collection, job_type, payload))


def run(cursor):
    types = list(HANDLERS)
    run_batch(cursor, queue.claim_inline(cursor, worker_id=add_worker(cursor), types=types), registries.inline)


def result(cursor, id):
    status, text = row(cursor, id, "status::text, result::text")
    return status, json.loads(text) if text else None


def reason(cursor, id):
    cursor.execute("SELECT reason FROM job_attempts WHERE job_id = %(id)s ORDER BY lease DESC LIMIT 1", {"id": id})
    return cursor.fetchone()[0]


def count(cursor, query, **parameters):
    cursor.execute(query, parameters)
    return cursor.fetchone()[0]


def test_a_node_arrives_with_its_edges_and_its_place_in_one_go(cursor):
    friend = add_node(cursor)
    job = enqueue(
        cursor,
        "pg_insert_node",
        node_kind="content",
        title="Blåbær",
        metadata={"lang": "nb"},
        edges=[{"edge_type": "mentions", "target_id": str(friend)}],
    )
    run(cursor)
    status, written = result(cursor, job)
    assert status == "completed"
    cursor.execute(
        "SELECT edge_type, target_id FROM edges WHERE source_id = %(id)s ORDER BY edge_type", {"id": written["node_id"]}
    )
    assert [tuple(edge) for edge in cursor.fetchall()] == [("belongs_to", SYSTEM_COLLECTION_ID), ("mentions", friend)]


def test_update_merges_metadata_and_delete_takes_the_edges_along(cursor):
    node = add_node(cursor)
    cursor.execute('UPDATE nodes SET metadata = \'{"a": 1, "b": 2}\' WHERE id = %(id)s', {"id": node})
    enqueue(cursor, "pg_update_node", id=str(node), title="ny", metadata={"b": None, "c": 3})
    delete = enqueue(cursor, "pg_delete_node", id=str(node))
    run(cursor)
    assert result(cursor, delete) == ("pending", None), "for one node, one after another"
    cursor.execute("SELECT title, metadata::text FROM nodes WHERE id = %(id)s", {"id": node})
    title, metadata = cursor.fetchone()
    assert (title, json.loads(metadata)) == ("ny", {"a": 1, "c": 3})
    run(cursor)
    assert result(cursor, delete) == ("completed", {"deleted": True})
    assert count(cursor, "SELECT count(*) FROM edges WHERE source_id = %(id)s", id=node) == 0


def test_edges_come_and_go_and_can_do_so_twice(cursor):
    a, b = add_node(cursor), add_node(cursor)
    first = enqueue(cursor, "pg_insert_edge", source_id=str(a), edge_type="mentions", target_id=str(b))
    run(cursor)
    _, written = result(cursor, first)
    again = enqueue(cursor, "pg_insert_edge", source_id=str(a), edge_type="mentions", target_id=str(b))
    run(cursor)
    assert result(cursor, again) == ("completed", written)
    gone = [enqueue(cursor, "pg_delete_edge", id=written["edge_id"]) for _ in range(2)]
    run(cursor)
    run(cursor)
    assert [result(cursor, job)[1] for job in gone] == [{"deleted": True}, {"deleted": False}]


def test_a_job_of_one_collection_cannot_touch_anothers_nodes(cursor):
    other = add_node(cursor, "collection", collection=None)
    theirs, mine = add_node(cursor, collection=other), add_node(cursor)
    jobs = [
        enqueue(cursor, "pg_update_node", id=str(theirs), title="kapret"),
        enqueue(
            cursor, "pg_insert_edge", source_id=str(theirs), edge_type="belongs_to", target_id=str(SYSTEM_COLLECTION_ID)
        ),
        enqueue(
            cursor, "pg_insert_node", node_kind="content", edges=[{"edge_type": "belongs_to", "target_id": str(other)}]
        ),
    ]
    run(cursor)
    assert [(result(cursor, job)[0], reason(cursor, job)) for job in jobs] == [("error", "outside_collection")] * 3
    delete = enqueue(cursor, "pg_delete_node", id=str(theirs))
    run(cursor)
    assert reason(cursor, delete) == "outside_collection"
    assert count(cursor, "SELECT count(*) FROM nodes WHERE id IN (%(a)s, %(b)s)", a=theirs, b=mine) == 2


@pytest.mark.parametrize("kind", ["cli_tool", "person", "collection"])
def test_kinds_that_steer_the_system_are_not_written_by_jobs(cursor, kind):
    insert = enqueue(cursor, "pg_insert_node", node_kind=kind)
    update = enqueue(cursor, "pg_update_node", id=str(add_node(cursor, kind)), title="x")
    run(cursor)
    assert {reason(cursor, insert), reason(cursor, update)} == {"guarded_kind"}


def test_an_edge_to_a_node_that_is_not_there_yet_is_tried_again(cursor):
    a, later = add_node(cursor), uuid4()
    job = enqueue(cursor, "pg_insert_edge", source_id=str(a), edge_type="mentions", target_id=str(later))
    run(cursor)
    assert result(cursor, job)[0] == "retry"


@pytest.mark.parametrize(
    ("job_type", "payload", "said"),
    [
        ("pg_insert_node", {}, "'node_kind' is a required property"),
        ("pg_insert_node", {"node_kind": "content", "user": 1}, "'user' was unexpected"),
        ("pg_update_node", {"id": "tre"}, "'tre' is not a 'uuid'"),
        (
            "pg_insert_node",
            {"node_kind": "content", "edges": [{"edge_type": "x"}]},
            "'target_id' is a required property",
        ),
    ],
)
def test_what_does_not_fit_is_refused_when_enqueued_with_the_place(cursor, job_type, payload, said):
    with pytest.raises(Refused, match=said):
        enqueue_checked(cursor, NewJob(SYSTEM_COLLECTION_ID, job_type, payload))
