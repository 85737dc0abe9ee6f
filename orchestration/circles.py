"""Circles of `triggers` edges, found when an edge is about to be drawn: the run-time check would only skip them."""

from __future__ import annotations

from uuid import UUID

from django.db import connection, transaction

from orchestration.recipes import lock
from orchestration.work_items import connect
from synops.store.sql import Cursor, load


def circle_closed_by(cursor: Cursor, source: UUID, target: UUID) -> list[str]:
    """The titles of the recipes around the circle that `source —triggers→ target` would close; empty = none."""
    if source == target:
        cursor.execute("SELECT title FROM nodes WHERE id = %(id)s", {"id": source})
        return [row[0] for row in cursor.fetchall()] * 2
    cursor.execute(load("orchestration.sql", "circle"), {"source": source, "target": target})
    row = cursor.fetchone()
    return list(row[0]) if row else []


class ClosesCircle(ValueError):
    """An edge that would let recipes start each other for ever; `titles` is the way around."""

    def __init__(self, titles: list[str]) -> None:
        super().__init__(" → ".join(titles))
        self.titles = titles


@transaction.atomic
def link(source: UUID, target: UUID) -> None:
    """Draw `source —triggers→ target`. Raises ClosesCircle, UnknownRecipe."""
    with connection.cursor() as cursor:
        # Both ends are locked, in one order: two edges that close a circle together can't be drawn at once.
        for id in sorted({source, target}):
            lock(cursor, id)
        if titles := circle_closed_by(cursor, source, target):
            raise ClosesCircle(titles)
        connect(cursor, source, "triggers", [target])
