"""What a text could be joined to: the topics, persons and texts of its collection."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final
from uuid import UUID

from synops.store.sql import Cursor, load

MOST: Final = 2000
PROPOSED: Final = "proposed"


@dataclass(frozen=True, slots=True)
class Candidate:
    """A node that a text may be about (a topic) or mention (anything else). `state` of the edge there is: None, proposed, …"""

    id: UUID
    node_kind: str
    title: str
    state: str | None

    @property
    def edge_type(self) -> str:
        """`about` for a topic, `mentions` for the rest."""
        return "about" if self.node_kind == "topic" else "mentions"

    @property
    def open(self) -> bool:
        """Nobody has drawn, accepted or refused it yet."""
        return self.state in (None, PROPOSED)


def edge_candidates(cur: Cursor, node_id: UUID, collection_id: UUID) -> list[Candidate]:
    """Topics first, then persons, then the newest texts; at most 2,000."""
    parameters = {"node": node_id, "collection": collection_id, "limit": MOST}
    cur.execute(load("synops.store", "edge_candidates"), parameters)
    return [Candidate(UUID(str(row[0])), row[1], row[2], row[3]) for row in cur.fetchall()]


def decided_edges(cur: Cursor, node_id: UUID) -> set[tuple[UUID, str]]:
    """Target and type of a node's edges `about` and `mentions` that are more than proposed. Its row orders writers."""
    cur.execute("SELECT 1 FROM nodes WHERE id = %(node)s FOR UPDATE", {"node": node_id})
    # Index: edges_once (source, type, target).
    cur.execute(
        """SELECT target_id, edge_type FROM edges
           WHERE source_id = %(node)s AND edge_type IN ('about', 'mentions')
             AND metadata ->> 'state' IS DISTINCT FROM %(proposed)s""",
        {"node": node_id, "proposed": PROPOSED},
    )
    return {(UUID(str(row[0])), row[1]) for row in cur.fetchall()}
