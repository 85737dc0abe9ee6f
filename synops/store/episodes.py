"""The episodes of a podcast, as the graph holds them: what belongs to a collection, is over or published, and has sound."""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from synops.store.sanitise import dumps
from synops.store.sql import Cursor, load


@dataclass(frozen=True, slots=True)
class EpisodeRow:
    """One candidate: the node, its edge to the collection, its first sound, and the summary that points to it."""

    id: UUID
    title: str
    content: str
    metadata: dict[str, Any]
    belonging: dict[str, Any]
    created_at: datetime
    media: dict[str, Any]
    summary: str


def lock_feed(cur: Cursor, collection_id: UUID) -> None:
    """One writer of a collection's feed at a time, until the transaction ends; the second then reads what the first wrote."""
    cur.execute(
        "SELECT pg_advisory_xact_lock(hashtextextended('synops.feed', 0) # hashtextextended(%(id)s::text, 0))",
        {"id": collection_id},
    )


def episode_rows(cur: Cursor, collection_id: UUID) -> list[EpisodeRow]:
    """The candidates of a collection, by id. When each is published is for the feed to decide."""
    cur.execute(load("synops.store", "episode_rows"), {"collection": collection_id})
    return [
        EpisodeRow(
            UUID(str(row[0])),
            row[1],
            row[2],
            json.loads(row[3]),
            json.loads(row[4]),
            row[5],
            json.loads(row[6]),
            row[7],
        )
        for row in cur.fetchall()
    ]


def database_now(cur: Cursor) -> datetime:
    """The database's clock, which decides what is published already."""
    cur.execute("SELECT now()")
    row = cur.fetchone()
    assert row is not None  # noqa: S101
    moment: datetime = row[0]
    return moment


def keep_guid(cur: Cursor, collection_id: UUID, guid: str) -> None:
    """Store a podcast's identity in its collection, unless it has one: it is assigned once and survives a new address."""
    cur.execute(
        """UPDATE nodes
           SET metadata = metadata || jsonb_build_object('podcast', coalesce(metadata -> 'podcast', '{}') || %(guid)s::jsonb)
           WHERE id = %(id)s AND metadata #>> '{podcast,guid}' IS NULL""",
        {"id": collection_id, "guid": dumps({"guid": guid})},
    )
