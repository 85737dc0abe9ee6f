"""SubRip (.srt), the transcript format that players and podcast apps read: written strictly, read generously."""

from __future__ import annotations

import re
from collections.abc import Iterable

from synops.store.segments import Segment

MEDIA_TYPE = "application/x-subrip"

_TIMES = re.compile(r"(\d+):(\d{1,2}):(\d{1,2})[,.](\d{1,3})[ \t]*-->[ \t]*(\d+):(\d{1,2}):(\d{1,2})[,.](\d{1,3})")
_TAGS = re.compile(r"</?(?:b|i|u|s|font)(?:\s[^<>]*)?>|\{\\an?\d\}", re.IGNORECASE)


class NoSubtitles(ValueError):
    """The text holds no SubRip cue at all."""


def compose(segments: Iterable[Segment]) -> str:
    """Cues numbered from 1. A blank line inside a text would end its cue, so lines are joined."""
    return "".join(
        f"{number}\n{_clock(segment.start_ms)} --> {_clock(segment.end_ms)}\n{' '.join(segment.text.split())}\n\n"
        for number, segment in enumerate(segments, start=1)
    )


def parse(text: str) -> list[Segment]:
    """The cues of a SubRip text in order of time: any line ends, with or without numbers, markup removed.

    Raises NoSubtitles when a text that is not blank holds none.
    """
    lines = text.lstrip("\ufeff").replace("\r\n", "\n").replace("\r", "\n").split("\n")
    starts = [at for at, line in enumerate(lines) if _TIMES.search(line)]
    if not starts and any(line.strip() for line in lines):
        raise NoSubtitles("no line looks like 00:00:01,000 --> 00:00:02,000")
    ends = [*starts, len(lines)][1:]
    cues = [_cue(lines[at], lines[at + 1 : end]) for at, end in zip(starts, ends, strict=True)]
    return sorted((cue for cue in cues if cue.text), key=lambda cue: (cue.start_ms, cue.end_ms))


def _cue(times: str, rest: list[str]) -> Segment:
    found = _TIMES.search(times)
    assert found is not None, "the caller chose lines that match"  # noqa: S101
    numbers = [int(group) for group in found.groups()]
    # ".5" is half a second and not five milliseconds.
    numbers[3], numbers[7] = (int(found[group].ljust(3, "0")) for group in (4, 8))
    start, end = _milliseconds(numbers[:4]), _milliseconds(numbers[4:])
    text = " ".join(" ".join(_own_lines(rest)).split())
    return Segment(start, max(start, end), _TAGS.sub("", text).strip())


def _own_lines(lines: list[str]) -> list[str]:
    """The lines of a cue: up to the next cue's number, which only a blank line before it gives away."""
    while lines and not lines[-1].strip():
        lines = lines[:-1]
    if len(lines) > 1 and lines[-1].strip().isdigit() and not lines[-2].strip():
        lines = lines[:-1]
    return lines


def _milliseconds(parts: list[int]) -> int:
    hours, minutes, seconds, milliseconds = parts
    return ((hours * 60 + minutes) * 60 + seconds) * 1000 + milliseconds


def _clock(milliseconds: int) -> str:
    seconds, milliseconds = divmod(milliseconds, 1000)
    minutes, seconds = divmod(seconds, 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours:02}:{minutes:02}:{seconds:02},{milliseconds:03}"
