"""Counts downloads as the requests come: who is left out and why, and which window each request falls into.

Windows are handed in and out, so that they can live in the database between two readings, or only in memory.
"""

from __future__ import annotations

import datetime
import hashlib
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple, TypeAlias
from uuid import UUID
from zoneinfo import ZoneInfo

from synops.store.downloads import Episode
from synops.tools.listening import Request, Window, belongs, id3_header, needed_bytes, reason_against
from synops.tools.user_agents import UserAgents

Key: TypeAlias = tuple[str, str]
"""A published file, and a listener: the keyed hash of address and app."""
Windows: TypeAlias = dict[Key, list[Window]]


class Heard(NamedTuple):
    """A request that counts, by its listener, with the name of the app."""

    key: Key
    app: str
    request: Request


class Sound(NamedTuple):
    """A published file: what it belongs to, and how many bytes make a download of it."""

    episode: Episode
    needed: int


class Download(NamedTuple):
    """Where a download is counted."""

    node: UUID
    collection: UUID
    day: datetime.date
    app: str


@dataclass
class Rules:
    """How this reading counts. `secret` makes listeners unrecognisable."""

    agents: UserAgents
    window: str
    zone: ZoneInfo
    secret: bytes

    def client(self, request: Request) -> str:
        """The listener of a request: whoever has the same address and the same app."""
        words = f"{request.address}\n{request.agent}".encode(errors="replace")
        return hashlib.blake2b(words, key=self.secret, digest_size=16).hexdigest()


@dataclass
class Tally:
    """What has been counted, and what was left out, by reason."""

    requests: int = 0
    excluded: Counter[str] = field(default_factory=Counter)
    downloads: Counter[Download] = field(default_factory=Counter)


def sift(
    requests: Iterable[Request], rules: Rules, sound_of: Callable[[str], Sound | None], tally: Tally
) -> list[Heard]:
    """The requests that count, in the order of their time; the others are tallied with their reasons."""
    heard = []
    for request in requests:
        tally.requests += 1
        agent = rules.agents.identify(request.agent)
        reason = reason_against(request, agent.robot)
        if not reason and sound_of(request.path) is None:
            reason = "unknown_file"
        if reason:
            tally.excluded[reason] += 1
        else:
            heard.append(Heard((request.path, rules.client(request)), agent.name, request))
    return sorted(heard, key=lambda one: one.request.at)


def count(
    heard: Iterable[Heard], windows: Windows, rules: Rules, sound_of: Callable[[str], Sound | None], tally: Tally
) -> list[tuple[Key, Window]]:
    """Put each request into its window, and count the windows that become a download; the windows that have changed."""
    touched: dict[int, tuple[Key, Window]] = {}
    for one in heard:
        sound = sound_of(one.key[0])
        if sound is None:
            continue
        window = _window(windows.setdefault(one.key, []), one.request, rules)
        window.add(one.request)
        touched[id(window)] = (one.key, window)
        if not window.counted and window.received >= sound.needed:
            window.counted = True
            day = window.started.astimezone(rules.zone).date()
            tally.downloads[Download(sound.episode.node, sound.episode.collection, day, one.app)] += 1
    return list(touched.values())


def _window(known: list[Window], request: Request, rules: Rules) -> Window:
    for window in reversed(known):
        if belongs(window, request.at, rules.window, rules.zone):
            return window
    known.append(Window(request.at, request.at))
    return known[-1]


class Sounds:
    """Published files by their paths, looked up once each."""

    def __init__(
        self,
        find: Callable[[str], list[Episode]],
        slugs: Mapping[UUID, str],
        places: Callable[[str, str], Iterable[Path]],
    ) -> None:
        self._find = find
        self._slugs = slugs
        self._places = places
        self._known: dict[str, Sound | None] = {}

    def __call__(self, path: str) -> Sound | None:
        """The file at `<collection>/episodes/<digest>.<extension>`; None when it is no episode (any more)."""
        if path not in self._known:
            self._known[path] = self._look_up(path)
        return self._known[path]

    def _look_up(self, path: str) -> Sound | None:
        slug, _, name = path.split("/")
        digest = name.partition(".")[0]
        file = next((place for place in self._places(path, digest) if place.is_file()), None)
        episode = next((one for one in self._find(digest) if self._slugs.get(one.collection) == slug), None)
        if file is None or episode is None:
            return None
        with file.open("rb") as stream:
            header = id3_header(stream.read(10))
        return Sound(episode, needed_bytes(file.stat().st_size, header, episode.seconds))
