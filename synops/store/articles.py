"""The articles of a collection, as the graph holds them: the texts that have a slot in it."""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from synops.store.sql import Cursor, load


@dataclass(frozen=True, slots=True)
class ArticleRow:
    """One published text: the node, its edge to the collection, its accepted topics and tags, and its files' metadata."""

    id: UUID
    title: str
    content: str
    metadata: dict[str, Any]
    belonging: dict[str, Any]
    placed_at: datetime
    topics: tuple[str, ...]
    media: tuple[dict[str, Any], ...]


def lock_website(cur: Cursor, collection_id: UUID) -> None:
    """One writer of a collection's pages at a time, until the transaction ends; the second reads what the first wrote."""
    cur.execute(
        "SELECT pg_advisory_xact_lock(hashtextextended('synops.website', 0) # hashtextextended(%(id)s::text, 0))",
        {"id": collection_id},
    )


def article_rows(cur: Cursor, collection_id: UUID, only: UUID | None = None) -> list[ArticleRow]:
    """The texts with a slot in a collection, by id; `only` asks for one of them. When each is published is not asked here."""
    cur.execute(load("synops.store", "article_rows"), {"collection": collection_id, "only": only})
    return [
        ArticleRow(
            UUID(str(row[0])),
            row[1],
            row[2],
            json.loads(row[3]),
            json.loads(row[4]),
            row[5],
            tuple(json.loads(row[6])),
            tuple(json.loads(row[7])),
        )
        for row in cur.fetchall()
    ]
