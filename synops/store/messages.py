"""What is written in a conversation: message nodes that belong to it, and who wrote each (docs/graph.md)."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

from synops.store.sql import Cursor


@dataclass(frozen=True, slots=True)
class Message:
    """`author_id` is a person's or an agent's node, None when nobody knows; `agent` = a machine wrote it."""

    id: UUID
    text: str
    author_id: UUID | None
    author: str
    agent: bool


def latest_messages(cur: Cursor, communication_id: UUID, most: int) -> list[Message]:
    """The last messages of a conversation, oldest first."""
    # Indexes: edges_target (target, type, source), the primary key of nodes.
    cur.execute(
        """SELECT said.id, said.content, said.metadata::text
           FROM edges own
           JOIN nodes said ON said.id = own.source_id AND said.node_kind = 'message'
           WHERE own.target_id = %(communication)s AND own.edge_type = 'belongs_to'
           ORDER BY said.created_at DESC, said.id DESC LIMIT %(most)s""",
        {"communication": communication_id, "most": most},
    )
    rows = [(UUID(str(row[0])), row[1], json.loads(row[2])) for row in cur.fetchall()][::-1]
    authors = [_uuid(metadata.get("author_id")) for _, _, metadata in rows]
    names = _titles(cur, [author for author in authors if author])
    return [
        Message(id, text, author, names.get(author, "") if author else "", metadata.get("agent") is True)
        for (id, text, metadata), author in zip(rows, authors, strict=True)
    ]


def _titles(cur: Cursor, nodes: Sequence[UUID]) -> dict[UUID, str]:
    cur.execute("SELECT id, title FROM nodes WHERE id = ANY(%(nodes)s::uuid[])", {"nodes": list(set(nodes))})
    return {UUID(str(row[0])): row[1] for row in cur.fetchall()}


def _uuid(value: object) -> UUID | None:
    try:
        return UUID(value) if isinstance(value, str) else None
    except ValueError:
        return None
