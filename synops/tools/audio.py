"""synops-audio: cleans, levels and converts a recording. The original stays; the result is a version made from it."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from synops.tools.describe import Description, Param
from synops.tools.program import run

if TYPE_CHECKING:
    from pathlib import Path
    from uuid import UUID

    from synops.store.files import StoredFile
    from synops.tools.call import Call
    from synops.tools.recording import Recording
    from synops.tools.sound import Chapter, Filter, Loudness

# What each preset does before loudness, and the loudness it aims at in LUFS.
PRESETS: dict[str, tuple[tuple[Filter, ...], float]] = {
    "speech": (
        (
            ("highpass", "f=80"),
            ("afftdn", "nr=10:nf=-45"),
            ("acompressor", "threshold=-20dB:ratio=3:attack=5:release=120"),
        ),
        -16.0,
    ),
    "podcast": (
        (
            ("highpass", "f=80"),
            ("afftdn", "nr=10:nf=-45"),
            ("acompressor", "threshold=-22dB:ratio=4:attack=5:release=120"),
        ),
        -16.0,
    ),
    "light": ((("highpass", "f=60"),), -16.0),
    "strong": (
        (
            ("highpass", "f=100"),
            ("afftdn", "nr=25:nf=-40"),
            ("acompressor", "threshold=-24dB:ratio=5:attack=3:release=150"),
        ),
        -16.0,
    ),
    "music": ((), -14.0),
}
# Pauses longer than a second become one second; of the silence at the start and the end little is left.
TRIM: Filter = (
    "silenceremove",
    "start_periods=1:start_threshold=-50dB:start_silence=0.2:"  # noqa: ISC004 one string
    "stop_periods=-1:stop_duration=1:stop_threshold=-50dB",
)
# A limiter takes some loudness away again; the gain is corrected once if it took more than this, in LU.
TOLERANCE = 0.5
NO_CHAPTERS = ("wav", "flac")
_CHAPTER = re.compile(r"\s*(?:(\d+):)?(\d{1,2}):(\d{2})\s+(\S.*)")

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


class Made(NamedTuple):
    """A finished file and what is known about it."""

    file: StoredFile
    duration: float
    before: Loudness
    after: Loudness


def work(call: Call) -> dict[str, Any]:
    """Measure, encode, measure again. Without `--write` nothing is kept: the result tells what would come out."""
    import tempfile
    from pathlib import Path

    from synops.tools.database import reading
    from synops.tools.recording import find_recording, stored_file

    source, chapters = stored_file(call), _chapters(call)
    with reading(call) as cur:
        recording = find_recording(call, cur)
    with tempfile.TemporaryDirectory(prefix="synops-audio-") as folder:
        made = _make(call, source, Path(folder) / "made", chapters)
    result = _result(call, made, recording)
    if call.write:
        result["media_node_id"] = str(_store(call, result, recording))
    return result


def _make(call: Call, source: Path, target: Path, chapters: Sequence[Chapter]) -> Made:
    from synops.store.files import StoredFile
    from synops.tools.failures import BadUsage
    from synops.tools.sound import FORMATS, encode, expected_seconds, levelling, measure

    filters, aim = _plan(call)
    length = expected_seconds(source) or 3600.0
    before = measure(source, filters, _passing(call, "measuring", 0.0, 0.3, length))
    gain = 0.0 if before.lufs is None else aim - before.lufs
    for correction in (True, False):
        seconds = encode(
            source,
            target,
            FORMATS[call.payload["format"]],
            [*filters, *levelling(gain)],
            chapters,
            _passing(call, "encoding", 0.3, 0.8, length),
        )
        if chapters and chapters[-1].start >= seconds:
            raise BadUsage(
                f'the chapter "{chapters[-1].title}" begins after the end of the recording ({seconds:.0f} s)'
            )
        after = measure(target, [], _passing(call, "measuring the result", 0.8, 1.0, length))
        missed = 0.0 if after.lufs is None else aim - after.lufs
        if not correction or abs(missed) <= TOLERANCE:
            break
        gain += missed
    size = target.stat().st_size
    stored = call.store.put_path(target) if call.write else StoredFile("", size)
    return Made(stored, seconds, before, after)


def _plan(call: Call) -> tuple[list[Filter], float]:
    filters, aim = PRESETS[call.payload["preset"]]
    trim = [TRIM] if call.payload["trim"] else []
    wanted = call.payload["loudness"]
    return [*filters, *trim], aim if wanted is None else float(wanted)


def _passing(call: Call, what: str, start: float, end: float, length: float) -> Callable[[float], None]:
    """Progress of one pass over the file, told for every hundredth of it."""
    told = -1

    def heard(seconds: float) -> None:
        nonlocal told
        if (done := int(100 * seconds / length)) > told:
            told = done
            call.progress(min(end, start + (end - start) * done / 100), what)

    return heard


def _chapters(call: Call) -> list[Chapter]:
    """The chapters given, in order of time. Raises BadUsage, also where trimming would move them."""
    from synops.tools.failures import BadUsage
    from synops.tools.sound import Chapter

    if call.payload["chapters"] and call.payload["format"] in NO_CHAPTERS:
        raise BadUsage(f"{call.payload['format']} files hold no chapters; use mp3 or opus")
    lines = [line for line in (call.payload["chapters"] or "").splitlines() if line.strip()]
    if lines and call.payload["trim"]:
        raise BadUsage("chapters and trim can't be had together: cutting silence would move the chapters")
    found = []
    for line in lines:
        match = _CHAPTER.fullmatch(line)
        if not match:
            raise BadUsage(f'"{line.strip()[:80]}" is no chapter; write 1:05 Title or 1:02:03 Title')
        hours, minutes, seconds, title = match.groups()
        found.append(Chapter(int(hours or 0) * 3600 + int(minutes) * 60 + int(seconds), title.strip()))
    return sorted(found)


def _result(call: Call, made: Made, recording: Recording) -> dict[str, Any]:
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
            "target": _plan(call)[1],
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
