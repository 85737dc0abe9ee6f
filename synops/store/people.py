"""Who is meant: the persons joined to a node or its collection, and where mail reaches them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

from synops.store.sql import Cursor


@dataclass(frozen=True, slots=True)
class Person:
    """A person node. `email` is its own, else its login's, else empty."""

    id: UUID
    name: str
    email: str


def person_of(cur: Cursor, user_id: int | None) -> UUID | None:
    """The person node of a login; None when it has none, or is nobody's. Index: nodes_user_id_key."""
    cur.execute("SELECT id FROM nodes WHERE user_id = %(user)s AND node_kind = 'person'", {"user": user_id})
    row = cur.fetchone()
    return UUID(str(row[0])) if row else None


def people_with(cur: Cursor, node_id: UUID, roles: Sequence[str]) -> list[Person]:
    """The persons with an edge of one of these types to a node, each once."""
    # Index: edges_target (target, type, source).
    cur.execute(
        """SELECT DISTINCT p.id, p.title, coalesce(nullif(p.metadata ->> 'email', ''), u.email, '')
           FROM edges e
           JOIN nodes p ON p.id = e.source_id AND p.node_kind = 'person'
           LEFT JOIN auth_user u ON u.id = p.user_id
           WHERE e.target_id = %(node)s AND e.edge_type = ANY(%(roles)s::text[])
           ORDER BY p.id""",
        {"node": node_id, "roles": list(roles)},
    )
    return [Person(UUID(str(row[0])), row[1], row[2]) for row in cur.fetchall()]
