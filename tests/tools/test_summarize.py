from __future__ import annotations

import json
from pathlib import Path
from uuid import UUID

import pytest
from django.db import connection, transaction

from synops.demo.data import DemoNodes, demo_id
from synops.store.nodes import Node, insert_node, update_node
from synops.store.segments import Segment, replace_segments
from synops.tools.extractive import choose, split_sentences
from tests.tools.conftest import Workshop, rows, running_job

ARTICLE = (Path(__file__).parents[1] / "data" / "tools" / "no_article.txt").read_text()
ARTICLE_SENTENCES = 15


def transcribe(demo: DemoNodes, text: str, language: str = "nb") -> None:
    """Give the demo's recording a transcript that breaks in mid-sentence, as recognisers do."""
    words = text.split()
    pieces = [" ".join(words[at : at + 7]) for at in range(0, len(words), 7)]
    segments = [Segment(at * 3000, at * 3000 + 3000, piece) for at, piece in enumerate(pieces)]
    with transaction.atomic(), connection.cursor() as cur:
        replace_segments(cur, demo.media, segments)
        update_node(cur, demo.media, metadata={"transcript": {"language": language}})


def summary_of(demo: DemoNodes) -> list[tuple[object, ...]]:
    return rows(
        """SELECT n.id, n.node_kind, n.title, n.content, n.metadata,
                  array(SELECT e.edge_type || ' ' || e.target_id FROM edges e WHERE e.source_id = n.id ORDER BY 1)
           FROM nodes n WHERE n.metadata ? 'summary_of'"""
    )


def test_the_summary_quotes_the_transcript_and_says_where(database_workshop: Workshop, demo: DemoNodes) -> None:
    transcribe(demo, ARTICLE)
    done = database_workshop.run("synops-summarize", f"--communication-id={demo.communication}", "--length=short")
    result = done.result
    sentences = split_sentences(" ".join(ARTICLE.split()))
    assert len(sentences) == result["sentence_count"] == ARTICLE_SENTENCES
    assert len(result["sources"]) == 3
    assert result["summary"] == " ".join(sentences[source["sentence"]] for source in result["sources"])
    assert (result["engine"], result["quality"], result["language"]) == ("extractive", "draft", "nb")
    starts = [source["start_ms"] for source in result["sources"]]
    assert starts == sorted(starts)
    for source in result["sources"]:
        first_word = len(" ".join(sentences[: source["sentence"]]).split())
        assert source["start_ms"] == first_word // 7 * 3000


def test_without_write_nothing_changes(database_workshop: Workshop, demo: DemoNodes) -> None:
    transcribe(demo, ARTICLE)
    result = database_workshop.run("synops-summarize", f"--communication-id={demo.communication}").result
    assert result["summary_node_id"] is None
    assert summary_of(demo) == []


def test_the_summary_is_a_node_of_the_collection(database_workshop: Workshop, demo: DemoNodes) -> None:
    transcribe(demo, ARTICLE, "nn")
    job = running_job(demo.collection, "summarize_communication")
    flags = (f"--communication-id={demo.communication}", "--write")
    result = database_workshop.run("synops-summarize", *flags, **job).result
    [(key, kind, title, content, metadata, edges)] = summary_of(demo)
    assert (str(key), kind, content) == (result["summary_node_id"], "content", result["summary"])
    assert title == "Samandrag: Sense and Sensibility, chapter 1"
    assert json.loads(str(metadata))["sources"] == result["sources"]
    assert edges == [f"belongs_to {demo.collection}", f"summary {demo.communication}"]


def test_a_new_run_replaces_the_summary_and_an_equal_one_raises_no_event(
    database_workshop: Workshop, demo: DemoNodes
) -> None:
    transcribe(demo, ARTICLE)
    flags = (f"--communication-id={demo.communication}", "--write")
    for _ in range(2):
        job = running_job(demo.collection, "summarize_communication")
        first = database_workshop.run("synops-summarize", *flags, **job).result
    count = "SELECT count(*) FROM graph_events WHERE node_id = %s"
    assert rows(count, first["summary_node_id"]) == [(3,)]  # created, and one for each edge
    transcribe(demo, "Ordføreren åpnet den nye brua over elva i går. Mange kom for å se den nye brua bli åpnet.")
    second = database_workshop.run("synops-summarize", *flags, **job).result
    assert second["summary_node_id"] == first["summary_node_id"]
    assert [row[3] for row in summary_of(demo)] == [second["summary"]]


