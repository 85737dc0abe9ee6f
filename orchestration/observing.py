"""`observes` edges: restrict a recipe to nodes, tell it “never here”, and say what follows when none is left.

Removing an edge never makes a recipe react to more: with none left it reacts nowhere, until somebody says otherwise.
"""

from __future__ import annotations

from uuid import UUID

from django.db import connection, transaction

from orchestration.recipes import lock
from orchestration.work_items import connect
from synops.store.nodes import update_node
from synops.store.sql import Cursor


@transaction.atomic
def observe(recipe_id: UUID, node_id: UUID) -> None:
    """React to this node and what belongs to it, and no longer to everything. Lifts a "never here"."""
    with connection.cursor() as cursor:
        lock(cursor, recipe_id)
        connect(cursor, recipe_id, "observes", [node_id])


@transaction.atomic
def stop_observing(recipe_id: UUID, node_id: UUID, *, elsewhere: bool | None = None) -> bool:
    """Remove the edge; whether it was the last one, so that a person is to be asked what follows.

    `elsewhere` is their answer: True = everywhere but here, False = nowhere. None leaves an earlier answer standing.
    """
    with connection.cursor() as cursor:
        lock(cursor, recipe_id)
        cursor.execute(
            """DELETE FROM edges WHERE source_id = %(recipe)s AND target_id = %(node)s
               AND edge_type = 'observes'""",
            {"recipe": recipe_id, "node": node_id},
        )
        if elsewhere is not None:
            update_node(cursor, recipe_id, metadata={"observe_elsewhere": elsewhere})
        return not _observes_anything(cursor, recipe_id)


@transaction.atomic
def never_here(recipe_id: UUID, node_id: UUID) -> None:
    """Never react to this node. A recipe that reacted to everything goes on doing so elsewhere."""
    with connection.cursor() as cursor:
        recipe = lock(cursor, recipe_id)
        if not _observes_anything(cursor, recipe_id) and not _has_tombstone(cursor, recipe_id):
            update_node(cursor, recipe.id, metadata={"observe_elsewhere": True})
        cursor.execute(
            """DELETE FROM edges WHERE source_id = %(recipe)s AND target_id = %(node)s
               AND edge_type = 'observes'""",
            {"recipe": recipe_id, "node": node_id},
        )
        cursor.execute(
            """INSERT INTO orchestration_tombstones (orchestration_id, node_id) VALUES (%(recipe)s, %(node)s)
               ON CONFLICT DO NOTHING""",
            {"recipe": recipe_id, "node": node_id},
        )


@transaction.atomic
def forget(recipe_id: UUID, node_id: UUID) -> None:
    """Lift a "never here" without watching the node especially."""
    with connection.cursor() as cursor:
        lock(cursor, recipe_id)
        cursor.execute(
            "DELETE FROM orchestration_tombstones WHERE orchestration_id = %(recipe)s AND node_id = %(node)s",
            {"recipe": recipe_id, "node": node_id},
        )


def _observes_anything(cursor: Cursor, recipe_id: UUID) -> bool:
    cursor.execute(
        "SELECT EXISTS (SELECT FROM edges WHERE source_id = %(recipe)s AND edge_type = 'observes')",
        {"recipe": recipe_id},
    )
    return bool((cursor.fetchone() or [False])[0])


def _has_tombstone(cursor: Cursor, recipe_id: UUID) -> bool:
    cursor.execute(
        "SELECT EXISTS (SELECT FROM orchestration_tombstones WHERE orchestration_id = %(recipe)s)",
        {"recipe": recipe_id},
    )
    return bool((cursor.fetchone() or [False])[0])
