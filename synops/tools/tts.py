"""synops-tts: reads a text aloud: an article, a summary or a note becomes a sound file that belongs to it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

from synops.llm.names import SPEECH_SECRETS, SPEECH_SETTINGS
from synops.tools.describe import Description, Param
from synops.tools.program import run

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path
    from uuid import UUID

    from synops.store.nodes import Node
    from synops.tools.call import Call
    from synops.tools.voices import Voice

LOUDNESS = -16.0
# Markdown that would be read out as signs: images and tags go, links and emphasis leave their words.
_SILENT = (
    (re.compile(r"```.*?```", re.DOTALL), ""),
    (re.compile(r"!\[[^\]]*\]\([^)]*\)"), ""),
    (re.compile(r"\[([^\]]*)\]\([^)]*\)"), r"\1"),
    (re.compile(r"<[^<>]*>"), ""),
    (re.compile(r"^[ \t]*(?:#+|>|[-*+]|\d+\.)[ \t]+", re.MULTILINE), ""),
    (re.compile(r"[*_`]+"), ""),
)

# Three hours of sound.
LONGEST_TEXT: Final = 200_000

DESCRIPTION = Description(
    name="synops-tts",
    version="0.1.0",
    description={
        "nb": "Leser opp en tekst: lager en lydfil av en artikkel, et sammendrag eller et notat.",
        "en": "Reads a text aloud: makes a sound file of an article, a summary or a note.",
    },
    job_types=("tts_generate",),
    aliases={
        "nb": ("les opp", "lag lyd", "lag lydversjon", "generer tale", "tekst til tale", "les inn"),
        "nn": ("les opp", "lag lyd", "lag lydversjon", "les inn"),
        "en": ("read aloud", "make an audio version"),
    },
    params=(
        Param(
            name="node_id",
            type="uuid",
            required=True,
            bind=("event.node_id", "event.target_id"),
            hints={
                "nb": ("sammendrag", "oppsummering", "artikkel", "sak", "tekst", "notat"),
                "nn": ("samandrag", "oppsummering", "artikkel", "sak", "tekst", "notat"),
                "en": ("the summary", "the article", "the text", "the note"),
            },
            description={"nb": "Noden som skal leses opp.", "en": "The node to read aloud."},
        ),
        Param(
            name="voice",
            type="string",
            default="neutral",
            enum={
                "neutral": {"nb": ("nøytral stemme",), "nn": ("nøytral stemme",), "en": ("neutral voice",)},
                "female": {"nb": ("kvinnestemme",), "nn": ("kvinnestemme",), "en": ("female voice",)},
                "male": {"nb": ("mannsstemme",), "nn": ("mannsstemme",), "en": ("male voice",)},
            },
            enum_open=True,
            description={
                "nb": "Stemmen, eller navnet på en piper-stemme eller taletjenerens.",
                "en": "The voice, or the name of a piper voice or of the speech server's.",
            },
        ),
        Param(
            name="language",
            type="string",
            enum_open=True,
            enum={
                "nb": {"nb": ("på norsk", "på bokmål"), "nn": ("på norsk", "på bokmål"), "en": ("in norwegian",)},
                "nn": {"nb": ("på nynorsk",), "nn": ("på nynorsk",), "en": ("in nynorsk",)},
                "en": {"nb": ("på engelsk",), "nn": ("på engelsk",), "en": ("in english",)},
                "sv": {"nb": ("på svensk",), "nn": ("på svensk",), "en": ("in swedish",)},
                "da": {"nb": ("på dansk",), "nn": ("på dansk",), "en": ("in danish",)},
            },
            description={
                "nb": "Språket teksten er skrevet på; uten valg nodens eget, ellers samlingens.",
                "en": "The language the text is in; without a choice the node's own, else the collection's.",
            },
        ),
    ),
    outputs={
        "cas_hash": "hash",
        "media_node_id": "uuid",
        "duration_seconds": "number",
        "mime": "string",
        "size": "integer",
        "engine": "string",
        "voice": "string",
        "quality": "string",
    },
    output_words={
        "cas_hash": {"nb": ("opplesningen",), "nn": ("opplesinga",), "en": ("the audio version",)},
    },
    weight=2,
    database="write",
    network=True,
    settings=("STORE_DIR", "SYNOPS_PIPER_VOICES", *SPEECH_SETTINGS),
    secrets=SPEECH_SECRETS,
    exit_codes="sysexits",
    examples=("synops-tts --node-id=0190f5a6-0000-7000-8000-000000000001 --voice=female --write",),
)


def work(call: Call) -> dict[str, Any]:
    """Read the node, speak its title and text, level the sound, and under `--write` keep it as the node's media."""
    import tempfile
    from pathlib import Path

    from synops.tools.voices import find_voice

    node, language, collections = _read(call)
    paragraphs = spoken_paragraphs(node.title, node.content)
    if not paragraphs:
        from synops.tools.failures import NoInput

        raise NoInput(f"node {node.id} has no text to read")
    voice = find_voice(call.payload["voice"], language, call.environ)
    with tempfile.TemporaryDirectory(prefix="synops-tts-") as folder:
        made = Path(folder) / "speech.mp3"
        seconds = _speak(call, voice, paragraphs, made, language)
        result = {
            "engine": voice.engine,
            "quality": voice.quality,
            "language": language,
            "voice": voice.name,
            "mime": "audio/mpeg",
            "size": made.stat().st_size,
            "duration_seconds": round(seconds, 3),
            "cas_hash": call.store.put_path(made).digest if call.write else None,
        }
    media = _store(call, node, result, collections) if call.write else None
    return {**result, "media_node_id": media and str(media)}


