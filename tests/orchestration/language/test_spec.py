"""The specification's own recipe, error box and short tool form, word for word."""

from __future__ import annotations

import json
import subprocess
import sys
from functools import cache

import pytest

from orchestration.language import (
    Vocabulary,
    compile_recipe,
    from_json,
    print_human,
    print_technical,
    render_box,
    to_json,
)
from tests.orchestration.language.stand_in import vocabulary

HUMAN = """\
NÅR innspilling avsluttet
HVIS samling har podcast

1. transkriber lydfilen (stor modell)
   ved feil: transkriber lydfilen (medium modell)
2. oppsummer samtalen
3. oppdater rss-feed

ved feil: opprett oppgave "Pipeline feilet" (bug)
"""
TECHNICAL = """\
NÅR innspilling.avsluttet
HVIS samling.har_trait("podcast")

1. synops-transcribe --cas-hash {event.cas_hash} --model large
   VED_FEIL: synops-transcribe --cas-hash {event.cas_hash} --model medium
2. synops-summarize --communication-id {event.communication_id}
3. synops-rss --collection-id {event.collection_id}

VED_FEIL: work_item "Pipeline feilet" --tag bug
"""
SHIPPED = HUMAN.replace("har podcast", "har podcast OG lyd").replace(
    "(medium modell)\n", "(medium modell)\n   ved feil: transkriber lydfilen\n"
)
BOX = """\
┌─ Kompilering ─────────────────────────────────┐
│                                               │
│  ✓ Linje 4: transkriber lydfilen (stor)       │
│    → synops-transcribe --model large          │
│                                               │
│  ✗ Linje 5: send epost til deltakerne         │
│    Feil: "send epost" matcher ingen verktøy   │
│    Mente du: "varsle deltakerne"?             │
│    Tilgjengelig: varsle, oppsummer, publiser  │
│                                               │
│  ✓ Linje 6: oppdater rss-feed                 │
│    → synops-rss                               │
│                                               │
│  1 feil. Rett opp og prøv igjen.              │
└───────────────────────────────────────────────┘
"""
SHORT_FORM = [
    {
        "binary": "synops-transcribe",
        "aliases": ["transkriber", "transkribering"],
        "description": "Whisper-transkribering av lydfil",
        "args_hints": {
            "lydfilen": "{event.cas_hash}",
            "stor modell": "--model large",
            "medium modell": "--model medium",
        },
    },
    {
        "binary": "synops-summarize",
        "aliases": ["oppsummer"],
        "description": "AI-oppsummering",
        "args_hints": {"samtalen": "{event.communication_id}"},
    },
    {
        "binary": "synops-rss",
        "aliases": ["oppdater rss-feed", "generer feed"],
        "description": "RSS-generering",
        "args_hints": {"samlingen": "{event.collection_id}"},
    },
]


@cache
def shipped_tools() -> Vocabulary:
    """Some of the tools as they describe themselves."""
    found = []
    for name in ("checksum", "transcribe", "summarize", "rss", "audio", "notify"):
        code = f"import sys; from synops.tools import {name}; sys.argv = ['x', '--describe']; {name}.main()"
        answer = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True, text=True)
        found.append(json.loads(answer.stdout))
    return Vocabulary.from_tools(found)


@pytest.fixture(scope="module", params=["lexicon", "short form", "shipped tools"])
def words(request: pytest.FixtureRequest) -> Vocabulary:
    if request.param == "lexicon":
        return vocabulary()
    return Vocabulary.from_tools(SHORT_FORM) if request.param == "short form" else shipped_tools()


def test_both_layers_compile_to_one_plan(words: Vocabulary) -> None:
    human, technical = compile_recipe(HUMAN, words), compile_recipe(TECHNICAL, words)
    assert (human.diagnostics, technical.diagnostics) == ((), ())
    assert (human.layer, technical.layer) == ("human", "technical")
    assert human.plan is not None
    assert technical.plan is not None
    assert human.plan.meaning() == technical.plan.meaning()


def test_each_layer_prints_the_other(words: Vocabulary) -> None:
    human, technical = compile_recipe(HUMAN, words).plan, compile_recipe(TECHNICAL, words).plan
    assert human is not None
    assert technical is not None
    assert print_technical(human, words) == TECHNICAL
    assert print_human(technical, words) == HUMAN


