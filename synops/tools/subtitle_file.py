"""A subtitle file that somebody made elsewhere, as the transcript of a recording: found, read in whatever letters, checked."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from synops.tools.call import Call
from synops.tools.failures import BadInput, BadUsage, NoInput
from synops.tools.speech import Speech
from synops.tools.subtitles import NoSubtitles, parse

ENGINE: Final = "srt"
# A day of talk is 3 MB; what is larger is no subtitle file.
LARGEST: Final = 10 * 1024 * 1024
_MARKS: Final = {b"\xff\xfe": "utf-16", b"\xfe\xff": "utf-16", b"\xef\xbb\xbf": "utf-8-sig"}


def read_subtitles(call: Call, language: str) -> Speech:
    """The cues of the file that the call names. Raises BadUsage, NoInput, BadInput."""
    path = _path(call)
    data = _bytes(path)
    try:
        segments = tuple(parse(_decoded(data)))
    except NoSubtitles as error:
        raise BadInput(f"{path.name} is no SubRip file: {error}") from error
    if not segments:
        raise BadInput(f"{path.name} holds no subtitles")
    return Speech(segments, language, segments[-1].end_ms / 1000)


def _path(call: Call) -> Path:
    from synops.store.files import UnknownFile

    if call.payload["from_srt"]:
        return Path(call.payload["from_srt"])
    if not call.payload["srt_hash"]:
        raise BadUsage("--source=srt needs --srt-hash (a stored file), or --from-srt by hand")
    try:
        return call.store.path(call.payload["srt_hash"])
    except UnknownFile as error:
        raise NoInput(str(error)) from error


def _bytes(path: Path) -> bytes:
    try:
        with path.open("rb") as file:
            data = file.read(LARGEST + 1)
    except OSError as error:
        raise NoInput(f"{path} can't be read: {error.strerror}") from error
    if len(data) > LARGEST:
        raise BadInput(f"{path.name} has more than {LARGEST // 1024 // 1024} MB, which no subtitle file has")
    return data


def _decoded(data: bytes) -> str:
    """UTF-8 or UTF-16 by their marks, else UTF-8, else Windows' western letters, which older programs write."""
    marked = next((name for mark, name in _MARKS.items() if data.startswith(mark)), "utf-8")
    try:
        text = data.decode(marked)
    except UnicodeDecodeError:
        text = data.decode("cp1252", errors="replace")
    if "\0" in text:
        raise BadInput("the subtitle file holds binary data")
    return text
