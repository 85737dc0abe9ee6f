"""Nodes, as SQL on any cursor: what tools and jobs write without Django. Columns: docs/graph.md.

Writing never commits: the caller's transaction holds the node, its edges and the job's fence together.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

from synops.store.sanitise import clean_text, dumps
from synops.store.sql import Cursor, load


class UnknownNode(LookupError):
    """There is no node with this id."""


@dataclass(frozen=True, slots=True)
class Node:
    """A row of `nodes` without its times, which the database keeps."""

    id: UUID
    node_kind: str
    title: str = ""
    content: str = ""
    metadata: Mapping[str, Any] = field(default_factory=dict)


def insert_node(cur: Cursor, node: Node) -> None:
    """Add a new node. An id that is taken raises the driver's unique violation."""
    cur.execute(
        """INSERT INTO nodes (id, node_kind, title, content, metadata)
           VALUES (%(id)s, %(node_kind)s, %(title)s, %(content)s, %(metadata)s::jsonb)""",
        _parameters(node),
    )


def upsert_node(cur: Cursor, node: Node) -> None:
    """Add the node, or make the one with its id equal to it; a node that is equal already raises no event."""
    cur.execute(load("synops.store", "upsert_node"), _parameters(node))


def update_node(
    cur: Cursor,
    node_id: UUID,
    *,
    title: str | None = None,
    content: str | None = None,
    metadata: Mapping[str, Any] | None = None,
) -> bool:
    """Change what is given and keep the rest; False if there is no such node.

    `metadata` is merged key by key at the top level, and a key given as None is removed.
    """
    given = dict(metadata or {})
    cur.execute(
        load("synops.store", "update_node"),
        {
            "id": node_id,
            "title": None if title is None else clean_text(title),
            "content": None if content is None else clean_text(content),
            "set": dumps({key: value for key, value in given.items() if value is not None}),
            "removed": [key for key, value in given.items() if value is None],
        },
    )
    return cur.rowcount == 1


def delete_node(cur: Cursor, node_id: UUID) -> bool:
    """Remove a node and, by the schema's cascades, its edges; False if there was none."""
    cur.execute("DELETE FROM nodes WHERE id = %(id)s", {"id": node_id})
    return cur.rowcount == 1


def get_node(cur: Cursor, node_id: UUID) -> Node:
    """Read one node. Raises UnknownNode."""
    cur.execute("SELECT id, node_kind, title, content, metadata::text FROM nodes WHERE id = %(id)s", {"id": node_id})
    row = cur.fetchone()
    if row is None:
        raise UnknownNode(f"there is no node {node_id}")
    return Node(row[0], row[1], row[2], row[3], json.loads(row[4]))


def _parameters(node: Node) -> dict[str, Any]:
    return {
        "id": node.id,
        "node_kind": node.node_kind,
        "title": clean_text(node.title),
        "content": clean_text(node.content),
        "metadata": dumps(dict(node.metadata)),
    }
