"""Edges, as SQL on any cursor. Two nodes are joined at most once by each type; types and slots: docs/graph.md."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID, uuid5

from synops.store.identities import NAMESPACE
from synops.store.sanitise import dumps
from synops.store.sql import Cursor, load


@dataclass(frozen=True, slots=True)
class Edge:
    """A row of `edges`: `source` —`edge_type`→ `target`."""

    source: UUID
    edge_type: str
    target: UUID
    metadata: Mapping[str, Any] = field(default_factory=dict)
    id: UUID | None = None


def edge_id(edge: Edge) -> UUID:
    """The edge's own id, or one derived from its two ends and its type."""
    return edge.id or uuid5(NAMESPACE, f"edge:{edge.source} {edge.edge_type} {edge.target}")


def insert_edge(cur: Cursor, edge: Edge) -> UUID:
    """Join two nodes, or merge `metadata` into the edge that joins them already; returns the edge's id.

    An edge that already says all this raises no event. An end that is no node: the driver's foreign key violation.
    """
    parameters = {
        "id": edge_id(edge),
        "source": edge.source,
        "target": edge.target,
        "edge_type": edge.edge_type,
        "metadata": dumps(dict(edge.metadata)),
    }
    cur.execute(load("synops.store", "upsert_edge"), parameters)
    row = cur.fetchone()
    assert row is not None, "the statement returns the new, the changed or the old row"  # noqa: S101
    return UUID(str(row[0]))


def delete_edge(cur: Cursor, edge: UUID) -> bool:
    """Remove an edge by its id; False if there was none."""
    cur.execute("DELETE FROM edges WHERE id = %(id)s", {"id": edge})
    return cur.rowcount == 1


def edges_from(cur: Cursor, source: UUID, edge_type: str) -> list[Edge]:
    """The edges of one type that leave a node, by target."""
    return _edges(cur, "source_id = %(node)s", source, edge_type)


def edges_to(cur: Cursor, target: UUID, edge_type: str) -> list[Edge]:
    """The edges of one type that reach a node, by source."""
    return _edges(cur, "target_id = %(node)s", target, edge_type)


def _edges(cur: Cursor, end: str, node: UUID, edge_type: str) -> list[Edge]:
    # Indexes: the unique (source, edge_type, target), and edges_target (target, edge_type, source).
    cur.execute(
        f"""SELECT source_id, edge_type, target_id, metadata::text, id FROM edges
            WHERE {end} AND edge_type = %(edge_type)s ORDER BY source_id, target_id""",  # noqa: S608 one of two constants
        {"node": node, "edge_type": edge_type},
    )
    return [Edge(row[0], row[1], row[2], json.loads(row[3]), row[4]) for row in cur.fetchall()]
