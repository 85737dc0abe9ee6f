"""Reads changed rows and who may see them, in the hub's own thread, on one connection that is kept."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass
from typing import TypeVar
from uuid import UUID

from django.db import InterfaceError, OperationalError, connection

from jobs.live.mailbox import Viewer
from jobs.live.topics import Row, topics
from synops.graph.models import NodeAccess

Answer = TypeVar("Answer")


@dataclass(frozen=True)
class Sight:
    """Changed rows that somebody watches, the nodes of those that nobody does, and who has access to these nodes."""

    rows: tuple[Row, ...]
    other_places: frozenset[UUID]
    access: frozenset[tuple[int, UUID]]

    def may_see(self, viewer: Viewer, node_id: UUID) -> bool:
        """Whether the viewer has access to the node, as of this reading."""
        return viewer.is_superuser or (viewer.user_id, node_id) in self.access


NOTHING = Sight((), frozenset(), frozenset())


def look(kind: str, watched: Collection[UUID], others: Collection[UUID], users: Collection[int]) -> Sight:
    """`read`, on the connection of this thread."""
    return trying_twice(lambda: read(kind, watched, others, users))


def hang_up() -> None:
    """Close this thread's connection."""
    connection.close()


def read(kind: str, watched: Collection[UUID], others: Collection[UUID], users: Iterable[int]) -> Sight:
    """What can be told about these rows, and to whom among `users`."""
    topic = topics.get(kind)
    if topic is None:
        return NOTHING
    rows = tuple(topic.read(watched)) if watched else ()
    places = frozenset(topic.places(others)) if others else frozenset()
    nodes = {row.node_id for row in rows} | places
    access = NodeAccess.objects.filter(user_id__in=list(users), node_id__in=nodes).values_list("user_id", "node_id")
    return Sight(rows, places, frozenset(access))


def trying_twice(question: Callable[[], Answer]) -> Answer:
    """The connection is kept between batches, so it may have died since the last one: once more on a new one."""
    try:
        return question()
    except (OperationalError, InterfaceError):
        connection.close()
        return question()
