"""What waits for one browser: the newest state of each row it shows, never a queue of everything that happened."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

Key = tuple[str, UUID]


@dataclass(frozen=True)
class Viewer:
    """Who sits behind a socket and which kinds they may watch at all."""

    user_id: int
    is_superuser: bool
    kinds: frozenset[str]


@dataclass(frozen=True)
class Batch:
    """What one message to the browser carries."""

    changes: tuple[tuple[Key, Mapping[str, Any]], ...] = ()
    others: frozenset[str] = frozenset()
    resync: bool = False
    deaf: bool = False
    closing: bool = False

    def __bool__(self) -> bool:
        return bool(self.changes or self.others or self.resync or self.deaf or self.closing)


@dataclass(eq=False)
class Mailbox:
    """A slow reader loses intermediate states, never memory: at most one entry for each row that it watches."""

    viewer: Viewer
    watched: Mapping[str, frozenset[UUID]] = field(default_factory=dict)
    lists: frozenset[str] = frozenset()
    closing: bool = False
    _pending: dict[Key, Mapping[str, Any]] = field(default_factory=dict)
    _sent: dict[Key, Mapping[str, Any]] = field(default_factory=dict)
    _others: set[str] = field(default_factory=set)
    _stale: bool = False
    _deaf: bool = False
    _wake: asyncio.Event = field(default_factory=asyncio.Event)

    def watch(self, watched: Mapping[str, frozenset[UUID]], lists: frozenset[str]) -> None:
        """Replace what is watched; what the browser was told about other rows is forgotten."""
        self.watched, self.lists = watched, lists
        self._pending = {key: value for key, value in self._pending.items() if self.watches(*key)}
        self._sent.clear()

    def watches(self, kind: str, id: UUID) -> bool:
        return id in self.watched.get(kind, ())

    def offer(self, kind: str, id: UUID, fields: Mapping[str, Any]) -> None:
        """The newest state of a row that this viewer may see."""
        self._pending[kind, id] = fields
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

    def close(self) -> None:
        """The server is going down: the socket sends what that means and ends."""
        self.closing = True
        self._wake.set()

    async def take(self) -> Batch:
        """Waits until there is something to say, then empties the mailbox. Only fields that differ are in it."""
        while not (batch := self._batch()):
            await self._wake.wait()
            self._wake.clear()
        return batch

    def _batch(self) -> Batch:
        changes = tuple((key, changed) for key, new in self._pending.items() if (changed := self._difference(key, new)))
        batch = Batch(changes, frozenset(self._others), self._stale, self._deaf, self.closing)
        self._sent.update(self._pending)
        self._pending, self._others, self._stale, self._deaf = {}, set(), False, False
        return batch

    def _difference(self, key: Key, new: Mapping[str, Any]) -> dict[str, Any]:
        known = self._sent.get(key, {})
        return {name: value for name, value in new.items() if name not in known or known[name] != value}
