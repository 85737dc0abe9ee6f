"""Follows the outbox for what readers must no longer see: an edge with a slot that is deleted or changed, by whomever."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final
from uuid import UUID

from jobs.publishing import publish_again
from orchestration.event_values import Event
from orchestration.facts import read_traits
from synops.store.sql import Cursor

EVENT: Final = "node.withdrawn"


def follow(cursor: Cursor, events: Iterable[Event]) -> None:
    """Have index and feed made again, once for each collection that is still there."""
    chains: dict[UUID, tuple[UUID, ...]] = {}
    for event in events:
        if event.name == EVENT:
            chains.setdefault(UUID(event.payload["collection_id"]), event.chain)
    for collection in sorted(read_traits(cursor, chains)):
        publish_again(cursor, collection, chains[collection])
