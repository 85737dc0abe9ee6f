"""synops-summarize: what a recorded conversation was about, quoted from its transcript."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from synops.tools.describe import Description, Param
from synops.tools.program import run

if TYPE_CHECKING:
    from uuid import UUID

    from synops.store.nodes import Node
    from synops.store.segments import Recording
    from synops.tools.call import Call

SENTENCES = {"short": 3, "medium": 5, "long": 10}
# A summary of everything is no summary.
LARGEST_SHARE = 0.5
TITLES = {"nb": "Sammendrag: {}", "nn": "Samandrag: {}", "en": "Summary: {}"}

DESCRIPTION = Description(
    name="synops-summarize",
    version="0.1.0",
    description={
        "nb": "Lager et sammendrag av en samtale ved å sitere de viktigste setningene fra transkripsjonen.",
        "en": "Summarises a conversation by quoting the most telling sentences of its transcript.",
    },
    job_types=("summarize_communication",),
    rank=2,
    aliases={
        "nb": ("oppsummer", "lag sammendrag", "lag referat", "skriv referat", "skriv sammendrag", "sammenfatt"),
        "nn": ("oppsummer", "lag samandrag", "lag referat", "skriv referat", "skriv samandrag"),
        "en": ("summarize", "summarise", "write a summary"),
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
            name="length",
            type="string",
            enum={
                "short": {"nb": ("kort",), "nn": ("kort",), "en": ("short",)},
                "medium": {"nb": ("middels",), "nn": ("middels",), "en": ("medium",)},
                "long": {"nb": ("langt", "lang"), "nn": ("langt", "lang"), "en": ("long",)},
            },
            default="medium",
            description={
                "nb": "Høyst 3, 5 eller 10 setninger, og aldri mer enn halvparten.",
                "en": "At most 3, 5 or 10 sentences, and never more than half of them.",
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
                "nb": "Språket for tittelen; sitatene er på språket som ble snakket.",
                "en": "The language of the title; the quotes are in the language that was spoken.",
            },
        ),
    ),
    outputs={
        "summary_node_id": "uuid",
        "summary": "text",
        "engine": "string",
        "quality": "string",
        "language": "string",
        "sentence_count": "integer",
        "sources": "list",
    },
    output_words={
        "summary_node_id": {
            "nb": ("sammendrag", "oppsummering", "referat"),
            "nn": ("samandrag", "oppsummering", "referat"),
            "en": ("the summary", "the minutes"),
        }
    },
    database="write",
    exit_codes="sysexits",
    examples=(
        "synops-summarize --communication-id=0190f5a6-0000-7000-8000-000000000001",
        "synops-summarize --communication-id=0190f5a6-0000-7000-8000-000000000001 --length=short --write",
    ),
)


class Sentence(NamedTuple):
    """A sentence of the transcript and when it begins."""

    text: str
    recording: int
    start_ms: int


def work(call: Call) -> dict[str, Any]:
    """Read, choose, and under `--write` store one content node for the conversation."""
    from synops.tools.extractive import choose

    node, recordings, collections = _read(call)
    spoken = next((language for item in recordings if (language := _language(item))), "nb")
    sentences = _sentences(recordings)
    if not sentences:
        return {"skipped": "no speech in the recording"}
    wanted = min(SENTENCES[call.payload["length"]], max(1, int(len(sentences) * LARGEST_SHARE)))
    call.progress(0.5, f"choosing {wanted} of {len(sentences)} sentences")
    chosen = choose([sentence.text for sentence in sentences], wanted, spoken)
    result = _result([sentences[at] for at in chosen], chosen, len(sentences), spoken)
    summary = _summary_node(node, result, call.payload["language"] or spoken)
    if call.write:
        _store(call, summary, node.id, collections)
    return {**result, "summary_node_id": str(summary.id) if call.write else None}


def _read(call: Call) -> tuple[Node, list[Recording], list[UUID]]:
    """The conversation, its recordings and its collections, in one snapshot. Raises NoInput, BadInput."""
    from synops.store.nodes import UnknownNode, get_node
    from synops.store.segments import collections_of, recordings_of
    from synops.tools.database import reading
    from synops.tools.failures import BadInput, NoInput

    wanted = call.uuid("communication_id")
    with reading(call) as cur:
        try:
            node = get_node(cur, wanted)
        except UnknownNode as error:
            raise NoInput(str(error)) from error
        if node.node_kind != "communication":
            raise BadInput(f"node {wanted} is of kind {node.node_kind}, not a communication")
        recordings = [item for item in recordings_of(cur, wanted) if item.transcribed]
        collections = [call.collection_id] if call.collection_id else collections_of(cur, wanted)
    if not recordings:
        raise NoInput(f'"{node.title}" ({wanted}) has no transcript; run synops-transcribe on its recording first')
    return node, recordings, collections


def _language(recording: Recording) -> str:
    transcript = recording.metadata.get("transcript")
    language = transcript.get("language") if isinstance(transcript, dict) else None
    return language if isinstance(language, str) else ""


def _sentences(recordings: Sequence[Recording]) -> list[Sentence]:
    """All sentences in order. A recogniser's segments break anywhere, so text is joined before it is split."""
    from synops.tools.extractive import split_sentences

    found = []
    for number, recording in enumerate(recordings):
        text, starts = "", []
        for segment in recording.segments:
            starts.append((len(text), segment.start_ms))
            text += segment.text + " "
        at = 0
        for sentence in split_sentences(text):
            place = text.find(sentence.split(" ", 1)[0], at)
            at = max(at, place)
            found.append(Sentence(sentence, number, max(ms for offset, ms in starts if offset <= at)))
            at += len(sentence)
    return found


def _result(chosen: Sequence[Sentence], indices: Sequence[int], total: int, language: str) -> dict[str, Any]:
    from synops.tools.extractive import ENGINE

    return {
        "engine": ENGINE,
        "quality": "draft",
        "language": language,
        "sentence_count": total,
        "sources": [
            {"sentence": at, "recording": sentence.recording, "start_ms": sentence.start_ms}
            for at, sentence in zip(indices, chosen, strict=True)
        ],
        "summary": " ".join(sentence.text for sentence in chosen),
    }


def _summary_node(communication: Node, result: dict[str, Any], title_language: str) -> Node:
    """One summary a conversation: its id comes from the conversation, so that any later run replaces it."""
    from uuid import uuid5

    from synops.store.identities import NAMESPACE
    from synops.store.nodes import Node

    kept = {key: result[key] for key in ("engine", "quality", "language", "sources")}
    return Node(
        uuid5(NAMESPACE, f"summary:{communication.id}"),
        "content",
        TITLES.get(title_language, TITLES["nb"]).format(communication.title),
        result["summary"],
        {"summary_of": str(communication.id), **kept},
    )


def _store(call: Call, summary: Node, communication: UUID, collections: Sequence[UUID]) -> None:
    from synops.store.edges import Edge, insert_edge
    from synops.store.nodes import upsert_node
    from synops.tools.database import writing

    call.progress(0.9, "storing the summary")
    with writing(call) as cur:
        upsert_node(cur, summary)
        insert_edge(cur, Edge(summary.id, "summary", communication))
        for collection in collections:
            insert_edge(cur, Edge(summary.id, "belongs_to", collection))


def main() -> int:
    """The console script."""
    return run(DESCRIPTION, work)
