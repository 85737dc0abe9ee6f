from __future__ import annotations

import json
from typing import Any

import pytest
from django.db import connection, transaction

from synops.demo.data import DemoNodes, demo_id
from synops.store.nodes import Node, get_node, insert_node, update_node
from synops.store.segments import Segment
from synops.tools.analysis import chapters, shortened
from synops.tools.keywords import keywords, mentions
from tests.llm.server import Hang, Raw, Reply, Status, Text, model_server
from tests.tools.conftest import Workshop, running_job
from tests.tools.test_summarize import ARTICLE, transcribe

ANSWER = {
    "title": "Ny skole på Nes",
    "description": "Kommunestyret i Lillevik vil bygge. Opposisjonen er imot.",
    "keywords": ["skole", "økonomi"],
    "names": ["Kari Nordmann", "Ola Hansen", "Donald Duck"],
    "chapters": [{"start": "0:45", "title": "Pengene"}, {"start": "0:00", "title": "Vedtaket"}],
}
FAST = {"SYNOPS_LLM_READ_TIMEOUT_SECONDS": "0.3", "SYNOPS_LLM_TIMEOUT_SECONDS": "1"}


def kept(demo: DemoNodes) -> Any:
    with connection.cursor() as cur:
        return get_node(cur, demo.communication).metadata.get("analysis")


def test_by_rules_everything_is_quoted_or_counted(database_workshop: Workshop, demo: DemoNodes) -> None:
    transcribe(demo, ARTICLE)
    job = running_job(demo.collection, "openrouter_analyze")
    found = database_workshop.run("synops-analyze", f"--node-id={demo.communication}", "--write", **job).result
    assert (found["engine"], found["model"], found["quality"], found["language"]) == ("extractive", None, "draft", "nb")
    assert set(found["keywords"]) >= {"renteutgift", "skolestruktur", "finansieringsplan"}
    assert set(found["names"]) >= {"Kari Nordmann", "Ola Hansen", "Nes", "Arbeidstilsynet"}
    assert found["description"].split(". ")[0] in " ".join(ARTICLE.split())
    assert found["title"].rstrip("…") in ARTICLE
    assert kept(demo) == found
    with connection.cursor() as cur:
        assert get_node(cur, demo.communication).title == "Sense and Sensibility, chapter 1"


def test_by_a_model(database_workshop: Workshop, demo: DemoNodes) -> None:
    transcribe(demo, ARTICLE)
    late = {**ANSWER, "chapters": [{"start": "99:00", "title": "?"}]}
    with model_server(Text(json.dumps(late)), Text(json.dumps(ANSWER))) as server:
        flags = (f"--node-id={demo.communication}", "--write")
        found = database_workshop.run("synops-analyze", *flags, **server.environ).result
    assert found["names"] == ["Kari Nordmann", "Ola Hansen"], "whom nobody named is left out"
    assert [one["start_ms"] for one in found["chapters"]] == [0, 45_000]
    assert (found["engine"], found["model"], found["quality"]) == ("llm", "test/model-1", "standard")
    assert found["usage"] == {"calls": 2, "prompt_tokens": 22, "completion_tokens": 14, "cost_usd": 0.005}
    first = server.requests[0]["messages"]
    assert "Norwegian bokmål" in first[0]["content"]
    assert "[0:15]" in first[1]["content"]
    assert "99:00, after the end" in server.requests[1]["messages"][-1]["content"]
    assert "usage" not in kept(demo)


def test_the_collections_own_instruction(database_workshop: Workshop, demo: DemoNodes) -> None:
    transcribe(demo, ARTICLE)
    with connection.cursor() as cur:
        update_node(cur, demo.collection, metadata={"prompts": {"analyze": "Skriv som en pirat."}})
    with model_server(Text(json.dumps(ANSWER))) as server:
        flags = (f"--node-id={demo.communication}", "--engine=llm", "--model=other/model")
        database_workshop.run("synops-analyze", *flags, **server.environ)
    [asked] = server.requests
    assert asked["messages"][0]["content"].startswith("Skriv som en pirat.\n")
    assert asked["model"] == "other/model"


