"""The tools' own words, read by the real compiler: what people write becomes the call that they mean."""

from __future__ import annotations

from typing import Any

import pytest

from orchestration.language import Vocabulary, compile_recipe, to_json
from synops.tools.arguments import validate_payload
from synops.tools.page import shipped

TOOLS = {tool.name: tool for tool in shipped()}
VOCABULARY = Vocabulary.from_tools([tool.to_json() for tool in shipped()])

SPEC = """NÅR innspilling avsluttet
HVIS samling har podcast

1. transkriber lydfilen (stor modell)
   ved feil: transkriber lydfilen (medium modell)
2. oppsummer samtalen
3. oppdater rss-feed

ved feil: opprett oppgave "Pipeline feilet" (bug)
"""


def compiled(text: str) -> dict[str, Any]:
    compilation = compile_recipe(text, VOCABULARY)
    assert not compilation.diagnostics, compilation.diagnostics
    assert compilation.plan
    return to_json(compilation.plan)


def call(tool: str, job_type: str, **params: Any) -> dict[str, Any]:
    return {"tool": tool, "job_type": job_type, "params": params}


def test_the_recipe_of_the_specification() -> None:
    sound = {"cas_hash": "{event.cas_hash}"}
    assert [step["alternatives"] for step in compiled(SPEC)["steps"]] == [
        [
            call("synops-transcribe", "whisper_transcribe", **sound, model="large"),
            call("synops-transcribe", "whisper_transcribe", **sound, model="medium"),
        ],
        [call("synops-summarize", "summarize_communication", communication_id="{event.communication_id}")],
        [call("synops-rss", "rss", collection_id="{event.collection_id}")],
    ]


def test_people_are_told_about_what_the_event_is_about() -> None:
    text = "NÅR innspilling avsluttet\n\n1. varsle deltakerne\n2. gi beskjed til redaksjonen\n"
    found = [step["alternatives"] for step in compiled(text)["steps"]]
    assert [item["params"]["recipients"] for [item] in found] == ["participants", "editors"]
    assert {item["params"]["node_id"] for [item] in found} == {"{event.node_id}"}
    assert {item["tool"] for [item] in found} == {"synops-notify"}
    wrong = compile_recipe("NÅR innspilling avsluttet\n\n1. send epost til deltakerne\n", VOCABULARY)
    assert [suggestion.show for suggestion in wrong.diagnostics[0].suggestions] == ["varsle deltakerne"]


def test_the_summary_of_an_earlier_step_is_read_aloud() -> None:
    text = "NÅR innspilling avsluttet\n\n1. oppsummer samtalen\n2. les opp sammendraget (kvinnestemme)\n"
    assert compiled(text)["steps"][1]["alternatives"] == [
        call("synops-tts", "tts_generate", node_id="{steps.1.summary_node_id}", voice="female")
    ]


@pytest.mark.parametrize(
    ("event", "bound"), [("kobling opprettet", "{event.target_id}"), ("innhold opprettet", "{event.node_id}")]
)
def test_a_tool_that_demands_nothing_works_on_what_the_event_is_about(event: str, bound: str) -> None:
    """A clip needs a node or an address, so neither is required; a recipe that names none means the event's."""
    [step] = compiled(f"NÅR {event}\n\n1. hent nettsiden\n")["steps"]
    assert step["alternatives"] == [call("synops-clip", "research_clip", node_id=bound)]


@pytest.mark.parametrize(
    ("phrase", "tool", "params"),
    [
        ("transkriber lydfila (stor modell, nynorsk)", "synops-transcribe", {"model": "large", "language": "nn"}),
        ("transcribe the audio file (large model)", "synops-transcribe", {"model": "large"}),
        ("transkriber intervjuet (rask)", "synops-transcribe", {"model": "small"}),
        ("skriv referat fra møtet (på nynorsk)", "synops-summarize", {"language": "nn"}),
        ("lag kort sammendrag av samtalen", "synops-summarize", {"length": "short"}),
        ("summarise the conversation", "synops-summarize", {}),
        ("oppdater podkastfeeden", "synops-rss", {}),
        ("rens lyden (podkast, -16 lufs)", "synops-audio", {"preset": "podcast", "loudness": -16}),
        ("fjern støy i opptaket", "synops-audio", {}),
        ("klipp bort stillhet i opptaket", "synops-audio", {"trim": True}),
        ("konverter lyden til flac", "synops-audio", {"format": "flac"}),
        ("kontroller sjekksum", "synops-checksum", {}),
        ("lag bølgeform av opptaket", "synops-waveform", {}),
        ("draw the waveform", "synops-waveform", {}),
        ("transkriber lydfilen (taletjener)", "synops-transcribe", {"model": "server"}),
        ("bygg nettside for artikkelen", "synops-render", {}),
        ("bygg framsida", "synops-render", {"target": "index"}),
        ("build the homepage (all pages)", "synops-render", {"target": "index", "all": True}),
        ("publiser episoden (øverst)", "synops-publish", {"slot": "top"}),
        ("publish the article", "synops-publish", {}),
        ("tell nedlastinger", "synops-stats", {}),
    ],
)
def test_phrases(phrase: str, tool: str, params: dict[str, Any]) -> None:
    [step] = compiled(f"NÅR innspilling avsluttet\n\n1. {phrase}\n")["steps"]
    [found] = step["alternatives"]
    bound = {param.name: f"{{{param.bind[0]}}}" for param in TOOLS[tool].params if param.required}
    assert found == call(tool, TOOLS[tool].job_type(params), **bound, **params)
    # The values that words stand for are values that the tool takes.
    assert validate_payload(TOOLS[tool], params) == [
        f"{param.name} ({param.flag}) is required" for param in TOOLS[tool].params if param.required
    ]