def spoken_paragraphs(title: str, content: str) -> list[str]:
    """What is read: the title, then each paragraph, without the signs of Markdown."""
    text = content
    for pattern, replacement in _SILENT:
        text = pattern.sub(replacement, text)
    paragraphs = [" ".join(paragraph.split()) for paragraph in re.split(r"\n\s*\n", text)]
    return [paragraph for paragraph in (title.strip(), *paragraphs) if re.search(r"\w", paragraph)]


def _read(call: Call) -> tuple[Node, str, list[UUID]]:
    from synops.store.collections import collection_config
    from synops.store.segments import collections_of
    from synops.tools.database import reading
    from synops.tools.failures import BadInput
    from synops.tools.subject import read_node

    with reading(call) as cur:
        node = read_node(cur, call.uuid("node_id"))
        if len(node.content) > LONGEST_TEXT:
            raise BadInput(
                f'"{node.title}" has {len(node.content):,} characters; at most {LONGEST_TEXT:,} are read aloud'
            )
        collections = [call.collection_id] if call.collection_id else collections_of(cur, node.id)
        own = node.metadata.get("language")
        language = call.payload["language"] or (own if isinstance(own, str) else "")
        if not language:
            language = collection_config(cur, collections[0]).language if collections else "nb"
    return node, language, collections


def _speak(call: Call, voice: Voice, paragraphs: Sequence[str], target: Path, language: str) -> float:
    from synops.tools.sound import FORMATS, encode, levelling, measure
    from synops.tools.voices import speak

    raw = target.with_suffix(".wav")
    speak(voice, paragraphs, raw, language, lambda done: call.progress(0.8 * done, "reading the text"))
    loudness = measure(raw, [], lambda _: None).lufs
    gain = 0.0 if loudness is None else LOUDNESS - loudness
    call.progress(0.9, "encoding")
    return encode(raw, target, FORMATS["mp3"], levelling(gain), [], lambda _: None)


def _store(call: Call, node: Node, result: dict[str, Any], collections: Sequence[UUID]) -> UUID:
    """One reading of each node; a later run with another voice replaces it."""
    from uuid import uuid5

    from synops.store.edges import Edge, insert_edge
    from synops.store.identities import NAMESPACE
    from synops.store.nodes import Node, upsert_node
    from synops.tools.database import writing

    media = Node(uuid5(NAMESPACE, f"speech:{node.id}"), "media", node.title, "", {**result, "speech_of": str(node.id)})
    with writing(call) as cur:
        upsert_node(cur, media)
        insert_edge(cur, Edge(node.id, "has_media", media.id))
        for collection in collections:
            insert_edge(cur, Edge(media.id, "belongs_to", collection))
    return media.id


def main() -> int:
    """The console script."""
    return run(DESCRIPTION, work)
