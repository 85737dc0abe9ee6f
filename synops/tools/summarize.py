"""synops-summarize: what a recorded conversation was about, and the minutes of a meeting."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from synops.llm.names import SECRETS, SETTINGS
from synops.tools.describe import Description, Param
from synops.tools.engines import ENGINE_PARAM, MODEL_PARAM, OUTPUTS, TIER_PARAM
from synops.tools.program import run

if TYPE_CHECKING:
    from synops.llm.endpoint import Endpoint
    from synops.tools.call import Call
    from synops.tools.conversation import Conversation, Sentence

SENTENCES = {"short": 3, "medium": 5, "long": 10}
# A summary of everything is no summary.
LARGEST_SHARE = 0.5
TITLES = {"nb": "Sammendrag: {}", "nn": "Samandrag: {}", "en": "Summary: {}"}
MINUTES_TITLES = {"nb": "Referat: {}", "nn": "Referat: {}", "en": "Minutes: {}"}
TASK = "Summarise the conversation for somebody who was not there, in at most {} sentences of plain prose without a heading."

DESCRIPTION = Description(
    name="synops-summarize",
    version="0.2.0",
    description={
        "nb": "Lager et sammendrag av en samtale, eller et møtereferat med beslutninger og oppgaver, fra transkripsjonen.",
        "en": "Summarises a conversation, or writes the minutes of a meeting with decisions and actions, from its transcript.",
    },
    job_types=("summarize_communication", "meeting_summarize"),
    job_type_by={"param": "form", "values": {"minutes": "meeting_summarize"}},
    rank=2,
    aliases={
        "nb": (
            "oppsummer", "lag sammendrag", "lag referat", "skriv referat", "skriv sammendrag", "sammenfatt",
            "lag møtereferat", "skriv møtereferat",
        ),
        "nn": (
            "oppsummer", "lag samandrag", "lag referat", "skriv referat", "skriv samandrag", "lag møtereferat",
            "skriv møtereferat",
        ),
        "en": ("summarize", "summarise", "write a summary", "write minutes"),
    },
    params=(
        Param(
            name="communication_id",
            type="uuid",
            required=True,
            bind=("event.communication_id",),
            hints={
                "nb": ("samtale", "møte", "intervju", "innspilling", "opptak", "episode", "sending"),
                "nn": ("samtale", "møte", "intervju", "innspeling", "opptak", "episode", "sending"),
                "en": ("the conversation", "the meeting", "the interview", "the recording", "the episode"),
            },
            description={"nb": "Samtalen som skal oppsummeres.", "en": "The conversation to summarise."},
        ),
        Param(
            name="form",
            type="string",
            enum={
                "summary": {"nb": ("løpende tekst",), "nn": ("løpande tekst",), "en": ("running text",)},
                "minutes": {
                    "nb": ("møtereferat", "med beslutninger", "med oppgaver"),
                    "nn": ("møtereferat", "med avgjerder", "med oppgåver"),
                    "en": ("minutes", "with decisions", "with actions"),
                },
            },
            default="summary",
            description={
                "nb": "Sammendrag, eller møtereferat: beslutninger, oppgaver med ansvar og frist, åpne spørsmål.",
                "en": "A summary, or minutes: decisions, actions with owner and date, open questions.",
            },
        ),
        Param(
            name="length",
            type="string",
            enum={
                "short": {"nb": ("kort",), "nn": ("kort",), "en": ("short",)},
                "medium": {"nb": ("middels",), "nn": ("middels",), "en": ("medium",)},
                "long": {"nb": ("langt", "lang"), "nn": ("langt", "lang"), "en": ("long",)},
            },
            default="medium",
            description={
                "nb": "Sammendrag: høyst 3, 5 eller 10 setninger, og aldri mer enn halvparten.",
                "en": "Summary: at most 3, 5 or 10 sentences, and never more than half of them.",
            },
        ),
        Param(
            name="language",
            type="string",
            enum={
                "nb": {
                    "nb": ("på norsk", "på bokmål", "norsk", "bokmål"),
                    "nn": ("på norsk", "på bokmål", "norsk", "bokmål"),
                    "en": ("in norwegian", "norwegian"),
                },
                "nn": {"nb": ("på nynorsk", "nynorsk"), "nn": ("på nynorsk", "nynorsk"), "en": ("in nynorsk",)},
                "en": {"nb": ("på engelsk", "engelsk"), "nn": ("på engelsk", "engelsk"), "en": ("in english",)},
            },
            description={
                "nb": "Språket det skrives på; sitater er på språket som ble snakket.",
                "en": "The language to write in; quotes are in the language that was spoken.",
            },
        ),
        ENGINE_PARAM,
        TIER_PARAM,
        MODEL_PARAM,
    ),
    outputs={
        "summary_node_id": "uuid",
        "summary": "text",
        "sentence_count": "integer",
        "sources": "list",
        "decisions": "list",
        "actions": "list",
        "questions": "list",
        **OUTPUTS,
    },
    output_words={
        "summary_node_id": {
            "nb": ("sammendrag", "oppsummering", "referat"),
            "nn": ("samandrag", "oppsummering", "referat"),
            "en": ("the summary", "the minutes"),
        }
    },
    database="write",
    settings=SETTINGS,
    secrets=SECRETS,
    network=True,
    exit_codes="sysexits",
    examples=(
        "synops-summarize --communication-id=0190f5a6-0000-7000-8000-000000000001",
        "synops-summarize --communication-id=0190f5a6-0000-7000-8000-000000000001 --length=short --write",
        "synops-summarize --communication-id=0190f5a6-0000-7000-8000-000000000001 --form=minutes --write",
    ),
)  # fmt: skip


def work(call: Call) -> dict[str, Any]:
    """Read, summarise or write minutes, and under `--write` store one content node for the conversation."""
    from synops.tools.conversation import read_conversation, sentences_of
    from synops.tools.engines import chosen_model

    place = chosen_model(call)
    talk = read_conversation(call, call.uuid("communication_id"))
    sentences = sentences_of(talk.recordings)
    if not sentences:
        return {"skipped": "no speech in the recording"}
    if call.payload["form"] == "minutes":
        from synops.tools.meeting import minutes_of

        result, text = minutes_of(call, talk, sentences, place)
    else:
        result = _by_model(call, talk, sentences, place) if place else _by_rules(call, talk, sentences)
        text = result["summary"]
    stored = _store(call, talk, result, text) if call.write else None
    return {**result, "summary_node_id": stored}


def _by_rules(call: Call, talk: Conversation, sentences: Sequence[Sentence]) -> dict[str, Any]:
    """The most telling sentences, quoted."""
    from synops.tools.engines import by_rules
    from synops.tools.extractive import choose

    wanted = min(SENTENCES[call.payload["length"]], max(1, int(len(sentences) * LARGEST_SHARE)))
    call.progress(0.5, f"choosing {wanted} of {len(sentences)} sentences")
    chosen = choose([sentence.text for sentence in sentences], wanted, talk.language)
    sources = [
        {"sentence": at, "recording": sentences[at].recording, "start_ms": sentences[at].start_ms} for at in chosen
    ]
    return {
        **by_rules(talk.language),
        "sentence_count": len(sentences),
        "sources": sources,
        "summary": " ".join(sentences[at].text for at in chosen),
    }


def _by_model(call: Call, talk: Conversation, sentences: Sequence[Sentence], place: Endpoint) -> dict[str, Any]:
    """What the model makes of the whole transcript; it has no sources to point at."""
    from synops.tools.engines import brief, by_model, material
    from synops.tools.model import answer

    language = call.payload["language"] or talk.language
    task = TASK.format(SENTENCES[call.payload["length"]])
    messages = [
        brief(task, language, talk.prompts.get("summarize", "")),
        material(" ".join(sentence.text for sentence in sentences)),
    ]
    said = answer(call, place, messages, tier=call.payload["intelligence"], model=call.payload["model"] or "")
    made = by_model(said.model, language, said.usage)
    return {**made, "sentence_count": len(sentences), "sources": [], "summary": said.text.strip()}


def _store(call: Call, talk: Conversation, result: dict[str, Any], text: str) -> str:
    """One summary and one set of minutes a conversation: the id comes from it, so that any later run replaces the former."""
    from uuid import uuid5

    from synops.store.edges import Edge, insert_edge
    from synops.store.identities import NAMESPACE
    from synops.store.nodes import Node, upsert_node
    from synops.tools.database import writing

    form, titles = ("minutes", MINUTES_TITLES) if call.payload["form"] == "minutes" else ("summary", TITLES)
    title = titles.get(call.payload["language"] or talk.language, titles["nb"]).format(talk.node.title)
    # What it cost belongs to the job; the text is the content.
    kept = {key: value for key, value in result.items() if key not in ("usage", "summary", "sentence_count")}
    metadata = {"summary_of": str(talk.node.id), "form": form, **kept}
    node = Node(uuid5(NAMESPACE, f"{form}:{talk.node.id}"), "content", title, text, metadata)
    call.progress(0.9, "storing the summary")
    with writing(call) as cur:
        upsert_node(cur, node)
        insert_edge(cur, Edge(node.id, "summary", talk.node.id))
        for collection in talk.collections:
            insert_edge(cur, Edge(node.id, "belongs_to", collection))
    return str(node.id)


def main() -> int:
    """The console script."""
    return run(DESCRIPTION, work)
