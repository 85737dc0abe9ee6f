"""Loads the demo: a collection with a podcast, an ended conversation in it, and its recording.

Every id and date is fixed, so the same demo gives the same feed everywhere, and loading it twice changes nothing.
The recording is five sentences of Jane Austen's "Sense and Sensibility", chapter 1, read for LibriVox (public domain).
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Final
from uuid import UUID, uuid5

from synops.store.edges import Edge, insert_edge
from synops.store.files import FileStore
from synops.store.identities import NAMESPACE
from synops.store.nodes import Node, insert_node, update_node
from synops.store.sql import Cursor

RECORDING: Final = Path(__file__).parent / "sense-and-sensibility.mp3"
REFERENCE: Final = Path(__file__).parent / "sense-and-sensibility.txt"
DURATION_SECONDS: Final = 26.73
STARTED_AT: Final = "2026-01-05T09:00:00+00:00"
ENDED_AT: Final = "2026-01-05T09:30:00+00:00"


@dataclass(frozen=True, slots=True)
class DemoNodes:
    """The ids of the demo's nodes, and the digest of its recording in the file store."""

    collection: UUID
    communication: UUID
    media: UUID
    cas_hash: str


def demo_id(name: str) -> UUID:
    """The id of one of the demo's own nodes: "collection", "communication", "media"."""
    return uuid5(NAMESPACE, f"demo:{name}")


def load(cur: Cursor, store: FileStore) -> DemoNodes:
    """Put the recording into the store and its nodes into the graph; what tools have added to them since stays.

    The caller commits. The conversation is not ended: that is what `end` does, and what starts the recipe.
    """
    stored = store.put_path(RECORDING)
    demo = DemoNodes(demo_id("collection"), demo_id("communication"), demo_id("media"), stored.digest)
    for node in (_collection(demo), _communication(demo), _media(demo, stored.size)):
        _put(cur, node)
    for edge in (
        Edge(demo.communication, "belongs_to", demo.collection),
        Edge(demo.media, "belongs_to", demo.collection),
        Edge(demo.communication, "has_media", demo.media, {"order": 1}),
    ):
        insert_edge(cur, edge)
    return demo


def end(cur: Cursor) -> None:
    """End the demo's conversation, anew if it has ended before: `communication.ended` is raised when the time is set."""
    communication = demo_id("communication")
    update_node(cur, communication, metadata={"ended_at": None})
    update_node(cur, communication, metadata={"ended_at": ENDED_AT})


def _put(cur: Cursor, node: Node) -> None:
    if not update_node(cur, node.id, title=node.title, content=node.content, metadata=node.metadata):
        insert_node(cur, node)


def _collection(demo: DemoNodes) -> Node:
    return Node(
        demo.collection,
        "collection",
        "Demo",
        "Five sentences of Jane Austen, from recording to podcast feed.",
        {
            "slug": "demo",
            "language": "en",
            "traits": ["podcast"],
            "names": ["Dashwood"],
            "podcast": {
                "author": "Synops",
                "owner": {"name": "Synops", "email": "demo@example.org"},
                "category": "Arts",
                "subcategory": "Books",
                "explicit": False,
                "copyright": "Public domain",
            },
        },
    )


def _communication(demo: DemoNodes) -> Node:
    return Node(
        demo.communication,
        "communication",
        "Sense and Sensibility, chapter 1",
        "",
        {"started_at": STARTED_AT},
    )


def _media(demo: DemoNodes, size: int) -> Node:
    return Node(
        demo.media,
        "media",
        "sense-and-sensibility.mp3",
        "",
        {
            "cas_hash": demo.cas_hash,
            "mime": "audio/mpeg",
            "size": size,
            "duration_seconds": DURATION_SECONDS,
            "filename": "sense-and-sensibility.mp3",
        },
    )
