"""Edges that follow from a recipe's text: `uses` to its tools, `mentions` to the nodes that it names."""

from __future__ import annotations

import re
from collections.abc import Iterable
from uuid import UUID

from jobs.tool_nodes import tool_node_id
from orchestration.language import Plan
from orchestration.work_items import connect
from synops.store.edges import Edge, insert_edge
from synops.store.sql import Cursor

_ID = re.compile(r"\b[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}\b", re.IGNORECASE)
_QUOTED = re.compile(r"[\"“”„«»]([^\"“”„«»\n]{1,200})[\"“”„«»]")


def draw(cursor: Cursor, recipe: UUID, text: str, plan: Plan | None) -> None:
    """Redraw both. While the text does not compile its `uses` edges stay: which tools it means is not known."""
    if plan is not None:
        tools = [tool_node_id(name) for name in plan.tools()]
        _forget(cursor, recipe, "uses", tools)
        connect(cursor, recipe, "uses", tools)
    named = [id for id in _named(cursor, recipe, text) if id != recipe]
    _forget(cursor, recipe, "mentions", named)
    for id in named:
        _mention(cursor, recipe, id)


def _forget(cursor: Cursor, recipe: UUID, edge_type: str, keep: Iterable[UUID]) -> None:
    """Remove what no longer follows from the text. `mentions` drawn by hand lack the mark and stay."""
    cursor.execute(
        """DELETE FROM edges WHERE source_id = %(recipe)s AND edge_type = %(edge_type)s
           AND target_id <> ALL(%(keep)s::uuid[]) AND (%(edge_type)s = 'uses' OR metadata -> 'derived' = 'true')""",
        {"recipe": recipe, "edge_type": edge_type, "keep": list(keep)},
    )


def _mention(cursor: Cursor, recipe: UUID, node: UUID) -> None:
    cursor.execute(
        "SELECT 1 FROM edges WHERE source_id = %(recipe)s AND edge_type = 'mentions' AND target_id = %(node)s",
        {"recipe": recipe, "node": node},
    )
    if cursor.fetchone() is None:
        insert_edge(cursor, Edge(recipe, "mentions", node, {"derived": True}))


def _named(cursor: Cursor, recipe: UUID, text: str) -> list[UUID]:
    """Nodes named by id, or by their whole title in quotes when one node of the recipe's collections has it."""
    cursor.execute(
        """SELECT n.id FROM nodes n WHERE n.id = ANY(%(ids)s::uuid[])
           UNION
           SELECT min(n.id::text)::uuid
           FROM edges mine
           JOIN edges theirs ON theirs.target_id = mine.target_id AND theirs.edge_type = 'belongs_to'
           JOIN nodes n ON n.id = theirs.source_id AND n.title = ANY(%(titles)s)
           WHERE mine.source_id = %(recipe)s AND mine.edge_type = 'belongs_to'
             AND n.node_kind NOT IN ('work_item', 'tag', 'cli_tool')
           GROUP BY n.title HAVING count(DISTINCT n.id) = 1
           ORDER BY 1""",
        {
            "recipe": recipe,
            "ids": [found.lower() for found in _ID.findall(text)][:100],
            "titles": [found.strip() for found in _QUOTED.findall(text)][:100],
        },
    )
    return [row[0] for row in cursor.fetchall()]