@pytest.mark.parametrize(
    ("reply", "code", "said"),
    [
        (Status(401, "bad key sk-very-secret"), 78, "Check SYNOPS_LLM_API_KEY"),
        (Status(429, headers={"Retry-After": "900"}), 75, "429"),
        (Status(503, headers={"Retry-After": "0"}), 75, "(tried 4×)"),
        (Text("Gjerne! Her er en fin analyse for deg."), 75, "no usable answer in 3 rounds"),
        (Hang(), 75, "did not answer within 0.3 s"),
        (Raw(b"<html>", drip=0.05), 75, "was not done within 1 s"),
    ],
)
def test_a_model_that_fails(database_workshop: Workshop, demo: DemoNodes, reply: Reply, code: int, said: str) -> None:
    transcribe(demo, ARTICLE)
    with model_server(reply) as server:
        environ = server.environ | FAST if code == 75 and not isinstance(reply, Status | Text) else server.environ
        done = database_workshop.run("synops-analyze", f"--node-id={demo.communication}", "--write", **environ)
    assert (done.code, done.stdout) == (code, "")
    assert said in done.stderr
    assert "very-secret" not in done.stderr
    assert kept(demo) is None


def test_calls_that_can_not_work(database_workshop: Workshop, demo: DemoNodes) -> None:
    def run(*flags: str, **environ: str) -> tuple[int, str]:
        done = database_workshop.run("synops-analyze", *flags, **environ)
        return done.code, done.stdout + done.stderr

    assert run()[0] == 64
    assert run(f"--node-id={demo_id('nothing')}")[0] == 66
    code, said = run(f"--node-id={demo.communication}", "--engine=llm")
    assert (code, "no language model is configured. Set SYNOPS_LLM_BASE_URL" in said) == (78, True)
    code, said = run(f"--node-id={demo.communication}", SYNOPS_LLM_BASE_URL="not an address")
    assert (code, "SYNOPS_LLM_BASE_URL must be an address" in said) == (78, True)
    with transaction.atomic(), connection.cursor() as cur:
        insert_node(cur, Node(demo_id("empty"), "content", "Tom"))
    assert "no text and no speech in it" in run(f"--node-id={demo_id('empty')}")[1]


def test_chapters_begin_at_the_longest_pauses() -> None:
    def talk(start: int, text: str) -> list[Segment]:
        return [Segment(start + at * 5000, start + at * 5000 + 4900, text) for at in range(20)]

    segments = [
        *talk(0, "Eiendomsskatten øker i kommunen."), *talk(103_000, "Havvinden bygges ut ved kysten."),
        *talk(206_000, "Barnehagene mangler ansatte."),
    ]  # fmt: skip
    found = chapters(segments, "nb")
    assert [one["start_ms"] for one in found] == [0, 103_000, 206_000]
    assert "eiendomsskatt" in found[0]["title"].casefold()
    assert "havvind" in found[1]["title"].casefold()
    assert chapters(segments[:20], "nb") == chapters([], "nb") == []


def test_words_and_names_of_odd_texts() -> None:
    assert not keywords("", "nb")
    assert not mentions("", "nb")
    assert keywords("1 2 3 !!! \0", "xx") == []
    assert [one.name for one in mentions("Per sa at alle, per i dag, heter Per. PER!", "nb", ["Per"])] == ["Per"]
    assert mentions("Vi møtte Kari i går. Karis bil sto der.", "nb")[0][:2] == ("Kari", 2)
    many = " ".join(f"og Navn{chr(97 + at % 26)}{at} Nordmann" for at in range(3000))
    assert len(mentions(many, "nb")) <= 300
    assert shortened("Ord " * 50).endswith("…")
    assert len(shortened("x" * 500)) <= 80
