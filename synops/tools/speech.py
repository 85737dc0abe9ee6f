"""Speech to text with faster-whisper: a file in, timed sentences out, as they are recognised.

Loading takes a second and 300 MB, so only `recognise` imports the library.
"""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from synops.store.segments import Segment
from synops.tools.failures import BadInput, BadUsage
from synops.tools.whisper_models import Model, built_in_files

ENGINE = "faster-whisper"
SAMPLES_PER_SECOND = 16_000
MAX_THREADS = 4
# Whisper's "no" was trained on both written forms and beats its "nn" on both.
_WHISPER_LANGUAGES = {"nb": "no", "nn": "no", "no": "no"}


class Speech(NamedTuple):
    """What was recognised. `language` is the one given, or the one detected; `duration` is in seconds."""

    segments: tuple[Segment, ...]
    language: str
    duration: float


def recognise(
    path: Path, model: Model, language: str | None, names: Sequence[str], heard: Callable[[float, str], None]
) -> Speech:
    """Transcribe the sound in a file. `language` None means: detect it, which fails on poor sound.

    `names` are words to listen for. `heard(fraction, text)` is called for each sentence. Raises BadInput for what is
    no readable sound, BadUsage for a language that the model does not know, NotConfigured for an unusable model.
    """
    # The hub client is imported by faster-whisper whatever happens; offline it can't even try.
    os.environ["HF_HUB_OFFLINE"] = "1"
    spoken = None if language is None else _whisper_language(language)
    samples = _samples(path)
    duration = len(samples) / SAMPLES_PER_SECOND
    if not len(samples):
        return Speech((), language or "", 0.0)
    found, info = _load(model).transcribe(
        samples,
        language=spoken,
        vad_filter=True,  # without it Whisper invents fluent sentences in silence
        condition_on_previous_text=False,
        hotwords=" ".join(names) or None,
    )
    segments = []
    for item in found:  # recognised here, one by one: the library returns a lazy generator
        # Times are rounded to Whisper's windows, and the last may lie behind the end of the recording.
        segments.append(_segment(item.start, min(item.end, duration), item.text))
        heard(min(1.0, item.end / duration), item.text.strip())
    return Speech(tuple(segment for segment in segments if segment.text), language or info.language, duration)


def _load(model: Model) -> Any:
    import ctranslate2
    from faster_whisper import WhisperModel

    # Hard passages are tried again at random with a higher temperature; the same file must give the same text.
    ctranslate2.set_random_seed(0)
    threads = min(MAX_THREADS, os.cpu_count() or 1)
    options = {"device": "cpu", "compute_type": "int8", "cpu_threads": threads, "local_files_only": True}
    if model.folder:
        return WhisperModel(str(model.folder), **options)
    return WhisperModel(model.name, files=built_in_files(), **options)


def _samples(path: Path) -> Any:
    import av
    from faster_whisper.audio import decode_audio

    try:
        with av.open(str(path), metadata_errors="ignore") as container:
            if not container.streams.audio:
                raise BadInput("the file has no sound")
        return decode_audio(str(path), sampling_rate=SAMPLES_PER_SECOND)
    except (av.error.FFmpegError, IndexError) as error:
        raise BadInput(f"the file is no sound that can be read: {error.args[-1] if error.args else error}") from error


def _whisper_language(language: str) -> str:
    from faster_whisper.tokenizer import _LANGUAGE_CODES

    spoken = _WHISPER_LANGUAGES.get(language, language)
    if spoken not in _LANGUAGE_CODES:
        raise BadUsage(f'Whisper knows no language "{language}"; give a code such as nb, nn, en, sv or da')
    return spoken


def _segment(start: float, end: float, text: str) -> Segment:
    first = max(0, math.floor(start * 1000))
    return Segment(first, max(first, math.ceil(end * 1000)), " ".join(text.split()))
