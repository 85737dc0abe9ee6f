from __future__ import annotations

import json
from typing import Any
from uuid import UUID

from django.db import connection

from synops.demo.data import DemoNodes, demo_id
from synops.store.edges import Edge, insert_edge
from synops.store.nodes import Node, insert_node
from tests.tools.conftest import Outcome, Workshop, rows, running_job


def add(name: str, kind: str = "article", place: dict[str, Any] | None = None, home: bool = True) -> UUID:
    with connection.cursor() as cur:
        insert_node(cur, Node(demo_id(name), kind, name))
        if home:
            insert_edge(cur, Edge(demo_id(name), "belongs_to", demo_id("collection"), place or {}))
    return demo_id(name)


def publish(workshop: Workshop, demo: DemoNodes, node: UUID, *flags: str) -> Outcome:
    return workshop.run(
        "synops-publish", f"--node-id={node}", "--write", *flags, **running_job(demo.collection, "publish")
    )


def place_of(node: UUID) -> dict[str, Any]:
    [(text,)] = rows("SELECT metadata::text FROM edges WHERE source_id = %s AND edge_type = 'belongs_to'", node)
    found: dict[str, Any] = json.loads(text)
    return found


def published_events() -> int:
    [(count,)] = rows("SELECT count(*) FROM graph_events WHERE event = 'node.published'")
    return int(count)


def test_publishing_gives_a_slot_and_a_time_once(database_workshop: Workshop, demo: DemoNodes) -> None:
    node = add("sak")
    first = publish(database_workshop, demo, node).result
    assert (first["slot"], first["changed"], first["scheduled_for"]) == ("main", True, None)
    assert place_of(node) == {"slot": "main", "published_at": first["published_at"]}
    assert published_events() == 1
    again = publish(database_workshop, demo, node).result
    assert again == {**first, "changed": False}
    assert published_events() == 1
    moved = publish(database_workshop, demo, node, "--slot=top").result
    assert (moved["slot"], moved["published_at"]) == ("top", first["published_at"])
    assert published_events() == 2


def test_a_time_to_come_is_planned_and_its_place_remembered(database_workshop: Workshop, demo: DemoNodes) -> None:
    node = add("sak")
    planned = publish(database_workshop, demo, node, "--at=2999-12-24T17:00", "--slot=top").result
    assert (planned["scheduled_for"], planned["published_at"]) == ("2999-12-24T17:00:00+01:00", None)
    assert rows("SELECT metadata ->> 'scheduled_for' FROM nodes WHERE id = %s", node) == [(planned["scheduled_for"],)]
    assert published_events() == 0
    assert publish(database_workshop, demo, node, "--at=2999-12-24T17:00", "--slot=top").result["changed"] is False
    assert publish(database_workshop, demo, node).result["slot"] == "top"
    assert published_events() == 1


def test_a_time_that_has_passed_is_the_time_of_publication(database_workshop: Workshop, demo: DemoNodes) -> None:
    node = add("sak", place={"publish_at": "2999-01-01T00:00:00Z"})
    result = publish(database_workshop, demo, node, "--at=2020-07-01T12:00:00").result
    assert result["published_at"] == "2020-07-01T12:00:00+02:00"
    assert place_of(node)["publish_at"] is None


def test_what_can_not_be_published(database_workshop: Workshop, demo: DemoNodes) -> None:
    def failed(node: UUID) -> tuple[int, str]:
        done = database_workshop.run("synops-publish", f"--node-id={node}", "--write")
        return done.code, done.stderr.splitlines()[-1]

    assert failed(demo_id("nothing"))[0] == 66
    assert failed(add("loose", home=False))[0] == 66
    assert failed(demo.collection)[0] == 65
    assert failed(add("who", "person"))[0] == 65
    assert database_workshop.run("synops-publish", f"--node-id={add('sak')}", "--at=snart").code == 64
    shown = database_workshop.run("synops-publish", f"--node-id={demo_id('sak')}").result
    assert (shown["changed"], place_of(demo_id("sak"))) == (True, {})


def test_a_lost_job_publishes_nothing(database_workshop: Workshop, demo: DemoNodes) -> None:
    node = add("sak")
    job = running_job(demo.collection, "publish") | {"SYNOPS_LEASE": "9"}
    assert database_workshop.run("synops-publish", f"--node-id={node}", "--write", **job).code == 75
    assert place_of(node) == {}
