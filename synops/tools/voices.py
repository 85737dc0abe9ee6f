"""Which voice reads, and the reading itself: a speech server's, a piper voice of this machine, or eSpeak NG.

piper and eSpeak NG are GPL 3: piper runs as a program of its own, eSpeak NG is loaded by synops-tts alone.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import wave
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from synops.tools.failures import BadInput, NotConfigured, TryAgain

if TYPE_CHECKING:
    from synops.llm.speech import SpeechServer

ESPEAK: Final = "espeak-ng"
PIPER: Final = "piper"
SERVER: Final = "server"
DEFAULT_FOLDER: Final = "/var/lib/synops/models/piper"
#: What a person may ask for without knowing which voices there are.
GENDERS: Final = ("neutral", "female", "male")
# The names that OpenAI gave its voices; other servers answer to them too.
_SERVER_VOICES: Final = {"neutral": "alloy", "female": "nova", "male": "onyx"}
# piper names a voice by its locale: no_NO-talesyntese-medium.
_LOCALES: Final = {"nb": ("no", "nb"), "no": ("no", "nb")}
PIPER_SECONDS: Final = 1800
PAUSE_SECONDS: Final = 0.5

Spoken = Callable[[float], None]


class Voice(NamedTuple):
    """A voice that can read here. `file` is a piper voice's, `server` a speech server's."""

    engine: str
    name: str
    quality: str
    file: Path | None = None
    server: SpeechServer | None = None


def find_voice(wanted: str, language: str, environ: Mapping[str, str]) -> Voice:
    """The voice `wanted`: a gender, or the name of a voice. The best engine that has it. Raises NotConfigured."""
    from synops.llm.speech import speech_server
    from synops.tools.model import failures_as_exit_codes

    with failures_as_exit_codes():
        server = speech_server(environ)
    folder = Path(environ.get("SYNOPS_PIPER_VOICES") or DEFAULT_FOLDER)
    local = piper_voices(folder)
    if wanted in local:
        return Voice(PIPER, wanted, "standard", local[wanted])
    if server and server.speaking_model:
        return Voice(SERVER, _SERVER_VOICES.get(wanted, wanted), "standard", server=server)
    if wanted not in GENDERS:
        known = ", ".join([*GENDERS, *local])
        raise NotConfigured(
            f'no voice "{wanted}": looked for {folder / wanted}.onnx. Available: {known}. '
            "Put a piper voice there (its .onnx and .onnx.json), or leave out --voice."
        )
    locales = _LOCALES.get(language, (language,))
    fitting = [name for name in local if name.partition("_")[0] in locales]
    if fitting:
        return Voice(PIPER, fitting[0], "standard", local[fitting[0]])
    return Voice(ESPEAK, wanted, "draft")


def piper_voices(folder: Path) -> dict[str, Path]:
    """The piper voices in a folder by their names, in order: `name.onnx` with `name.onnx.json` beside it."""
    files = sorted(folder.glob("*.onnx")) if folder.is_dir() else []
    return {file.stem: file for file in files if file.with_name(f"{file.name}.json").is_file()}


def speak(voice: Voice, paragraphs: Sequence[str], target: Path, language: str, spoken: Spoken) -> None:
    """Read paragraphs aloud into a WAV file, with a pause after each. Raises ToolFailure."""
    if voice.engine == ESPEAK:
        from synops.tools.espeak import speak as espeak

        espeak(paragraphs, target, language, voice.name, spoken)
    elif voice.file:
        _with_piper(voice.file, paragraphs, target, spoken)
    elif voice.server:
        _with_server(voice.server, voice.name, paragraphs, target, spoken)


def _with_piper(model: Path, paragraphs: Sequence[str], target: Path, spoken: Spoken) -> None:
    """One run of the program for all paragraphs: loading the voice takes longer than reading a sentence."""
    text = target.with_suffix(".txt")
    text.write_text("\n".join(paragraphs) + "\n", encoding="utf-8")
    command = [
        _piper(), "--model", str(model), "--config", f"{model}.json", "--input-file", str(text),
        "--output-file", str(target), "--sentence-silence", str(PAUSE_SECONDS),
    ]  # fmt: skip
    try:
        done = subprocess.run(command, capture_output=True, check=False, timeout=PIPER_SECONDS)
    except subprocess.TimeoutExpired as error:
        raise TryAgain(f"piper was not done within {PIPER_SECONDS} seconds") from error
    if done.returncode != 0 or not target.is_file():
        said = done.stderr.decode(errors="replace").strip().splitlines()
        raise NotConfigured(
            f"piper can't read with {model} (exit {done.returncode}): {said[-1] if said else 'no reason'}"
        )
    spoken(1)


def _piper() -> str:
    """The program, beside the interpreter or on PATH."""
    found = shutil.which("piper", path=str(Path(sys.executable).parent)) or shutil.which("piper")
    if found is None:
        raise NotConfigured("piper voices need the program piper. Run: pip install piper-tts==1.8.0 (GPL 3)")
    return found


def _with_server(server: SpeechServer, name: str, paragraphs: Sequence[str], target: Path, spoken: Spoken) -> None:
    from synops.llm.speech import LONGEST_TEXT, say
    from synops.tools.model import failures_as_exit_codes

    pieces = pieces_of(paragraphs, LONGEST_TEXT)
    parts = []
    for number, piece in enumerate(pieces, start=1):
        part = target.with_name(f"part-{number}.wav")
        with failures_as_exit_codes():
            say(server, piece, name, part)
        parts.append(part)
        spoken(number / len(pieces))
    _join(parts, target)


def pieces_of(paragraphs: Sequence[str], longest: int) -> list[str]:
    """Whole paragraphs together, as many as fit; one that is longer than that alone is cut between its sentences or words."""
    pieces: list[str] = []
    for paragraph in paragraphs:
        for part in _cut(paragraph, longest):
            if pieces and len(pieces[-1]) + len(part) + 2 <= longest:
                pieces[-1] += f"\n\n{part}"
            else:
                pieces.append(part)
    return pieces


def _cut(text: str, longest: int) -> list[str]:
    parts = []
    while len(text) > longest:
        head = text[:longest]
        ends = max(head.rfind(mark) + 1 for mark in (". ", "! ", "? "))
        at = ends or max(0, head.rfind(" ")) or longest
        parts.append(text[:at].strip())
        text = text[at:].strip()
    return [part for part in (*parts, text) if part]


def _join(parts: Sequence[Path], target: Path) -> None:
    """The parts one after the other, with a pause between. Through the decoder: servers' WAV headers may lie about sizes."""
    from synops.tools.sound import FORMATS, encode

    clean = [part.with_suffix(".clean.wav") for part in parts]
    for part, made in zip(parts, clean, strict=True):
        try:
            encode(part, made, FORMATS["wav"], [], [], lambda _: None)
        except BadInput as error:
            raise TryAgain(f"the speech server answered with something that is no sound: {error}") from error
    # Only now: a WAV file that is closed before its first sound raises an error of its own over ours.
    with wave.open(str(target), "wb") as out:
        for number, made in enumerate(clean):
            with wave.open(str(made), "rb") as source:
                _append(out, source, first=number == 0)


def _append(out: Any, source: Any, *, first: bool) -> None:
    if first:
        out.setparams(source.getparams())
    else:
        out.writeframes(
            bytes(int(PAUSE_SECONDS * source.getframerate()) * source.getnchannels() * source.getsampwidth())
        )
    out.writeframes(source.readframes(source.getnframes()))
