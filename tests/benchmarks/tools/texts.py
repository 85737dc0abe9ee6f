"""The tools that read and write texts, all without a language model."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, Final

import psycopg

from synops.demo.data import REFERENCE, demo_id
from synops.store.edges import Edge, insert_edge
from synops.store.nodes import Node, insert_node
from tests.benchmarks.tools.workplace import Row, Workplace

TOPICS: Final = ("Skolestruktur", "Sykkelvei", "Romfart", "Fiskeri")
ABOUT: Final = {"Skolestruktur", "Sykkelvei"}
QUESTIONS: Final = {
    "Skal vi fjerne bomringen?": "bompengene",
    "Synes du elevene skal få gratis mat på skolen?": "skolemat",
    "Bør Norge bli medlem av EU?": "EU",
    "Trenger byen flere sykkelfelt?": "sykkelveier",
}
PROGRAMME: Final = (
    "Partiet vil avvikle bompengene i byen og heller finansiere veiene over statsbudsjettet. "
    "Vi går inn for gratis skolemat til alle elever i grunnskolen. "
    "Norge skal stå utenfor EU, men beholde et godt samarbeid med Europa. "
    "Det skal bygges sammenhengende sykkelveier fra bydelene til sentrum. "
)
PROMPTS: Final[dict[str, Any]] = {
    "prompts": {"kort": "Svar kort: {input}"},
    "cases": [{"name": word, "input": PROGRAMME, "contains": [word]} for word in QUESTIONS.values()],
}


def texts(place: Workplace) -> Iterator[Row]:
    place.transcribe(REFERENCE.read_text(encoding="utf-8"))
    talk = f"--communication-id={place.demo.communication}"
    told = place.run("synops-summarize", talk, "--write")
    yield Row("synops-summarize", "the transcript of 27 s", told, f"{told.result['engine']}, quotes only")
    node = f"--node-id={place.article}"
    found = place.run("synops-analyze", node, "--write")
    yield Row(
        "synops-analyze", "an article of 15 sentences", found, "keywords " + ", ".join(found.result["keywords"][:4])
    )
    facts = place.run("synops-ai", "--task=extract_facts", node, "--write")
    article, stated = " ".join(place.text.split()), [one["text"] for one in facts.result["facts"]]
    quoted = f"{len(stated)} facts, {sum(one in article for one in stated)} of them quoted"
    yield Row("synops-ai", "the facts of an article", facts, quoted)
    yield _suggestions(place, node)
    made = place.run("synops-embed", node, "--write")
    yield Row("synops-embed", "an article", made, f"{made.result['passages']} passages by {made.result['model']}")
    yield _reply(place, talk)
    yield _profile(place)
    tests = place.add("prompts", json.dumps(PROMPTS), "content")
    tried = place.run("synops-prompt-eval", f"--node-id={tests}", "--models=extractive")
    what = f"{len(PROMPTS['cases'])} cases, sentences chosen by rules"
    yield Row("synops-prompt-eval", what, tried, f"score {tried.result['best']['score']:.2f}")


def _suggestions(place: Workplace, node: str) -> Row:
    place.add_all(TOPICS, "", "topic")
    run = place.run("synops-suggest-edges", node, "--write")
    titles = {str(one["title"]) for one in run.result["suggestions"]}
    judged = f"{len(titles & ABOUT)} of {len(ABOUT)} topics that it is about, {len(titles - ABOUT)} others"
    return Row("synops-suggest-edges", f"an article and {len(TOPICS)} topics", run, judged)


def _reply(place: Workplace, talk: str) -> Row:
    """A question about the article, which is embedded by now."""
    message = demo_id("question")
    with psycopg.connect(place.home.url) as connection, connection.cursor() as cur:
        insert_node(cur, Node(message, "message", "", "Hvor mye koster den nye skolen?"))
        insert_edge(cur, Edge(message, "belongs_to", place.demo.communication))
    run = place.run("synops-respond", talk, "--engine=retrieval", "--write")
    right = any(one["node_id"] == str(place.article) for one in run.result["sources"])
    return Row(
        "synops-respond", "a question, by quotation", run, f"quotes {'the' if right else 'not the'} article about it"
    )


def _profile(place: Workplace) -> Row:
    asked = place.add("questions", "\n".join(QUESTIONS), "content")
    programme = place.add("programme", PROGRAMME, "content")
    run = place.run("synops-valgomat", f"--questions-id={asked}", f"--programme-id={programme}", "--write")
    first = [one["evidence"][0]["text"] for one in run.result["answers"]]
    hits = sum(word in text for word, text in zip(QUESTIONS.values(), first, strict=True))
    return Row(
        "synops-valgomat", f"{len(QUESTIONS)} questions to a programme", run, f"{hits} of {len(first)} passages right"
    )
