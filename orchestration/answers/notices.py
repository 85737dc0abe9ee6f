"""Tells the author of a recipe that something of theirs is ready: a notice, seen by nobody else."""

from __future__ import annotations

from uuid import UUID

from synops.graph.columns import new_id
from synops.store.edges import Edge, insert_edge
from synops.store.nodes import Node, insert_node
from synops.store.people import person_of
from synops.store.sql import Cursor


def tell(cursor: Cursor, user_id: int | None, title: str, text: str, about: UUID) -> UUID | None:
    """Leave a notice for a user; None when they have no person node, or are nobody.

    It belongs to no collection: what does is seen by all who see the collection.
    """
    person = person_of(cursor, user_id)
    if person is None:
        return None
    notice = Node(new_id(), "notice", title, text, {"about_id": str(about)})
    insert_node(cursor, notice)
    insert_edge(cursor, Edge(notice.id, "addressed_to", person))
    return notice.id


def author_of(cursor: Cursor, recipe: UUID, asked_by: int | None) -> int | None:
    """Whom an answer concerns: who asked, else who last saved the recipe, else who activated it."""
    if asked_by is not None:
        return asked_by
    cursor.execute(
        """SELECT coalesce(
               (SELECT v.author_id FROM orchestration_versions v
                WHERE v.orchestration_id = n.id AND v.author_id IS NOT NULL AND v.status = 'saved'
                ORDER BY v.number DESC LIMIT 1),
               (n.metadata ->> 'activated_by')::int)
           FROM nodes n WHERE n.id = %(recipe)s""",
        {"recipe": recipe},
    )
    row = cursor.fetchone()
    return row[0] if row else None
