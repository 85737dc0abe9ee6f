"""What a clipped page becomes: the clip, its source, and the topics that its text names, with the edges between them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final
from uuid import UUID

from synops.store.candidates import PROPOSED, decided_edges, edge_candidates
from synops.store.clips import clip_id, find_clip, source_id
from synops.store.collections import CollectionConfig
from synops.store.edges import Edge, insert_edge
from synops.store.nodes import Node, UnknownNode, get_node, upsert_node
from synops.store.sql import Cursor
from synops.tools.call import Call
from synops.tools.database import reading, writing
from synops.tools.likeness import Proposal, named_in
from synops.tools.webpage import Article

KIND: Final = "research_clip"
BY: Final = "synops-clip"


def kept_already(call: Call, collection: CollectionConfig, url: str) -> dict[str, Any] | None:
    """The clip that an earlier call has made of this address, now shared by the node of this one too."""
    with reading(call) as cur:
        known = find_clip(cur, collection.id, url)
        node = get_node(cur, known) if known else None
    if node is None:
        return None
    if call.write and call.payload["node_id"]:
        with writing(call) as cur:
            insert_edge(cur, Edge(call.uuid("node_id"), "shares", node.id))
    kept = {key: node.metadata.get(key) for key in ("url", "summary", "engine", "model", "quality", "language")}
    return {**kept, "clip_node_id": str(node.id), "title": node.title, "already": True}


def keep(
    call: Call, collection: CollectionConfig, asked: str, article: Article, result: dict[str, Any]
) -> dict[str, Any]:
    """The clip, its source, and the topics that the text names, in one transaction."""
    clip = clip_id(collection.id, result["url"])
    with reading(call) as cur:
        topics = _topics(cur, collection, clip, article, result["language"])
    shown = [{"node_id": str(one.candidate.id), "title": one.candidate.title} for one in topics]
    if not call.write:
        return {"clip_node_id": None, "text": article.body, "topics": shown}
    with writing(call) as cur:
        metadata = {"requested": _requested(cur, clip, [asked, result["url"]])}
        _store(call, cur, collection.id, clip, article, result, metadata)
        _propose(cur, clip, topics)
    return {"clip_node_id": str(clip), "topics": shown}


def _topics(cur: Cursor, collection: CollectionConfig, clip: UUID, article: Article, language: str) -> list[Proposal]:
    topics = [one for one in edge_candidates(cur, clip, collection.id) if one.node_kind == "topic"]
    return named_in(f"{article.title}.\n{article.body}", language, topics)


def _store(
    call: Call,
    cur: Cursor,
    collection: UUID,
    clip: UUID,
    article: Article,
    result: dict[str, Any],
    metadata: dict[str, Any],
) -> None:
    told = ("url", "author", "site", "published", "language", "summary", "engine", "model", "quality")
    host = result["url"].partition("://")[2].partition("/")[0]
    source = Node(source_id(collection, host), "source", article.site or host, "", {"host": host})
    kept = {key: result[key] for key in told}
    upsert_node(cur, Node(clip, KIND, article.title, article.body, kept | metadata))
    upsert_node(cur, source)
    for edge in (
        Edge(clip, "belongs_to", collection),
        Edge(source.id, "belongs_to", collection),
        Edge(clip, "source", source.id),
        *([Edge(call.uuid("node_id"), "shares", clip)] if call.payload["node_id"] else []),
    ):
        insert_edge(cur, edge)


def _propose(cur: Cursor, clip: UUID, topics: Sequence[Proposal]) -> None:
    """Topics that nobody has decided on yet."""
    decided = decided_edges(cur, clip)
    for one in topics:
        if (one.candidate.id, "about") not in decided:
            why = {"state": PROPOSED, "score": one.score, "evidence": one.evidence, "by": BY}
            insert_edge(cur, Edge(clip, "about", one.candidate.id, why))


def _requested(cur: Cursor, clip: UUID, urls: Sequence[str]) -> list[str]:
    """All addresses that have led to this page."""
    try:
        before = get_node(cur, clip).metadata.get("requested")
    except UnknownNode:
        before = []
    return sorted({*urls, *(before if isinstance(before, list) else [])})
