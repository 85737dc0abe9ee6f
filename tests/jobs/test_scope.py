"""What a payload names must lie in the job's collection."""

from __future__ import annotations

import pytest

from jobs import queue, scope
from jobs.enqueueing import Refused, enqueue_checked
from jobs.queue import NewJob
from jobs.tool_discovery import discover
from jobs.tool_nodes import sync
from synops.graph.columns import new_id
from synops.store.identities import SYSTEM_COLLECTION_ID
from synops.tools.describe import Description, Param
from tests.jobs.arrange import add_worker, claim, succeed

pytestmark = [pytest.mark.django_db, pytest.mark.sql]

TOOL = Description(
    "synops-x", "1", {}, params=(Param("node_id", "uuid"), Param("cas_hash", "hash"), Param("note", "string"))
)
HASH = "ab" * 32


@pytest.fixture
def cursor(each_cursor):
    return each_cursor


def node(cursor, kind="content", metadata="{}"):
    id = new_id()
    cursor.execute(
        "INSERT INTO nodes (id, node_kind, metadata) VALUES (%(id)s, %(kind)s, %(metadata)s::jsonb)",
        {"id": id, "kind": kind, "metadata": metadata},
    )
    return id


def edge(cursor, source, edge_type, target):
    cursor.execute(
        "INSERT INTO edges (source_id, edge_type, target_id) VALUES (%(a)s, %(t)s, %(b)s)",
        {"a": source, "t": edge_type, "b": target},
    )


def test_inside_are_the_collection_what_belongs_to_it_and_its_people(cursor):
    desk, news = node(cursor, "collection"), node(cursor, "collection")
    edge(cursor, desk, "belongs_to", news)
    story, member, stranger = node(cursor), node(cursor, "person"), node(cursor)
    edge(cursor, story, "belongs_to", desk)
    edge(cursor, member, "member", news)
    for inside in (news, desk, story, member):
        assert scope.outside(cursor, TOOL, {"node_id": str(inside)}, news) == []
    assert scope.outside(cursor, TOOL, {"node_id": str(stranger)}, news) == [
        f"node_id: node {stranger} does not lie in the job's collection"
    ]
    assert scope.outside(cursor, TOOL, {"node_id": str(news)}, desk), "a part does not reach its whole"


def test_a_file_is_inside_when_a_node_of_the_collection_holds_it(cursor):
    news, other = node(cursor, "collection"), node(cursor, "collection")
    edge(cursor, node(cursor, "media", f'{{"cas_hash": "{HASH}"}}'), "belongs_to", news)
    assert scope.outside(cursor, TOOL, {"cas_hash": HASH}, news) == []
    assert scope.outside(cursor, TOOL, {"cas_hash": HASH}, other) == [
        f"cas_hash: file {HASH} does not lie in the job's collection"
    ]
    assert scope.outside(cursor, TOOL, {"cas_hash": HASH}, SYSTEM_COLLECTION_ID) == [], "the system's own jobs"


def test_a_file_that_an_earlier_step_of_the_run_made_is_inside(cursor):
    news, run = node(cursor, "collection"), new_id()
    queue.enqueue(cursor, NewJob(news, "alpha", {}, run_id=run))
    [job] = claim(cursor, add_worker(cursor))
    queue.finish(cursor, [succeed(job, {"srt_hash": HASH})])
    assert scope.outside(cursor, TOOL, {"cas_hash": HASH}, news, run) == []
    assert scope.outside(cursor, TOOL, {"cas_hash": HASH}, news, new_id()) != []


def test_enqueuing_refuses_what_lies_outside(cursor):
    sync(cursor, discover({}))
    news = node(cursor, "collection")
    with pytest.raises(Refused, match="does not lie in the job's collection"):
        enqueue_checked(cursor, NewJob(news, "checksum", {"cas_hash": HASH}))
