"""What a `triggers` edge may join, looked at when it is about to be drawn: the run-time check would only skip it."""

from __future__ import annotations

from uuid import UUID

from django.db import connection, transaction
from django.utils.translation import get_language

from orchestration.language.messages import sentence
from orchestration.recipes import UnknownRecipe, lock
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


class EdgeRefused(ValueError):
    """A `triggers` edge that must not be; the text says why, in the reader's language."""


def refusal(cursor: Cursor, source: UUID, target: UUID) -> str:
    """Why `source —triggers→ target` must not be drawn; "" = it may, until this transaction ends."""
    # Both ends are locked, in one order: two edges that close a circle together can't be drawn at once.
    for id in sorted({source, target}):
        try:
            lock(cursor, id)
        except UnknownRecipe:
            return _said("ORK-803", title=_title(cursor, id))
    circle = circle_closed_by(cursor, source, target)
    return _said("ORK-801", circle=" → ".join(circle)) if circle else ""


@transaction.atomic
def link(source: UUID, target: UUID) -> None:
    """Draw `source —triggers→ target`. Raises EdgeRefused."""
    with connection.cursor() as cursor:
        if why := refusal(cursor, source, target):
            raise EdgeRefused(why)
        connect(cursor, source, "triggers", [target])


def _title(cursor: Cursor, id: UUID) -> str:
    cursor.execute("SELECT title FROM nodes WHERE id = %(id)s", {"id": id})
    row = cursor.fetchone()
    return (row[0] if row else "") or str(id)


def _said(code: str, **args: str) -> str:
    return sentence(code, get_language() or "nb", **args)
