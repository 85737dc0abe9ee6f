"""synops-embed: texts as vectors of their meaning, so that they can be found by what they say and not by their words."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple

from synops.llm.names import EMBEDDING_SETTINGS, SECRETS, SETTINGS
from synops.tools.describe import Description, Param
from synops.tools.program import run

if TYPE_CHECKING:
    from collections.abc import Sequence
    from uuid import UUID

    from synops.store.sql import Cursor
    from synops.tools.call import Call
    from synops.tools.encoder import Encoder

MOST_NODES = 500

# A minute and a half of work for the built-in model.
LONGEST_TEXT: Final = 300_000

DESCRIPTION = Description(
    name="synops-embed",
    version="0.1.0",
    description={
        "nb": "Gjør tekster søkbare etter mening: lager vektorer av en node, eller av alt nytt i en samling.",
        "en": "Makes texts searchable by meaning: vectors of one node, or of everything new in a collection.",
    },
    job_types=("generate_embeddings",),
    aliases={
        "nb": ("lag vektorer", "generer vektorer", "gjør søkbar", "indekser"),
        "nn": ("lag vektorar", "generer vektorar", "gjer søkbar", "indekser"),
        "en": ("make searchable", "generate embeddings", "embed"),
    },
    params=(
        Param(
            name="node_id",
            type="uuid",
            bind=("event.node_id", "event.source_id"),
            hints={
                "nb": ("node", "artikkel", "sak", "tekst", "notat", "episode"),
                "nn": ("node", "artikkel", "sak", "tekst", "notat", "episode"),
                "en": ("the node", "the article", "the text", "the note", "the episode"),
            },
            description={"nb": "Noden; uten den hele samlingen.", "en": "The node; without it the whole collection."},
        ),
        Param(
            name="collection_id",
            type="uuid",
            bind=("event.collection_id",),
            hints={"nb": ("samling",), "nn": ("samling",), "en": ("the collection",)},
            description={
                "nb": "Samlingen der nye og endrede tekster behandles.",
                "en": "The collection whose new and changed texts are treated.",
            },
        ),
        Param(
            name="max",
            type="integer",
            minimum=1,
            maximum=10_000,
            default=MOST_NODES,
            description={"nb": "Høyst så mange noder i én kjøring.", "en": "At most so many nodes in one run."},
        ),
        Param(
            name="reindex",
            type="boolean",
            description={
                "nb": "Erstatt vektorer fra en annen modell.",
                "en": "Replace vectors that another model made.",
            },
        ),
        Param(
            name="query",
            type="string",
            by_hand=True,
            description={
                "nb": "Ikke lag noe; finn det som ligner denne teksten.",
                "en": "Make nothing; find what resembles this text.",
            },
        ),
    ),
    outputs={
        "engine": "string",
        "model": "string",
        "dimensions": "integer",
        "nodes": "integer",
        "unchanged": "integer",
        "passages": "integer",
        "remaining": "boolean",
    },
    weight=3,
    timeout=3600,
    database="write",
    settings=(*SETTINGS, *EMBEDDING_SETTINGS),
    secrets=SECRETS,
    network=True,
    exit_codes="sysexits",
    examples=(
        "synops-embed --node-id=0190f5a6-0000-7000-8000-000000000001 --write",
        "synops-embed --collection-id=0190f5a6-0000-7000-8000-000000000001 --max=100 --write",
        'synops-embed --collection-id=0190f5a6-0000-7000-8000-000000000001 --query="hva koster den nye skolen?"',
    ),
)


class Work(NamedTuple):
    """What is to be encoded of one node: nothing when its text has not changed, or is gone."""

    node: UUID
    text_hash: str
    changed: bool
    passages: Sequence[str]


def work(call: Call) -> dict[str, Any]:
    """Find the nodes, encode what has changed, and under `--write` store each node's vectors.

    Each node is a fenced transaction of its own: an hour's work on a collection is not lost with its last node.
    """
    from synops.tools.database import reading
    from synops.tools.encoder import encoder_of

    encoder = encoder_of(call)
    if call.payload["query"]:
        return _search(call, encoder)
    with reading(call) as cur:
        nodes = _nodes(call, cur, encoder.model)
        _refuse_mixture(call, cur, nodes, encoder)
        found = [_work_of(cur, node, encoder.model) for node in nodes]
    dimensions = 0
    for number, one in enumerate(found):
        vectors = _encoded(call, encoder, one, number, len(found))
        dimensions = len(vectors[0]) if vectors else dimensions
        if call.write:
            _store(call, one, encoder.model, vectors)
    return {
        "engine": "embeddings",
        "model": encoder.model,
        "dimensions": dimensions,
        "nodes": len(found),
        "unchanged": sum(not one.changed for one in found),
        "passages": sum(len(one.passages) for one in found),
        "remaining": not call.payload["node_id"] and len(found) == call.payload["max"],
    }


def _nodes(call: Call, cur: Cursor, model: str) -> list[UUID]:
    from synops.store.embeddings import nodes_to_embed
    from synops.tools.failures import BadUsage
    from synops.tools.subject import read_node

    if call.payload["node_id"]:
        return [read_node(cur, call.uuid("node_id")).id]
    collection = _collection(call)
    if collection is None:
        raise BadUsage("give --node-id or --collection-id")
    return nodes_to_embed(cur, collection, model, call.payload["max"])


def _collection(call: Call) -> UUID | None:
    return call.uuid("collection_id") if call.payload["collection_id"] else call.collection_id


def _refuse_mixture(call: Call, cur: Cursor, nodes: Sequence[UUID], encoder: Encoder) -> None:
    """Texts of two models in one collection would never be found together."""
    from synops.store.embeddings import other_models
    from synops.tools.failures import NotConfigured

    others = [] if call.payload["reindex"] else other_models(cur, nodes, encoder.model)
    if others:
        model, dimensions = others[0]
        raise NotConfigured(
            f'the table holds {dimensions}-d vectors from "{model}", and the model now is "{encoder.model}". '
            "Re-index with --reindex, or choose the same model (SYNOPS_EMBEDDINGS_MODEL)."
        )


def _work_of(cur: Cursor, node_id: UUID, model: str) -> Work:
    import hashlib

    from synops.store.embeddings import source_hash
    from synops.store.segments import segments_of
    from synops.tools.encoder import passages_of
    from synops.tools.subject import read_node

    node = read_node(cur, node_id)
    said = " ".join(segment.text for segment in segments_of(cur, node_id))
    text = "\n".join(part for part in (node.content, said) if part.strip())
    whole = f"{node.title}\n{text}" if text else ""
    text_hash = hashlib.sha256(whole.encode(errors="replace")).hexdigest()
    if text_hash == source_hash(cur, node_id, model):
        return Work(node_id, text_hash, False, ())
    # The end of a huge text is not found by meaning; refusing it would hold up the rest of the collection.
    return Work(node_id, text_hash, True, passages_of(whole[:LONGEST_TEXT]))


def _encoded(call: Call, encoder: Encoder, one: Work, number: int, count: int) -> list[list[float]]:
    def progress(done: float) -> None:
        call.progress((number + done) / count, f"node {number + 1} of {count}")

    return encoder.passages(one.passages, progress) if one.passages else []


def _store(call: Call, one: Work, model: str, vectors: list[list[float]]) -> None:
    from synops.store.embeddings import confirm_vectors, replace_vectors
    from synops.tools.database import writing

    with writing(call) as cur:
        if one.changed:
            replace_vectors(cur, one.node, model, one.text_hash, one.passages, vectors)
        else:
            confirm_vectors(cur, one.node, model)


def _search(call: Call, encoder: Encoder) -> dict[str, Any]:
    from synops.store.embeddings import nearest
    from synops.tools.database import reading

    vector = encoder.query(call.payload["query"])
    with reading(call) as cur:
        found = nearest(cur, _collection(call), encoder.model, vector, min(20, call.payload["max"]))
    return {
        "engine": "embeddings",
        "model": encoder.model,
        "found": [
            {"node_id": str(one.node_id), "title": one.title, "text": one.text, "score": round(one.score, 4)}
            for one in found
        ],
    }


def main() -> int:
    """The console script."""
    return run(DESCRIPTION, work)
