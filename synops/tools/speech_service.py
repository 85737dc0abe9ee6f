"""Speech to text by a server of speech models: a recording goes there, timed sentences come back."""

from __future__ import annotations

import math
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from synops.llm.speech import LARGEST_FILE, SpeechServer, Transcription, transcribe
from synops.store.segments import Segment
from synops.tools.failures import BadInput
from synops.tools.model import failures_as_exit_codes
from synops.tools.sound import FORMATS, encode, expected_seconds
from synops.tools.speech import Speech

ENGINE: Final = "server"
#: Enough for speech, and two hours of it in stereo.
SPEECH_BIT_RATE: Final = 12_000
# Servers speak Whisper's languages: one code for Norwegian, whatever its written form, and names in their answers.
_CODES: Final = {"nb": "no", "nn": "no"}
_NAMES: Final = {"norwegian": "nb", "nynorsk": "nn", "english": "en", "swedish": "sv", "danish": "da", "no": "nb"}


def recognise(path: Path, server: SpeechServer, language: str | None, names: Sequence[str]) -> Speech:
    """Transcribe the sound in a file; `language` None means that the server finds it out. Raises ToolFailure."""
    seconds = expected_seconds(path)
    with tempfile.TemporaryDirectory(prefix="synops-speech-") as folder:
        sent = _small_enough(path, Path(folder))
        with failures_as_exit_codes():
            found = transcribe(server, sent, _CODES.get(language or "", language), ", ".join(names))
    return _speech(found, language, seconds)


def _small_enough(path: Path, folder: Path) -> Path:
    """The file under a name that says what it is; packed more tightly where servers would refuse its size."""
    if path.stat().st_size <= LARGEST_FILE:
        named = folder / f"recording.{_extension(path)}"
        named.symlink_to(path)
        return named
    packed = folder / "recording.ogg"
    encode(path, packed, FORMATS["opus"]._replace(bit_rate=SPEECH_BIT_RATE), [], [], lambda _: None)
    if packed.stat().st_size > LARGEST_FILE:
        raise BadInput("the recording is too long for the speech server; use a local model (--model)")
    return packed


def _extension(path: Path) -> str:
    from synops.store.mediatype import EXTENSIONS, media_type

    with path.open("rb") as stream:
        return EXTENSIONS.get(media_type(stream.read(4096)), "mp3")


def _speech(found: Transcription, language: str | None, seconds: float) -> Speech:
    spoken = language or _NAMES.get(found.language.lower(), found.language.lower())
    segments = tuple(
        Segment(math.floor(one.start * 1000), math.ceil(one.end * 1000), one.text) for one in found.sentences
    )
    return Speech(segments, spoken, found.seconds or seconds)
