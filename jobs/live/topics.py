"""What can be watched: for each kind of row the right it takes, whose node decides, and the fields that a page shows.

Apps register their topics in `AppConfig.ready()`; the hub knows no model.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID


@dataclass(frozen=True)
class Row:
    """One row as it is now. Who has access to `node_id` may see it; `fields` are codes and numbers, no sentences."""

    id: UUID
    node_id: UUID
    fields: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Topic:
    """A kind of row that pages show. `read` fetches rows with fields, `places` only the nodes that decide."""

    kind: str
    permission: str
    read: Callable[[Collection[UUID]], list[Row]]
    places: Callable[[Collection[UUID]], set[UUID]]


class Topics:
    """The topics of this process, by kind."""

    def __init__(self) -> None:
        self._by_kind: dict[str, Topic] = {}

    def register(self, topic: Topic) -> None:
        """Add a topic; registering a kind again replaces it, so that `ready()` may run twice."""
        self._by_kind[topic.kind] = topic

    def get(self, kind: str) -> Topic | None:
        """The topic of `kind`, or None: a message may come from a newer version."""
        return self._by_kind.get(kind)

    def kinds(self) -> tuple[str, ...]:
        return tuple(self._by_kind)

    def permitted(self, has_permission: Callable[[str], bool]) -> frozenset[str]:
        """The kinds that somebody with these permissions may watch."""
        return frozenset(kind for kind, topic in self._by_kind.items() if has_permission(topic.permission))


topics = Topics()
