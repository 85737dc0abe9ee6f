"""synops-transcribe: speech to text. A recording becomes timed sentences, and a subtitle file in the store."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from synops.llm.names import SPEECH_SECRETS, SPEECH_SETTINGS
from synops.tools.describe import Description, Param
from synops.tools.program import run

if TYPE_CHECKING:
    from uuid import UUID

    from synops.llm.speech import SpeechServer
    from synops.store.files import StoredFile
    from synops.tools.call import Call
    from synops.tools.speech import Speech

#: The value of --model that means the speech server.
SERVER: Final = "server"

DESCRIPTION = Description(
    name="synops-transcribe",
    version="0.1.0",
    description={
        "nb": "Transkriberer en lydfil til tekst med tidskoder, på denne maskinen, eller leser en undertekstfil til den.",
        "en": "Transcribes a sound file to text with times, on this machine, or reads a subtitle file for it.",
    },
    job_types=("whisper_transcribe", "srt_parse"),
    job_type_by={"param": "source", "values": {"srt": "srt_parse"}},
    aliases={
        "nb": ("transkriber", "skriv ut", "tekst", "lag transkripsjon"),
        "nn": ("transkriber", "skriv ut", "tekst", "lag transkripsjon"),
        "en": ("transcribe", "write out"),
    },
    params=(
        Param(
            name="cas_hash",
            type="hash",
            bind=("event.cas_hash",),
            required=True,
            hints={
                "nb": ("lydfil", "lyd", "opptak", "innspilling", "intervju", "episode"),
                "nn": ("lydfil", "lyd", "opptak", "innspeling", "intervju", "episode"),
                "en": ("the audio file", "audio", "the recording", "the interview", "the episode"),
            },
            description={"nb": "Lydfilens sha256 i fillageret.", "en": "The sound file's sha256 in the file store."},
        ),
        Param(
            name="model",
            type="string",
            enum={
                "large": {
                    "nb": ("stor modell", "grundig", "large"),
                    "nn": ("stor modell", "grundig", "large"),
                    "en": ("large model", "thorough", "large"),
                },
                "medium": {
                    "nb": ("medium modell", "medium"),
                    "nn": ("medium modell", "medium"),
                    "en": ("medium model", "medium"),
                },
                "small": {
                    "nb": ("liten modell", "rask", "small"),
                    "nn": ("liten modell", "rask", "small"),
                    "en": ("small model", "fast", "small"),
                },
                SERVER: {"nb": ("taletjener",), "nn": ("taletenar",), "en": ("speech server",)},
                "base": {
                    "nb": ("innebygd modell", "base"),
                    "nn": ("innebygd modell", "base"),
                    "en": ("built-in model", "base"),
                },
            },
            enum_open=True,
            description={
                "nb": "Talemodellen, eller server; uten navn en taletjener der den er satt opp, ellers den største her.",
                "en": "The speech model, or server; without a name a speech server where it is set up, else the largest here.",
            },
        ),
        Param(
            name="language",
            type="string",
            enum={
                "nb": {"nb": ("norsk", "bokmål"), "nn": ("norsk", "bokmål"), "en": ("norwegian", "bokmål")},
                "nn": {"nb": ("nynorsk",), "nn": ("nynorsk",), "en": ("nynorsk",)},
                "en": {"nb": ("engelsk",), "nn": ("engelsk",), "en": ("english",)},
                "sv": {"nb": ("svensk",), "nn": ("svensk",), "en": ("swedish",)},
                "da": {"nb": ("dansk",), "nn": ("dansk",), "en": ("danish",)},
                "auto": {"nb": ("finn språket",), "nn": ("finn språket",), "en": ("detect the language",)},
            },
            enum_open=True,
            description={
                "nb": "Språket som snakkes; uten valg gjelder samlingens.",
                "en": "The language spoken; without a choice it is the collection's.",
            },
        ),
        Param(
            name="source",
            type="string",
            enum={
                "speech": {"nb": ("fra lyden",), "nn": ("frå lyden",), "en": ("from the sound",)},
                "srt": {
                    "nb": ("fra undertekster", "fra undertekstfil"),
                    "nn": ("frå undertekstar", "frå undertekstfil"),
                    "en": ("from subtitles",),
                },
            },
            default="speech",
            description={
                "nb": "Hva teksten kommer fra: talen, eller en undertekstfil.",
                "en": "Where the text comes from: the speech, or a subtitle file.",
            },
        ),
        Param(
            name="srt_hash",
            type="hash",
            description={
                "nb": "Undertekstfilens sha256 i fillageret (SubRip).",
                "en": "The subtitle file's sha256 in the file store (SubRip).",
            },
        ),
        Param(
            name="from_srt",
            type="string",
            by_hand=True,
            description={"nb": "Undertekstfilen på denne maskinen.", "en": "The subtitle file on this machine."},
        ),
    ),
    outputs={
        "srt_hash": "hash",
        "language": "string",
        "duration_seconds": "number",
        "segment_count": "integer",
        "engine": "string",
        "model": "string",
        "quality": "string",
        "media_node_ids": "list",
    },
    weight=5,
    timeout=3600,
    database="write",
    settings=("STORE_DIR", "SYNOPS_WHISPER_MODELS", *SPEECH_SETTINGS),
    secrets=SPEECH_SECRETS,
    network=True,
    exit_codes="sysexits",
    examples=(
        "synops-transcribe --cas-hash=9f86d0…",
        "synops-transcribe --cas-hash=9f86d0… --model=large --language=nb --write",
        "synops-transcribe --cas-hash=9f86d0… --from-srt=intervju.srt --write",
    ),
)


class Made(NamedTuple):
    """A transcript and what made it. Subtitles that people wrote have no model."""

    speech: Speech
    engine: str
    model: str | None
    quality: str


def work(call: Call) -> dict[str, Any]:
    """Make or read the transcript, and under `--write` store it for every media node with the file."""
    subtitles = call.payload["source"] == "srt" or call.payload["from_srt"]
    made, media = _read(call) if subtitles else _recognise(call)
    stored = _store(call, made, media) if call.write else None
    return _result(made, media, stored)


def _recognise(call: Call) -> tuple[Made, Sequence[UUID]]:
    """A speech server where one is configured, unless a model of this machine is named.

    A local model is found before anything else: a missing one must fail at once, for the recipe's fallback to run.
    """
    from synops.tools.database import reading
    from synops.tools.recording import find_recording, stored_file
    from synops.tools.speech import ENGINE, recognise
    from synops.tools.whisper_models import find_model

    if server := _server(call):
        return _ask(call, server)
    model = find_model(call.payload["model"], call.environ)
    path = stored_file(call)
    with reading(call) as cur:
        recording = find_recording(call, cur)
    language = call.payload["language"] or recording.collection.language
    call.progress(0, f"loading the model {model.name}")
    speech = recognise(
        path,
        model,
        None if language == "auto" else language,
        recording.collection.names,
        lambda done, text: call.progress(done, text),
    )
    return Made(speech, ENGINE, model.name, model.quality), recording.media


def _server(call: Call) -> SpeechServer | None:
    """The server to ask. Raises NotConfigured when it is demanded and there is none."""
    from synops.llm.speech import speech_server
    from synops.tools.failures import NotConfigured
    from synops.tools.model import failures_as_exit_codes

    with failures_as_exit_codes():
        server = speech_server(call.environ)
    there = server is not None and server.listening_model
    if call.payload["model"] == SERVER and not there:
        raise NotConfigured(
            "no speech server is configured. Set SYNOPS_SPEECH_BASE_URL, SYNOPS_SPEECH_MODEL and SYNOPS_SPEECH_API_KEY "
            "(any OpenAI-compatible server), or name a local model, such as --model base."
        )
    return server if there and call.payload["model"] in (None, SERVER) else None


def _ask(call: Call, server: SpeechServer) -> tuple[Made, Sequence[UUID]]:
    from synops.tools.database import reading
    from synops.tools.recording import find_recording, stored_file
    from synops.tools.speech_service import ENGINE, recognise

    path = stored_file(call)
    with reading(call) as cur:
        recording = find_recording(call, cur)
    language = call.payload["language"] or recording.collection.language
    call.progress(0, f"asking {server.endpoint.server}")
    speech = recognise(path, server, None if language == "auto" else language, recording.collection.names)
    return Made(speech, ENGINE, server.listening_model, "standard"), recording.media


def _read(call: Call) -> tuple[Made, Sequence[UUID]]:
    from synops.tools.database import reading
    from synops.tools.recording import find_recording
    from synops.tools.subtitle_file import ENGINE, read_subtitles

    with reading(call) as cur:
        recording = find_recording(call, cur)
    given = call.payload["language"]
    speech = read_subtitles(call, recording.collection.language if given in (None, "auto") else given)
    return Made(speech, ENGINE, None, "standard"), recording.media


def _store(call: Call, made: Made, media: Sequence[UUID]) -> StoredFile:
    """The subtitle file first, then the rows that name it: a file that nobody names is harmless, a name without a file is not."""
    from synops.store.nodes import update_node
    from synops.store.segments import replace_segments
    from synops.tools.database import writing
    from synops.tools.subtitles import compose

    call.progress(1, "storing the transcript")
    stored = call.store.put_bytes(compose(made.speech.segments).encode())
    transcript = {
        "srt_hash": stored.digest,
        "language": made.speech.language,
        "engine": made.engine,
        "model": made.model,
        "quality": made.quality,
    }
    metadata: dict[str, Any] = {"transcript": transcript}
    if made.model:  # only who has heard the sound knows how long it is
        metadata["duration_seconds"] = round(made.speech.duration, 3)
    with writing(call) as cur:
        for node in media:
            replace_segments(cur, node, made.speech.segments)
            update_node(cur, node, metadata=metadata)
    return stored


def _result(made: Made, media: Sequence[UUID], stored: StoredFile | None) -> dict[str, Any]:
    """With `--write` the sentences are in the database and the result only counts them; else they are in the result."""
    found = {
        "engine": made.engine,
        "model": made.model,
        "quality": made.quality,
        "language": made.speech.language,
        "duration_seconds": round(made.speech.duration, 3),
        "segment_count": len(made.speech.segments),
        "media_node_ids": [str(node) for node in media],
    }
    if stored:
        return {**found, "srt_hash": stored.digest}
    sentences = [{"start_ms": s.start_ms, "end_ms": s.end_ms, "text": s.text} for s in made.speech.segments]
    return {**found, "segments": sentences}


def main() -> int:
    """The console script."""
    return run(DESCRIPTION, work)
