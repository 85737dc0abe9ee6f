"""How a recording is cleaned: the filters of each preset, the two passes that reach a loudness, and chapters."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

from synops.store.files import StoredFile
from synops.tools.call import Call
from synops.tools.failures import BadUsage
from synops.tools.sound import FORMATS, Chapter, Filter, Loudness, encode, expected_seconds, levelling, measure

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


class Made(NamedTuple):
    """A finished file and what is known about it."""

    file: StoredFile
    duration: float
    before: Loudness
    after: Loudness


def make(call: Call, source: Path, target: Path, chapters: Sequence[Chapter]) -> Made:
    """Write the cleaned recording to `target`: measure, encode with one gain, and once more where the limiter took much.

    Kept in the store only under `--write`. Raises BadInput for what is no sound, BadUsage for a chapter past the end.
    """
    filters, aim = plan(call)
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


def plan(call: Call) -> tuple[list[Filter], float]:
    """The filters before loudness, and the loudness to reach in LUFS."""
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


def chapters_of(call: Call) -> list[Chapter]:
    """The chapters given, in order of time. Raises BadUsage, also where trimming would move them."""
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
