"""What the apps above know about edges of a type: asked before one is drawn, by a person or by a job.

The graph does not know what `triggers` means; whoever does registers a check for it in `AppConfig.ready()`.
"""

from __future__ import annotations

from collections.abc import Callable
from uuid import UUID

from synops.store.sql import Cursor

EdgeCheck = Callable[[Cursor, UUID, UUID], str]
"""Given source and target, says in the reader's language why the edge must not be drawn; "" = it may. Runs in the
transaction that draws it, so that it can hold what it has looked at."""

_checks: dict[str, EdgeCheck] = {}


def register(edge_type: str, check: EdgeCheck) -> None:
    """Have every new edge of this type checked."""
    _checks[edge_type] = check


def refusal(cursor: Cursor, source: UUID, edge_type: str, target: UUID) -> str:
    """Why `source —edge_type→ target` must not be drawn; "" = it may."""
    check = _checks.get(edge_type)
    return check(cursor, source, target) if check else ""
