"""Passages of texts as vectors, in `embeddings`: kept up to date, and searched by meaning.

A vector says nothing beside one of another model, so every question names the model.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

from synops.store.sanitise import clean_text, dumps
from synops.store.sql import Cursor, load


@dataclass(frozen=True, slots=True)
class Passage:
    """A piece of a node's text that was found. `score` is the cosine, 1 = the same."""

    node_id: UUID
    title: str
    seq: int
    text: str
    score: float


def nodes_to_embed(cur: Cursor, collection_id: UUID, model: str, limit: int) -> list[UUID]:
    """Nodes of a collection with a text that has no vectors of this model, or has changed since."""
    parameters = {"collection": collection_id, "model": model, "limit": limit}
    cur.execute(load("synops.store", "nodes_to_embed"), parameters)
    return [UUID(str(row[0])) for row in cur.fetchall()]


def other_models(cur: Cursor, nodes: Sequence[UUID], model: str) -> list[tuple[str, int]]:
    """The other models, with their dimensions, that these nodes have vectors of."""
    # Index: embeddings_once (node, model, seq).
    cur.execute(
        """SELECT DISTINCT model, dimensions FROM embeddings
           WHERE node_id = ANY(%(nodes)s::uuid[]) AND model <> %(model)s ORDER BY model""",
        {"nodes": list(nodes), "model": model},
    )
    return [(row[0], row[1]) for row in cur.fetchall()]


def source_hash(cur: Cursor, node_id: UUID, model: str) -> str:
    """The hash of the text that a node's vectors were made of; empty when it has none."""
    cur.execute(
        "SELECT source_hash FROM embeddings WHERE node_id = %(node)s AND model = %(model)s ORDER BY seq LIMIT 1",
        {"node": node_id, "model": model},
    )
    row = cur.fetchone()
    return row[0] if row else ""


def confirm_vectors(cur: Cursor, node_id: UUID, model: str) -> None:
    """Say that a node's vectors are still those of its text."""
    cur.execute(
        "UPDATE embeddings SET created_at = now() WHERE node_id = %(node)s AND model = %(model)s",
        {"node": node_id, "model": model},
    )


def replace_vectors(
    cur: Cursor, node_id: UUID, model: str, text_hash: str, passages: Sequence[str], vectors: Sequence[Sequence[float]]
) -> None:
    """Make these the vectors of a node, instead of whatever it had, of other models too. The node's row orders writers."""
    cur.execute("SELECT 1 FROM nodes WHERE id = %(node)s FOR UPDATE", {"node": node_id})
    cur.execute("DELETE FROM embeddings WHERE node_id = %(node)s", {"node": node_id})
    rows = [
        {"seq": seq, "content": clean_text(text), "vector": [float(number) for number in vector]}
        for seq, (text, vector) in enumerate(zip(passages, vectors, strict=True), start=1)
    ]
    cur.execute(
        load("synops.store", "insert_vectors"),
        {"node": node_id, "model": model, "hash": text_hash, "rows": dumps(rows)},
    )


def nearest(cur: Cursor, collection_id: UUID | None, model: str, vector: Sequence[float], limit: int) -> list[Passage]:
    """The passages of a collection (None = of all) that mean most nearly what `vector` does, best first."""
    name = "nearest_passages_pgvector" if _has_pgvector(cur) else "nearest_passages"
    # A type's dimensions can't be a parameter, and the index is one for each number of them.
    statement = load("synops.store", name).replace("{dimensions}", str(len(vector)))
    parameters = {
        "collection": collection_id,
        "model": model,
        "vector": [float(number) for number in vector],
        "limit": limit,
    }
    cur.execute(statement, parameters)
    return [Passage(UUID(str(row[0])), row[1], row[2], row[3], float(row[4])) for row in cur.fetchall()]


def _has_pgvector(cur: Cursor) -> bool:
    cur.execute("SELECT 1 FROM pg_extension WHERE extname = 'vector'")
    return cur.fetchone() is not None
