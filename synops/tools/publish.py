"""synops-publish: publishes a text or an episode in its collection: gives it a slot now, or a time to get one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from synops.tools.describe import Description, Param
from synops.tools.program import run

if TYPE_CHECKING:
    from datetime import datetime
    from uuid import UUID

    from synops.store.edges import Edge
    from synops.store.nodes import Node
    from synops.store.sql import Cursor
    from synops.tools.call import Call

DEFAULT_SLOT: Final = "main"
#: What is not for readers: how the system is made, and what it tells its people.
UNPUBLISHABLE: Final = frozenset(
    {"collection", "media", "person", "orchestration", "cli_tool", "ai_preset", "work_item", "notice", "topic", "tag"}
)

DESCRIPTION = Description(
    name="synops-publish",
    version="0.1.0",
    description={
        "nb": "Publiserer en sak eller episode i samlingen, nå eller på et tidspunkt.",
        "en": "Publishes an article or episode in its collection, now or at a given time.",
    },
    job_types=("publish",),
    rank=3,
    aliases={
        "nb": ("publiser", "legg ut", "slipp"),
        "nn": ("publiser", "legg ut", "slepp"),
        "en": ("publish", "release"),
    },
    params=(
        Param(
            name="node_id",
            type="uuid",
            required=True,
            bind=("event.node_id", "event.target_id"),
            hints={
                "nb": ("episode", "artikkel", "sak", "node", "tekst"),
                "nn": ("episode", "artikkel", "sak", "node", "tekst"),
                "en": ("the episode", "the article", "the story", "the text"),
            },
            description={"nb": "Det som skal publiseres.", "en": "What is to be published."},
        ),
        Param(
            name="slot",
            type="string",
            enum_open=True,
            enum={
                "main": {"nb": ("vanlig plass",), "nn": ("vanleg plass",), "en": ("ordinary place",)},
                "top": {"nb": ("øverst",), "nn": ("øvst",), "en": ("at the top",)},
            },
            description={
                "nb": "Plassen; uten valg den det har eller var planlagt til, ellers main.",
                "en": "The place; without a choice the one it has or was planned for, else main.",
            },
        ),
        Param(
            name="at",
            type="date",
            description={
                "nb": "Tidspunktet; et som kommer, planlegges og publiseres av oppskriften for planlagt publisering.",
                "en": "When; a time to come is planned, and the recipe for planned publishing publishes it then.",
            },
        ),
    ),
    outputs={
        "node_id": "uuid",
        "collection_id": "uuid",
        "slot": "string",
        "published_at": "string",
        "scheduled_for": "string",
        "changed": "boolean",
    },
    database="write",
    settings=("TIME_ZONE",),
    exit_codes="sysexits",
    examples=(
        "synops-publish --node-id=0190f5a6-0000-7000-8000-000000000001 --write",
        "synops-publish --node-id=0190f5a6-0000-7000-8000-000000000001 --slot=top --at=2026-12-24T17:00 --write",
    ),
)


def work(call: Call) -> dict[str, Any]:
    """Read and write in one transaction: what is published already stays as it is and raises no event."""
    if call.write:
        from synops.tools.database import writing

        with writing(call) as cur:
            return _publish(call, cur)
    from synops.tools.database import reading

    with reading(call) as cur:
        return _publish(call, cur)


def _publish(call: Call, cur: Cursor) -> dict[str, Any]:
    from synops.store.episodes import database_now

    node, edge, now = _node(call, cur), _edge(call, cur), database_now(cur)
    slot = call.payload["slot"] or edge.metadata.get("slot") or edge.metadata.get("planned_slot") or DEFAULT_SLOT
    result = {
        "node_id": str(node.id),
        "collection_id": str(edge.target),
        "slot": slot,
        "published_at": None,
        "scheduled_for": None,
    }
    wanted = _moment(call)
    if wanted and wanted > now:
        return result | _plan(call, cur, node, edge, slot, wanted)
    return result | _place(call, cur, edge, slot, wanted or now, now)


def _plan(call: Call, cur: Cursor, node: Node, edge: Edge, slot: str, wanted: datetime) -> dict[str, Any]:
    """The node gets its time, and the steward raises `scheduled.due` when it has come."""
    from synops.store.edges import Edge, insert_edge
    from synops.store.nodes import update_node

    at = wanted.isoformat()
    changed = node.metadata.get("scheduled_for") != at or edge.metadata.get("planned_slot") != slot
    if call.write and changed:
        update_node(cur, node.id, metadata={"scheduled_for": at})
        insert_edge(cur, Edge(edge.source, "belongs_to", edge.target, {"planned_slot": slot}))
    return {"scheduled_for": at, "changed": changed}


def _place(call: Call, cur: Cursor, edge: Edge, slot: str, moment: datetime, now: datetime) -> dict[str, Any]:
    """The edge gets its slot. The first time of publication stays: readers have seen it."""
    from synops.store import metadata
    from synops.store.edges import Edge, insert_edge

    first = metadata.moment(edge.metadata.get("published_at"))
    at = (first or moment.replace(microsecond=0)).isoformat()
    told: dict[str, Any] = {"slot": slot} if first else {"slot": slot, "published_at": at}
    planned = metadata.moment(edge.metadata.get("publish_at"))
    if planned and planned > now:
        told["publish_at"] = None  # published now, whatever had been planned
    changed = not edge.metadata.items() >= told.items()
    if call.write and changed:
        insert_edge(cur, Edge(edge.source, "belongs_to", edge.target, told))
    return {"published_at": at, "changed": changed}


def _node(call: Call, cur: Cursor) -> Node:
    from synops.store.nodes import UnknownNode, get_node
    from synops.tools.failures import BadInput, NoInput

    try:
        node = get_node(cur, call.uuid("node_id"))
    except UnknownNode as error:
        raise NoInput(str(error)) from error
    if node.node_kind in UNPUBLISHABLE:
        raise BadInput(f"node {node.id} is of kind {node.node_kind}, which is not published")
    return node


def _edge(call: Call, cur: Cursor) -> Edge:
    """The node's place in the job's collection, or by hand in its own; as it is now, or an empty one."""
    from synops.store.collections import UnknownCollection, collection_config
    from synops.store.edges import Edge, edges_from
    from synops.store.segments import collections_of
    from synops.tools.failures import NoInput

    node = call.uuid("node_id")
    homes = [call.collection_id] if call.collection_id else collections_of(cur, node)
    if not homes:
        raise NoInput(f"node {node} belongs to no collection, so there is nowhere to publish it")
    collection: UUID = homes[0]
    try:
        collection_config(cur, collection)
    except UnknownCollection as error:
        raise NoInput(str(error)) from error
    there = [edge for edge in edges_from(cur, node, "belongs_to") if edge.target == collection]
    return there[0] if there else Edge(node, "belongs_to", collection)


def _moment(call: Call) -> datetime | None:
    """The time asked for; one without an offset is local."""
    from datetime import datetime
    from zoneinfo import ZoneInfo

    from synops.store.locations import DEFAULT_TIME_ZONE

    if not call.payload["at"]:
        return None
    moment = datetime.fromisoformat(call.payload["at"])
    return (
        moment if moment.tzinfo else moment.replace(tzinfo=ZoneInfo(call.environ.get("TIME_ZONE") or DEFAULT_TIME_ZONE))
    )


def main() -> int:
    """The console script."""
    return run(DESCRIPTION, work)
