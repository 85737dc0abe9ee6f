"""What waits for one browser: the newest state of each row it shows, never a queue of everything that happened."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, field
from uuid import UUID

from jobs.live.state import Key, State


@dataclass(frozen=True)
class Viewer:
    """Who sits behind a socket and which kinds they may watch at all."""

    user_id: int
    is_superuser: bool
    kinds: frozenset[str]


@dataclass(frozen=True)
class Batch:
    """What one message to the browser carries; each change is JSON already."""

    changes: tuple[str, ...] = ()
    others: frozenset[str] = frozenset()
    resync: bool = False
    deaf: bool = False
    close_code: int | None = None

    def __bool__(self) -> bool:
        return bool(self.changes or self.others or self.resync or self.deaf or self.close_code)


@dataclass(eq=False)
class Mailbox:
    """A slow reader loses intermediate states, never memory: at most one entry for each row that it watches."""

    viewer: Viewer
    session_key: str
    watched: Mapping[str, frozenset[UUID]] = field(default_factory=dict)
    lists: frozenset[str] = frozenset()
    close_code: int | None = None
    _pending: dict[Key, State] = field(default_factory=dict)
    _sent: dict[Key, State] = field(default_factory=dict)
    _others: set[str] = field(default_factory=set)
    _stale: bool = False
    _deaf: bool = False
    _wake: asyncio.Event = field(default_factory=asyncio.Event)

    def watch(self, watched: Mapping[str, frozenset[UUID]], lists: frozenset[str]) -> None:
        """Replace what is watched; what the browser was told about other rows is forgotten."""
        self.watched, self.lists = watched, lists
        self._pending = {key: state for key, state in self._pending.items() if self.watches(*key)}
        self._sent.clear()

    def watches(self, kind: str, id: UUID) -> bool:
        return id in self.watched.get(kind, ())

    def offer(self, state: State) -> None:
        """The newest state of a row that this viewer may see."""
        self._pending[state.key] = state
        self._wake.set()

    def offer_other(self, kind: str) -> None:
        """Something that this viewer may see has changed outside the rows on the page: a list may have grown."""
        self._others.add(kind)
        self._wake.set()

    def resync(self) -> None:
        """Changes were missed: the browser should fetch what it shows."""
        self._pending.clear()
        self._sent.clear()
        self._stale, self._deaf = True, False
        self._wake.set()

    def deafen(self) -> None:
        """The server hears nothing at the moment: the browser should ask by itself until the next resync."""
        self._deaf = True
        self._wake.set()

    def close(self, code: int) -> None:
        """The socket has to end, and the browser is told why by `code`."""
        self.close_code = code
        self._wake.set()

    async def take(self) -> Batch:
        """Waits until there is something to say, then empties the mailbox. Only fields that differ are in it."""
        while not (batch := self._batch()):
            await self._wake.wait()
            self._wake.clear()
        return batch

    def _batch(self) -> Batch:
        words = (state.since(self._sent.get(key)) for key, state in self._pending.items())
        changes = tuple(change for change in words if change)
        batch = Batch(changes, frozenset(self._others), self._stale, self._deaf, self.close_code)
        self._sent.update(self._pending)
        self._pending, self._others, self._stale, self._deaf = {}, set(), False, False
        return batch