def test_compiled_json_of_the_shipped_recipe() -> None:
    words = Vocabulary.from_tools(SHORT_FORM)
    compilation = compile_recipe(SHIPPED, words)
    assert compilation.plan is not None
    assert print_human(compilation.plan, words) == SHIPPED
    compiled = to_json(compilation.plan)
    assert from_json(json.dumps(compiled)) == compilation.plan
    assert compiled == {
        "schema": 1,
        "lexicon_hash": compilation.lexicon_hash,
        "trigger": {
            "event": "communication.ended",
            "conditions": [{"has_trait": "podcast"}, {"has_media": "audio"}],
            "schedule": None,
        },
        "steps": [
            {
                "number": 1,
                "line": 4,
                "text": "transkriber lydfilen (stor modell)",
                "alternatives": [
                    call("transcribe", cas_hash="{event.cas_hash}", model="large"),
                    call("transcribe", cas_hash="{event.cas_hash}", model="medium"),
                    call("transcribe", cas_hash="{event.cas_hash}"),
                ],
            },
            {
                "number": 2,
                "line": 7,
                "text": "oppsummer samtalen",
                "alternatives": [call("summarize", communication_id="{event.communication_id}")],
            },
            {
                "number": 3,
                "line": 8,
                "text": "oppdater rss-feed",
                "alternatives": [call("rss", collection_id="{event.collection_id}")],
            },
        ],
        "on_failure": [{"work_item": {"title": "Pipeline feilet", "tag": "bug"}}],
    }


def call(verb: str, **params: str) -> dict[str, object]:
    return {"tool": f"synops-{verb}", "job_type": verb, "params": params}


def test_job_types_come_from_the_tools() -> None:
    plan = compile_recipe(HUMAN, shipped_tools()).plan
    assert plan is not None
    types = [alternative["job_type"] for step in to_json(plan)["steps"] for alternative in step["alternatives"]]
    assert types == ["whisper_transcribe", "whisper_transcribe", "summarize_communication", "rss"]


def test_the_error_box() -> None:
    header = HUMAN.splitlines()[:2]
    steps = ["1. transkriber lydfilen (stor)", "2. send epost til deltakerne", "3. oppdater rss-feed"]
    text = "\n".join([*header, "", *steps])
    assert render_box(compile_recipe(text, vocabulary())) == BOX


@pytest.mark.parametrize(
    ("old", "new", "code", "place", "better"),
    [
        ("oppsummer", "oppsumer", "ORK-301", "oppsumer", "oppsummer"),
        ("stor modell", "svær modell", "ORK-406", "svær modell", ""),
        ("innspilling avsluttet", "innspilling avslutet", "ORK-105", "avslutet", "avsluttet"),
        ("har podcast", "har potcast", "ORK-111", "potcast", "podcast"),
        ("NÅR", "NR", "ORK-103", "NR", "NÅR"),
    ],
)
def test_unknown_words_have_a_place_and_a_suggestion(old: str, new: str, code: str, place: str, better: str) -> None:
    compilation = compile_recipe(HUMAN.replace(old, new, 1), vocabulary())
    assert compilation.plan is None
    (wrong,) = compilation.errors
    assert wrong.code == code
    assert compilation.source.slice(wrong.span) == place
    assert [item.show for item in wrong.suggestions][:1] == ([better] if better else [])


def test_the_shipped_audio_tool_in_a_chain() -> None:
    text = """\
NÅR en lydfil lastes opp

1. rens lyden (-16 lufs)
2. klipp bort stillheten
3. transkriber den nye lydfilen (stor modell)
"""
    compilation = compile_recipe(text, shipped_tools())
    assert compilation.diagnostics == ()
    assert compilation.plan is not None
    steps = [step["alternatives"][0]["params"] for step in to_json(compilation.plan)["steps"]]
    assert steps == [
        {"cas_hash": "{event.cas_hash}", "loudness": -16},
        {"cas_hash": "{steps.1.cas_hash}", "trim": True},
        {"cas_hash": "{steps.2.cas_hash}", "model": "large"},
    ]
    technical = print_technical(compilation.plan, shipped_tools())
    assert "--loudness=-16" in technical
    again = compile_recipe(print_human(compilation.plan, shipped_tools()), shipped_tools())
    assert again.plan is not None
    assert again.plan.meaning() == compilation.plan.meaning()


@pytest.mark.parametrize(
    ("step", "code"),
    [("rens lyden (-90 lufs)", "ORK-705"), ("klipp lyden uten pauser", ""), ("rens lyden uten å klippe", "ORK-204")],
)
def test_limits_and_negations_of_the_shipped_audio_tool(step: str, code: str) -> None:
    compilation = compile_recipe(f"NÅR en lydfil lastes opp\n1. {step}", shipped_tools())
    assert [item.code for item in compilation.diagnostics] == ([code] if code else [])