def test_the_chain_of_recipes_reaches_the_events(database_workshop: Workshop, demo: DemoNodes) -> None:
    transcribe(demo, ARTICLE)
    chain = [demo_id("recipe one"), demo_id("recipe two")]
    job = running_job(demo.collection, "summarize_communication") | {"SYNOPS_CHAIN": f"{{{chain[0]},{chain[1]}}}"}
    flags = (f"--communication-id={demo.communication}", "--write")
    key = database_workshop.run("synops-summarize", *flags, **job).result["summary_node_id"]
    assert rows("SELECT DISTINCT chain FROM graph_events WHERE node_id = %s", key) == [(chain,)]


@pytest.mark.parametrize(
    "changed", ["lease = 2", "worker_id = gen_random_uuid()", "status = 'pending', worker_id = NULL"]
)
def test_a_job_that_was_given_to_another_writes_nothing(
    database_workshop: Workshop, demo: DemoNodes, changed: str
) -> None:
    transcribe(demo, ARTICLE)
    job = running_job(demo.collection, "summarize_communication")
    with connection.cursor() as cur:
        cur.execute(f"UPDATE job_queue SET {changed} WHERE id = %s", [job["SYNOPS_JOB_ID"]])
    done = database_workshop.run("synops-summarize", f"--communication-id={demo.communication}", "--write", **job)
    assert done.code == 75
    assert "is no longer ours (lease 1); nothing was written" in done.stderr
    assert summary_of(demo) == []


def test_silence_is_no_failure(database_workshop: Workshop, demo: DemoNodes) -> None:
    transcribe(demo, "")
    done = database_workshop.run("synops-summarize", f"--communication-id={demo.communication}", "--write")
    assert done.result == {"skipped": "no speech in the recording"}
    assert summary_of(demo) == []


def test_what_can_not_be_summarised(database_workshop: Workshop, demo: DemoNodes) -> None:
    def run(node: UUID) -> tuple[int, str]:
        done = database_workshop.run("synops-summarize", f"--communication-id={node}")
        return done.code, done.stderr

    code, said = run(demo.communication)
    assert (code, "has no transcript; run synops-transcribe" in said) == (66, True)
    assert run(demo_id("nothing"))[0] == 66
    assert run(demo.collection)[0] == 65
    with connection.cursor() as cur:
        insert_node(cur, Node(demo_id("empty"), "communication"))
    assert run(demo_id("empty"))[0] == 66


def test_a_database_that_does_not_answer_is_a_passing_failure(workshop: Workshop) -> None:
    done = workshop.run("synops-summarize", f"--communication-id={demo_id('communication')}")
    assert done.code == 69
    assert "the database does not answer" in done.stderr


def test_choosing_is_deterministic_and_avoids_repetition() -> None:
    text = [
        "Kommunen bygger en ny skole på Nes i år.",
        "Kommunen bygger en ny skole på Nes i år!",
        "Gjelden til kommunen øker med den nye skolen.",
        "Været var fint hele helga ved sjøen.",
    ]
    assert choose(text, 2, "nb") == choose(text, 2, "nb") == [0, 2]


@pytest.mark.parametrize(("sentences", "expected"), [([], []), (["Ja."], [0]), (["Ja.", "Nei."], [0, 1])])
def test_texts_without_much_in_them(sentences: list[str], expected: list[int]) -> None:
    assert choose(sentences, 5, "nb") == expected


def test_abbreviations_do_not_end_sentences() -> None:
    assert split_sentences("Mr. Dashwood came at ten. Dr. Who left. Møtet er kl. 8 i dag.") == [
        "Mr. Dashwood came at ten.",
        "Dr. Who left.",
        "Møtet er kl. 8 i dag.",
    ]
