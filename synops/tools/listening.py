"""What counts as a download of an episode: the IAB Tech Lab's Podcast Technical Measurement Guidelines, version 2.3. Pure.

A request counts for nothing when it is no GET, no success, a probe of two bytes, a doublet of Apple's watch, or from a
robot. Requests of one listener (address and app) for one file are put together within a window of 24 hours; they are one
download once the union of the bytes sent holds a minute of sound, or all of a shorter file.
"""

from __future__ import annotations

import datetime
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final, TypeAlias
from zoneinfo import ZoneInfo

GUIDELINES: Final = "IAB Tech Lab Podcast Technical Measurement Guidelines 2.3"
WINDOWS: Final = ("calendar", "first_touch", "last_touch")
WINDOW: Final = datetime.timedelta(hours=24)
MINUTE_SECONDS: Final = 60
# For a file whose length in seconds nobody knows: 128 kbit/s, what most podcasts have.
USUAL_BYTES_PER_SECOND: Final = 16_000
WATCH: Final = re.compile(r"^atc/.*watchOS|\(null\) \(null\) watchOS")

Span: TypeAlias = tuple[int, int]
"""Bytes from the first number up to, and without, the second."""


@dataclass(frozen=True)
class Request:
    """One line of a log that asks for an episode. `at` has a time zone; `sent` is what the server wrote of the file."""

    at: datetime.datetime
    method: str
    status: int
    path: str
    address: str
    agent: str
    asked_range: str
    sent: Span


@dataclass
class Window:
    """What one listener has got of one file, until a request falls outside."""

    started: datetime.datetime
    last: datetime.datetime
    spans: list[Span] = field(default_factory=list)
    counted: bool = False

    def add(self, request: Request) -> None:
        """Take a request in."""
        self.started, self.last = min(self.started, request.at), max(self.last, request.at)
        self.spans = union([*self.spans, request.sent])

    @property
    def received(self) -> int:
        """Different bytes, however often each was sent."""
        return sum(end - start for start, end in self.spans)


def reason_against(request: Request, robot: bool) -> str:
    """Why a request is left out, as a code; empty = it counts."""
    if request.method != "GET":
        return "not_get"
    if request.status not in (200, 206):
        return "not_sent"
    if request.asked_range.replace(" ", "") == "bytes=0-1":
        return "probe"
    if not request.agent.strip("- "):
        return "no_agent"
    if WATCH.search(request.agent):
        return "watch_doublet"
    if robot:
        return "robot"
    return "nothing_sent" if request.sent[1] <= request.sent[0] else ""


def belongs(window: Window, at: datetime.datetime, kind: str, zone: ZoneInfo) -> bool:
    """Whether a request at this time belongs to a window. `calendar`: the same day in `zone`."""
    if kind == "calendar":
        return window.started.astimezone(zone).date() == at.astimezone(zone).date()
    since = window.started if kind == "first_touch" else window.last
    return abs(at - since) < WINDOW


def union(spans: Sequence[Span]) -> list[Span]:
    """The same bytes as spans that neither overlap nor touch, in order."""
    joined: list[Span] = []
    for start, end in sorted(span for span in spans if span[1] > span[0]):
        if joined and start <= joined[-1][1]:
            joined[-1] = (joined[-1][0], max(end, joined[-1][1]))
        else:
            joined.append((start, end))
    return joined


def needed_bytes(size: int, header: int, seconds: float | None) -> int:
    """How much of a file must be sent: its ID3 header and a minute of its bit rate, or all of a shorter one."""
    rate = (size - header) / seconds if seconds and seconds > 0 else USUAL_BYTES_PER_SECOND
    return min(size, header + round(rate * MINUTE_SECONDS))


def id3_header(beginning: bytes) -> int:
    """The bytes of the ID3v2 tag at the start of an MP3 file (id3.org, section 3.1); 0 without one."""
    if len(beginning) < 10 or beginning[:3] != b"ID3":
        return 0
    size = 0
    for part in beginning[6:10]:
        size = size << 7 | part & 0x7F  # seven bits a byte, so that no size looks like sound
    return 10 + size + (10 if beginning[5] & 0x10 else 0)
