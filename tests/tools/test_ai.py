from __future__ import annotations

from typing import Any
from uuid import UUID, uuid4

import pytest
from django.db import connection, transaction

from orchestration.language import Vocabulary, compile_recipe, to_json
from synops.demo.data import DemoNodes
from synops.graph.seeds import seed_graph
from synops.store.edges import Edge, insert_edge
from synops.store.identities import SYSTEM_COLLECTION_ID
from synops.store.nodes import Node, insert_node
from synops.store.presets import SHIPPED, preset_id
from synops.tools.cleanup import cleaned, facts
from synops.tools.page import shipped
from tests.llm.server import Text, model_server
from tests.tools.conftest import Workshop, rows, running_job
from tests.tools.test_summarize import ARTICLE, transcribe

DICTATED = "eh vi må huske å, øh, ringe ringe trykkeriet . det det gjelder plakatene,, og så er det ja ja det er alt"
TIDY = "Vi må huske å ringe trykkeriet. Det gjelder plakatene, og så er det ja ja det er alt."
REFUSAL = (
    'task "rewrite" needs a language model (SYNOPS_LLM_BASE_URL is not set). Offline, this tool supports: summarize, '
    "extract_facts, clean. Nothing was written."
)


@pytest.fixture
def article(demo: DemoNodes) -> UUID:
    with transaction.atomic(), connection.cursor() as cur:
        insert_node(cur, Node(key := uuid4(), "content", "Skolesaken", ARTICLE, {"language": "nb"}))
        insert_edge(cur, Edge(key, "belongs_to", demo.collection))
    return key


def made_of(source: UUID) -> list[tuple[Any, ...]]:
    return rows(
        """SELECT n.node_kind, n.title, n.content, n.metadata ->> 'engine',
                  array(SELECT e.edge_type FROM edges e WHERE e.source_id = n.id ORDER BY 1)
           FROM nodes n WHERE n.metadata ->> 'made_of' = %s ORDER BY n.title""",
        str(source),
    )


def test_by_rules_and_never_over_the_text_itself(database_workshop: Workshop, demo: DemoNodes, article: UUID) -> None:
    def run(task: str) -> Any:
        job = running_job(demo.collection, "ai_text_process")
        flags = (f"--task={task}", f"--node-id={article}", "--write")
        return database_workshop.run("synops-ai", *flags, **job)

    found = run("extract_facts").result
    assert {"Kari Nordmann"} <= {name for fact in found["facts"] for name in fact["names"]}
    assert all(fact["text"] in " ".join(ARTICLE.split()) for fact in found["facts"])
    assert (found["engine"], found["quality"], found["language"]) == ("extractive", "draft", "nb")
    for _ in range(2):
        summary = run("summarize").result
    refused = run("rewrite")
    assert (refused.code, refused.stdout, REFUSAL in refused.stderr) == (78, "", True)
    stored = made_of(article)
    assert [row[:2] for row in stored] == [("content", "Fakta: Skolesaken"), ("content", "Sammendrag: Skolesaken")]
    assert stored[1][2:] == (summary["text"], "extractive", ["belongs_to", "derived_from"])
    assert rows("SELECT content FROM nodes WHERE id = %s", article) == [(ARTICLE,)]


def test_a_dictation_becomes_a_note(database_workshop: Workshop, demo: DemoNodes) -> None:
    transcribe(demo, DICTATED)
    flags = ("--task=dictation", f"--node-id={demo.media}", "--write")
    result = database_workshop.run("synops-ai", *flags, **running_job(demo.collection, "dictation_cleanup")).result
    assert result["text"] == TIDY
    [(kind, title, content, _, edges)] = made_of(demo.media)
    assert (kind, title, content) == ("note", "Vi må huske å ringe trykkeriet", TIDY)
    assert edges == ["belongs_to", "derived_from"]
    with model_server(Text('{"title": "Plakater", "text": "- [ ] Ring trykkeriet"}')) as server:
        job = running_job(demo.collection, "dictation_cleanup")
        database_workshop.run("synops-ai", *flags, **{**job, **server.environ})
    assert [row[1:4] for row in made_of(demo.media)] == [("Plakater", "- [ ] Ring trykkeriet", "llm")]


