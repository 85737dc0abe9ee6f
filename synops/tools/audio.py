"""synops-audio: cleans, levels and converts a recording. The original stays; the result is a version made from it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from synops.tools.describe import Description, Param
from synops.tools.program import run

if TYPE_CHECKING:
    from uuid import UUID

    from synops.tools.call import Call
    from synops.tools.cleaning import Made
    from synops.tools.recording import Recording

DESCRIPTION = Description(
    name="synops-audio",
    version="0.1.0",
    description={
        "nb": "Renser lyd: demper støy, jevner ut lydstyrken, klipper bort stillhet, konverterer og setter kapitler.",
        "en": "Cleans sound: reduces noise, evens out loudness, cuts silence, converts and sets chapters.",
    },
    job_types=("audio_process",),
    aliases={
        "nb": (
            "rens lyd",
            "rens lydfil",
            "rens opptak",
            "rens innspilling",
            "fjern støy",
            "normaliser lyd",
            "klipp lyd",
            "klipp bort",
            "behandle lyd",
            "konverter lyd",
            "vask lyd",
        ),
        "nn": (
            "reins lyd",
            "reins lydfil",
            "reins opptak",
            "fjern støy",
            "normaliser lyd",
            "klipp bort",
            "konverter lyd",
            "vask lyd",
        ),
        "en": ("clean audio", "cut", "clean the recording", "remove noise", "normalise audio", "convert audio"),
    },
    params=(
        Param(
            name="cas_hash",
            type="hash",
            required=True,
            bind=("event.cas_hash",),
            hints={
                "nb": ("lydfil", "lyd", "opptak", "innspilling", "episode"),
                "nn": ("lydfil", "lyd", "opptak", "innspeling", "episode"),
                "en": ("the audio file", "audio", "the recording", "the episode"),
            },
            description={"nb": "Lydfilens sha256 i fillageret.", "en": "The sound file's sha256 in the file store."},
        ),
        Param(
            name="preset",
            type="string",
            default="speech",
            enum={
                "speech": {"nb": ("tale",), "nn": ("tale",), "en": ("speech",)},
                "podcast": {"nb": ("podkast", "podcast"), "nn": ("podkast", "podcast"), "en": ("podcast",)},
                "music": {"nb": ("musikk",), "nn": ("musikk",), "en": ("music",)},
                "strong": {"nb": ("sterk", "kraftig"), "nn": ("sterk", "kraftig"), "en": ("strong",)},
                "light": {"nb": ("lett", "forsiktig"), "nn": ("lett", "forsiktig"), "en": ("light", "gentle")},
            },
            description={
                "nb": "Hva slags lyd det er, eller hvor hardt den skal renses.",
                "en": "What kind of sound it is, or how hard to clean it.",
            },
        ),
        Param(
            name="format",
            type="string",
            default="mp3",
            enum={
                name: {"nb": (name, f"til {name}"), "nn": (name, f"til {name}"), "en": (name, f"to {name}")}
                for name in ("mp3", "wav", "flac", "opus")
            },
            description={"nb": "Filtypen som lages.", "en": "The kind of file to make."},
        ),
        Param(
            name="loudness",
            type="number",
            slot={"kind": "number"},
            hints={"nb": ("lufs",), "nn": ("lufs",), "en": ("lufs",)},
            minimum=-40,
            maximum=-8,
            description={
                "nb": "Ønsket lydstyrke i LUFS; uten tall gjelder forvalgets (-16, musikk -14).",
                "en": "The loudness to aim at, in LUFS; without a number the preset's (-16, music -14).",
            },
        ),
        Param(
            name="trim",
            type="boolean",
            enum={
                "true": {
                    "nb": ("stillhet", "uten stillhet", "uten pauser"),
                    "nn": ("stille", "utan stille", "utan pausar"),
                    "en": ("silence", "without silence"),
                }
            },
            description={
                "nb": "Klipp bort stillhet i endene og kort ned lange pauser.",
                "en": "Cut the silence at both ends and shorten long pauses.",
            },
        ),
        Param(
            name="chapters",
            type="text",
            description={
                "nb": "Kapitler, ett på hver linje: 1:05 Tittel.",
                "en": "Chapters, one on each line: 1:05 Title.",
            },
        ),
    ),
    outputs={
        "cas_hash": "hash",
        "media_node_id": "uuid",
        "duration_seconds": "number",
        "loudness": "object",
        "mime": "string",
        "size": "integer",
    },
    output_words={
        "cas_hash": {
            "nb": ("den nye lydfilen", "den rensede lyden"),
            "nn": ("den nye lydfila", "den reinsa lyden"),
            "en": ("the new audio file", "the cleaned audio"),
        }
    },
    weight=3,
    timeout=3600,
    database="write",
    settings=("STORE_DIR", "SYNOPS_VAR"),
    exit_codes="sysexits",
    examples=(
        "synops-audio --cas-hash=9f86d0… --preset=podcast --write",
        "synops-audio --cas-hash=9f86d0… --format=flac --loudness=-23 --trim --write",
    ),
)


def work(call: Call) -> dict[str, Any]:
    """Measure, encode, measure again. Without `--write` nothing is kept: the result tells what would come out."""
    import tempfile
    from pathlib import Path

    from synops.tools.cleaning import chapters_of, make
    from synops.tools.database import reading
    from synops.tools.recording import find_recording, stored_file

    source, chapters = stored_file(call), chapters_of(call)
    with reading(call) as cur:
        recording = find_recording(call, cur)
    with tempfile.TemporaryDirectory(prefix="synops-audio-") as folder:
        made = make(call, source, Path(folder) / "made", chapters)
    result = _result(call, made, recording)
    if call.write:
        result["media_node_id"] = str(_store(call, result, recording))
    return result


def _result(call: Call, made: Made, recording: Recording) -> dict[str, Any]:
    from synops.tools.cleaning import plan
    from synops.tools.sound import FORMATS

    def rounded(value: float | None) -> float | None:
        return None if value is None else round(value, 1)

    return {
        "engine": "ffmpeg",
        "cas_hash": made.file.digest or None,
        "size": made.file.size,
        "mime": FORMATS[call.payload["format"]].media_type,
        "duration_seconds": round(made.duration, 3),
        "loudness": {
            "target": plan(call)[1],
            "before": rounded(made.before.lufs),
            "after": rounded(made.after.lufs),
            "true_peak": rounded(made.after.peak),
        },
        "made_from": [str(node) for node in recording.media],
        "media_node_id": None,
    }


def _store(call: Call, result: dict[str, Any], recording: Recording) -> UUID:
    """One version for each recording and kind of file; a later run with other settings replaces it."""
    from uuid import uuid5

    from synops.store.edges import Edge, insert_edge
    from synops.store.identities import NAMESPACE
    from synops.store.nodes import Node, get_node, upsert_node
    from synops.tools.database import writing

    kind = call.payload["format"]
    made_with = {key: call.payload[key] for key in ("preset", "trim", "format")}
    with writing(call) as cur:
        for media in recording.media:
            source = get_node(cur, media)
            metadata = {
                **{key: result[key] for key in ("cas_hash", "mime", "size", "duration_seconds", "loudness")},
                "made_with": made_with,
                "same_times": not call.payload["trim"],
            }
            version = Node(uuid5(NAMESPACE, f"audio:{media}:{kind}"), "media", source.title, "", metadata)
            upsert_node(cur, version)
            insert_edge(cur, Edge(version.id, "derived_from", media))
            for collection in recording.collections:
                insert_edge(cur, Edge(version.id, "belongs_to", collection))
    return version.id


def main() -> int:
    """The console script."""
    return run(DESCRIPTION, work)
