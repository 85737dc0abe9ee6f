"""Clipped web pages: one `research_clip` node for each page and collection, and one `source` node for each site in it."""

from __future__ import annotations

from uuid import UUID, uuid5

from synops.store.identities import NAMESPACE
from synops.store.sql import Cursor, load


def find_clip(cur: Cursor, collection: UUID, url: str) -> UUID | None:
    """The clip of a page in a collection, by any address that it has been asked for under."""
    cur.execute(load("synops.store", "find_clip"), {"collection": collection, "url": url})
    found = sorted(UUID(str(row[0])) for row in cur.fetchall())
    return found[0] if found else None


def clip_id(collection: UUID, url: str) -> UUID:
    """The id of the clip of the page that lies at `url`."""
    return uuid5(NAMESPACE, f"clip:{collection} {url}")


def source_id(collection: UUID, host: str) -> UUID:
    """The id of the node of a site."""
    return uuid5(NAMESPACE, f"source:{collection} {host}")
