"""Speech to text and text to speech at an OpenAI-compatible server (`/audio/transcriptions`, `/audio/speech`).

It may be another server than the one that writes, so it has settings of its own: SYNOPS_SPEECH_BASE_URL and its
companions. Slots, patience and retries are the client's own.
"""

from __future__ import annotations

import contextlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final, NamedTuple

from synops.llm.endpoint import Endpoint, endpoint_of
from synops.llm.failures import NotUsable, Unavailable
from synops.llm.transport import post
from synops.store.locations import var_dir

#: What the servers known take at once; longer texts are said in pieces.
LONGEST_TEXT: Final = 4_000
LARGEST_FILE: Final = 25_000_000


@dataclass(frozen=True, slots=True)
class SpeechServer:
    """A server, its model that listens and its model that speaks; an empty name = it does not do that."""

    endpoint: Endpoint
    listening_model: str
    speaking_model: str


class Heard(NamedTuple):
    """A sentence and its times in seconds."""

    start: float
    end: float
    text: str


class Transcription(NamedTuple):
    """What was heard. `language` is as the server spells it; `seconds` is the length of the recording, 0 = not told."""

    sentences: tuple[Heard, ...]
    language: str
    seconds: float


def speech_server(environ: Mapping[str, str]) -> SpeechServer | None:
    """The server of the settings, or None when SYNOPS_SPEECH_BASE_URL is unset. Raises NotUsable."""
    with _own_names():
        named = {
            "SYNOPS_LLM_BASE_URL": environ.get("SYNOPS_SPEECH_BASE_URL", ""),
            "SYNOPS_LLM_API_KEY": environ.get("SYNOPS_SPEECH_API_KEY", ""),
        }
        endpoint = endpoint_of({**environ, **named})
    if endpoint is None:
        return None
    return SpeechServer(
        endpoint=replace(endpoint, slots=var_dir(environ) / "speech-slots"),
        listening_model=environ.get("SYNOPS_SPEECH_MODEL", "").strip(),
        speaking_model=environ.get("SYNOPS_SPEECH_VOICE_MODEL", "").strip(),
    )


def transcribe(server: SpeechServer, sound: Path, language: str | None, hint: str) -> Transcription:
    """The sentences of a sound file with their times. `hint`: names to listen for. Raises NotUsable, Unavailable."""
    form = {"model": server.listening_model, "response_format": "verbose_json", "timestamp_granularities[]": "segment"}
    form |= {key: value for key, value in (("language", language), ("prompt", hint)) if value}
    with _own_names():
        return post(server.endpoint, "/audio/transcriptions", form, _read_transcription, file=sound)


def say(server: SpeechServer, text: str, voice: str, target: Path) -> None:
    """Read at most LONGEST_TEXT characters aloud into a WAV file. Raises NotUsable, Unavailable."""

    def write(chunks: Iterator[bytes]) -> None:
        with target.open("wb") as stream:
            for chunk in chunks:
                stream.write(chunk)

    body = {"model": server.speaking_model, "voice": voice, "input": text, "response_format": "wav"}
    with _own_names():
        post(server.endpoint, "/audio/speech", body, write)


def _read_transcription(chunks: Iterator[bytes]) -> Transcription:
    try:
        document = json.loads(b"".join(chunks))
        sentences = tuple(_sentence(item) for item in document["segments"])
        return Transcription(
            tuple(sorted(one for one in sentences if one.text)),
            str(document.get("language") or ""),
            max(0.0, float(document.get("duration") or 0)),
        )
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
        raise Unavailable(
            f"the speech server's answer is no transcript with times ({type(error).__name__}); "
            "does its model give response_format verbose_json?"
        ) from error


def _sentence(item: Mapping[str, Any]) -> Heard:
    start = max(0.0, float(item["start"]))
    return Heard(start, max(start, float(item["end"])), " ".join(str(item["text"]).split()))


@contextlib.contextmanager
def _own_names() -> Iterator[None]:
    """The client speaks of the settings of the server that writes; a person must correct those of this one."""
    try:
        yield
    except NotUsable as failure:
        raise NotUsable(str(failure).replace("SYNOPS_LLM_", "SYNOPS_SPEECH_"), failure.status) from failure
