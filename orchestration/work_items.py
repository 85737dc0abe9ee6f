"""Work items: something for a person to do, as a node that people of its collection see, find by tag and close."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID, uuid5

from django.db import connection, transaction
from django.utils import timezone

from synops.graph.columns import new_id
from synops.store.identities import NAMESPACE, SYSTEM_COLLECTION_ID
from synops.store.nodes import update_node
from synops.store.sanitise import clean_text, dumps
from synops.store.sql import Cursor, load

OPEN, CLOSED = "open", "closed"


@dataclass(frozen=True)
class NewItem:
    """A work item to open. The same `dedupe_key` while one is open counts that one up instead."""

    collection_id: UUID
    title: str
    content: str
    dedupe_key: str
    tags: Sequence[str] = ()
    sources: Sequence[UUID] = ()
    """What it is about: recipe and node. Those that are gone are left out."""
    chain: Sequence[UUID] = ()
    """The recipes that led to it, so that a recipe about work items can't go in a circle."""
    details: Mapping[str, Any] = field(default_factory=dict)


def open_item(cursor: Cursor, item: NewItem) -> tuple[UUID, bool]:
    """Open it; its id, and whether it is new. In the caller's transaction."""
    with_chain(cursor, item.chain)
    details = {**item.details, "status": OPEN, "dedupe_key": item.dedupe_key}
    cursor.execute(
        load("orchestration.sql", "open_work_item"),
        {
            "id": new_id(),
            "title": clean_text(item.title),
            "content": clean_text(item.content),
            "metadata": dumps(details),
        },
    )
    id, is_new = cursor.fetchone() or (None, False)
    connect(cursor, id, "belongs_to", [item.collection_id])
    connect(cursor, id, "source_material", item.sources)
    connect(cursor, id, "tagged", [tag_node(cursor, tag) for tag in item.tags])
    with_chain(cursor, ())
    return id, is_new


def tag_node(cursor: Cursor, tag: str) -> UUID:
    """The node of a tag, made when it is used for the first time. Tags are one word for everybody: case is folded."""
    name = clean_text(tag.strip())
    id = uuid5(NAMESPACE, f"tag:{name.casefold()}")
    cursor.execute(
        "INSERT INTO nodes (id, node_kind, title) VALUES (%(id)s, 'tag', %(title)s) ON CONFLICT DO NOTHING",
        {"id": id, "title": name},
    )
    if cursor.rowcount:
        connect(cursor, id, "belongs_to", [SYSTEM_COLLECTION_ID])
    return id


def connect(cursor: Cursor, source: UUID, edge_type: str, targets: Iterable[UUID]) -> None:
    """Draw edges to those of the targets that exist."""
    wanted = list(dict.fromkeys(targets))
    if wanted:
        cursor.execute(
            load("orchestration.sql", "connect"), {"source": source, "edge_type": edge_type, "targets": wanted}
        )


def with_chain(cursor: Cursor, chain: Sequence[UUID]) -> None:
    """What this transaction writes from here on was caused by these recipes (docs/graph.md, `synops.chain`)."""
    text = "{" + ",".join(str(id) for id in chain) + "}" if chain else ""
    cursor.execute("SELECT set_config('synops.chain', %(chain)s, true)", {"chain": text})


@transaction.atomic
def close(item_id: UUID, *, by: int | None = None, note: str = "") -> bool:
    """Close an open work item; False when there is none. `by` is a user's id. The same trouble then opens a new one."""
    with connection.cursor() as cursor:
        cursor.execute(
            """SELECT 1 FROM nodes WHERE id = %(id)s AND node_kind = 'work_item' AND metadata ->> 'status' = 'open'
               FOR UPDATE""",
            {"id": item_id},
        )
        if cursor.fetchone() is None:
            return False
        closed = {"status": CLOSED, "closed_at": timezone.now().isoformat(), "closed_by": by, "closing_note": note}
        return update_node(cursor, item_id, metadata=closed)


@transaction.atomic
def reopen(item_id: UUID) -> bool:
    """Open a closed work item again; False when there is none, or when its trouble has an open one already."""
    with connection.cursor() as cursor:
        cursor.execute(
            """UPDATE nodes n SET metadata = n.metadata - '{closed_at,closed_by,closing_note}'::text[]
                                             || '{"status": "open"}'
               WHERE n.id = %(id)s AND n.node_kind = 'work_item' AND n.metadata ->> 'status' = 'closed'
                 AND NOT EXISTS (
                     SELECT FROM nodes o WHERE o.node_kind = 'work_item' AND o.metadata ->> 'status' = 'open'
                       AND o.metadata ->> 'dedupe_key' = n.metadata ->> 'dedupe_key')""",
            {"id": item_id},
        )
        return bool(cursor.rowcount)