def test_presets_tell_the_model_what_to_do(database_workshop: Workshop, demo: DemoNodes, article: UUID) -> None:
    seed_graph()
    seed_graph()
    assert rows("SELECT count(*) FROM nodes WHERE node_kind = 'ai_preset'") == [(len(SHIPPED),)]
    with transaction.atomic(), connection.cursor() as cur:
        insert_node(cur, Node(own := uuid4(), "ai_preset", "Rim", "Skriv den på rim.", {"tier": 3}))
        insert_edge(cur, Edge(own, "belongs_to", demo.collection))
        insert_node(cur, Node(other := uuid4(), "ai_preset", "Andres", "Lek pirat."))
        insert_node(cur, Node(elsewhere := uuid4(), "collection", "Annen"))
        insert_edge(cur, Edge(other, "belongs_to", elsewhere))

    def run(preset: str, *flags: str, **environ: str) -> Any:
        job = running_job(demo.collection, "ai_process")
        given = ("--task=preset", f"--preset={preset}", f"--node-id={article}", "--write", *flags)
        return database_workshop.run("synops-ai", *given, **{**job, **environ})

    with model_server(Text("Om skolen på Nes\n")) as server:
        environ = server.environ | {"SYNOPS_LLM_MODEL_LARGE": "big/model"}
        result = run("rim", "--instruction=for barn", **environ).result
        run(str(preset_id("clean")), **environ)
    assert (result["text"], result["preset"], result["engine"]) == ("Om skolen på Nes", "Rim", "llm")
    first, second = server.requests
    assert first["model"] == "big/model"
    assert first["messages"][0]["content"].startswith("Skriv den på rim.\nBesides: for barn\n")
    assert second["messages"][0]["content"].startswith("Rett opp teksten")
    assert run("Trekk ut fakta").result["facts"]
    assert run("Andres").code == run(str(other)).code == run("finnes ikke").code == 66
    assert (done := run("rim")).code == 78, done.stderr
    assert str(SYSTEM_COLLECTION_ID) in str(
        rows("SELECT target_id FROM edges WHERE source_id = %s", preset_id("clean"))
    )


def test_calls_that_can_not_work(database_workshop: Workshop, demo: DemoNodes, article: UUID) -> None:
    def code(*flags: str) -> int:
        return database_workshop.run("synops-ai", *flags).code

    assert code() == code("--task=clean") == code("--task=preset", "--text=x") == code("--task=fly", "--text=x") == 64
    assert code("--task=clean", "--text=x", f"--node-id={article}") == 64
    assert code("--task=clean", f"--node-id={uuid4()}") == 66
    assert "no text" in database_workshop.run("synops-ai", "--task=clean", f"--node-id={demo.media}").stdout
    alone = database_workshop.run("synops-ai", "--task=clean", "--text=eh hei", "--write").result
    assert (alone["text"], alone["node_id"]) == ("Hei.", None)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", ""),
        ("eh øh ehm", ""),
        ("Ja ja, nei nei.", "Ja ja, nei nei."),
        ("vi kommer til til slutt", "Vi kommer til slutt."),
        ("Hva?!!!! Kult…", "Hva?! Kult…"),
        ("Første avsnitt.\n\nandre avsnitt", "Første avsnitt.\n\nAndre avsnitt."),
        ("Ehrling og Ohm møttes.", "Ehrling og Ohm møttes."),
    ],
)
def test_cleaning(text: str, expected: str) -> None:
    assert cleaned(text) == expected


def test_facts_are_no_questions_and_no_chatter() -> None:
    found = facts("Det var fint. Skolen koster 380 millioner. Hva mente Kari om det? Vi møtte Kari.", "nb")
    assert [fact["sentence"] for fact in found] == [1, 3]


@pytest.mark.parametrize(
    ("phrase", "params"),
    [
        ("rens teksten", {"task": "clean"}),
        ("skriv om artikkelen (på nynorsk)", {"task": "rewrite", "language": "nn"}),
        ("trekk ut fakta fra artikkelen", {"task": "extract_facts"}),
        ("oppsummer artikkelen", {"task": "summarize"}),
        ("rewrite the article", {"task": "rewrite"}),
        ("rydd diktatet", {"task": "dictation"}),
    ],
)
def test_verbs_of_recipes(phrase: str, params: dict[str, str]) -> None:
    words = Vocabulary.from_tools([tool.to_json() for tool in shipped()])
    compilation = compile_recipe(f"NÅR en artikkel er opprettet\n\n1. {phrase}\n", words)
    assert not compilation.diagnostics
    [[found]] = [step["alternatives"] for step in to_json(compilation.plan)["steps"]]
    assert (found["tool"], found["params"]) == ("synops-ai", {**params, "node_id": "{event.node_id}"})
