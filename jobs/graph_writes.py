"""The pg_* job types: the write path into the graph, with order, retry and dead letters (spec, jobbkø §5).

Each runs inside the worker in the transaction that also records its end. What a job names must lie in its collection:
a job of one collection can't change another's nodes.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from uuid import UUID, uuid5

from jobs.payload_schema import Schema, problems
from jobs.queue import ClaimedJob
from jobs.registries import Inline, InlineRefused, Registries
from synops.graph import edge_checks
from synops.store import edges, nodes
from synops.store.edges import Edge
from synops.store.identities import NAMESPACE
from synops.store.nodes import Node
from synops.store.sql import Cursor

# Kinds that say how the system behaves: they have their own ways in, with their own permissions.
GUARDED_KINDS = frozenset({"cli_tool", "collection", "person"})

_ID: Schema = {"type": "string", "format": "uuid"}
_NAME: Schema = {"type": "string", "minLength": 1, "maxLength": 200}
_EDGE: Schema = {
    "type": "object",
    "properties": {"edge_type": _NAME, "target_id": _ID, "metadata": {"type": "object"}},
    "required": ["edge_type", "target_id"],
    "additionalProperties": False,
}


def _object(properties: dict[str, Schema], *required: str) -> Schema:
    return {"type": "object", "properties": properties, "required": list(required), "additionalProperties": False}


_CONTENT: dict[str, Schema] = {
    "title": {"type": "string"},
    "content": {"type": "string"},
    "metadata": {"type": "object"},
}
SCHEMAS: dict[str, Schema] = {
    "pg_insert_node": _object(
        {"id": _ID, "node_kind": _NAME, **_CONTENT, "edges": {"type": "array", "items": _EDGE}}, "node_kind"
    ),
    "pg_update_node": _object({"id": _ID, **_CONTENT}, "id"),
    "pg_delete_node": _object({"id": _ID}, "id"),
    "pg_insert_edge": _object({"source_id": _ID, **_EDGE["properties"]}, "source_id", "edge_type", "target_id"),
    "pg_delete_edge": _object({"id": _ID}, "id"),
}


def register(registries: Registries) -> None:
    """Register the five types."""
    for job_type, run in HANDLERS.items():
        registries.register_inline(Inline(job_type, run, _validator(job_type), _order_key(job_type), SCHEMAS[job_type]))


def _validator(job_type: str) -> Any:
    return lambda payload: problems(SCHEMAS[job_type], payload)


def _order_key(job_type: str) -> Any:
    """Jobs for one node, or one edge, run in the order in which they were enqueued."""
    if job_type == "pg_insert_edge":
        return lambda payload: f"edge:{edges.edge_id(_edge(payload['source_id'], payload))}"
    what = "edge" if job_type == "pg_delete_edge" else "node"
    return lambda payload: f"{what}:{payload['id']}" if "id" in payload else None


def insert_node(cursor: Cursor, job: ClaimedJob) -> dict[str, Any]:
    """A node, its edges, and its place in the job's collection. Its id is the payload's, or derived from the job's."""
    payload = job.payload
    _refuse_guarded(payload["node_kind"])
    node = UUID(payload["id"]) if "id" in payload else uuid5(NAMESPACE, f"job:{job.id}")
    nodes.insert_node(
        cursor,
        Node(
            node,
            payload["node_kind"],
            payload.get("title", ""),
            payload.get("content", ""),
            payload.get("metadata", {}),
        ),
    )
    wanted = [_edge(node, edge) for edge in payload.get("edges", [])]
    if Edge(node, "belongs_to", job.collection_id) not in [Edge(e.source, e.edge_type, e.target) for e in wanted]:
        wanted.append(Edge(node, "belongs_to", job.collection_id))
    for edge in wanted:
        _require_in_collection(cursor, edge.target, job)
        _require_agreement(cursor, edge)
        edges.insert_edge(cursor, edge)
    return {"node_id": str(node)}


def update_node(cursor: Cursor, job: ClaimedJob) -> dict[str, Any]:
    """Change what is given; metadata is merged key by key, and a key given as null is removed."""
    node = UUID(job.payload["id"])
    _require_in_collection(cursor, node, job)
    _refuse_guarded(nodes.get_node(cursor, node).node_kind)
    changes = {name: job.payload[name] for name in _CONTENT if name in job.payload}
    nodes.update_node(cursor, node, **changes)
    return {"node_id": str(node)}


def delete_node(cursor: Cursor, job: ClaimedJob) -> dict[str, Any]:
    """Delete a node with its edges. One that is gone already is done: the job may run again after a crash."""
    node = UUID(job.payload["id"])
    try:
        kind = nodes.get_node(cursor, node).node_kind
    except nodes.UnknownNode:
        return {"deleted": False}
    _refuse_guarded(kind)
    _require_in_collection(cursor, node, job)
    return {"deleted": nodes.delete_node(cursor, node)}


def insert_edge(cursor: Cursor, job: ClaimedJob) -> dict[str, Any]:
    """Join two nodes of the collection; access follows in the same transaction, by the database's own trigger."""
    edge = _edge(job.payload["source_id"], job.payload)
    for end in (edge.source, edge.target):
        _require_in_collection(cursor, end, job)
    _require_agreement(cursor, edge)
    return {"edge_id": str(edges.insert_edge(cursor, edge))}


def delete_edge(cursor: Cursor, job: ClaimedJob) -> dict[str, Any]:
    """Remove an edge. What it had published is withdrawn by the event that the database raises (docs/graph.md)."""
    id = UUID(job.payload["id"])
    cursor.execute("SELECT source_id FROM edges WHERE id = %(id)s", {"id": id})
    found = cursor.fetchone()
    if found is None:
        return {"deleted": False}
    _require_in_collection(cursor, found[0], job)
    return {"deleted": edges.delete_edge(cursor, id)}


HANDLERS = {
    "pg_insert_node": insert_node,
    "pg_update_node": update_node,
    "pg_delete_node": delete_node,
    "pg_insert_edge": insert_edge,
    "pg_delete_edge": delete_edge,
}


def _edge(source: UUID | str, payload: Mapping[str, Any]) -> Edge:
    return Edge(UUID(str(source)), payload["edge_type"], UUID(payload["target_id"]), payload.get("metadata", {}))


def _refuse_guarded(kind: str) -> None:
    if kind in GUARDED_KINDS:
        raise InlineRefused("guarded_kind", f"nodes of kind {kind} are not written by jobs")


def _require_in_collection(cursor: Cursor, node: UUID, job: ClaimedJob) -> None:
    """The node is the job's collection, or belongs to it. A node that does not exist yet may come: not refused for good."""
    if node == job.collection_id:
        return
    cursor.execute(
        "SELECT EXISTS (SELECT FROM edges WHERE source_id = %(node)s AND edge_type = 'belongs_to' "
        "AND target_id = %(collection)s)",
        {"node": node, "collection": job.collection_id},
    )
    if not (cursor.fetchone() or (False,))[0]:
        nodes.get_node(cursor, node)
        raise InlineRefused("outside_collection", f"node {node} does not belong to the job's collection")


def _require_agreement(cursor: Cursor, edge: Edge) -> None:
    if why := edge_checks.refusal(cursor, edge.source, edge.edge_type, edge.target):
        raise InlineRefused("edge_refused", why)
