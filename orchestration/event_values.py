"""The variables of events: what `{event.…}` means in a recipe. docs/graph.md lists them for each event."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any
from uuid import UUID

from orchestration.conditions import Facts


@dataclass(frozen=True)
class Event:
    """A row of graph_events."""

    id: int
    name: str
    op: str
    node_id: UUID | None
    edge_id: UUID | None
    payload: Mapping[str, Any]
    chain: tuple[UUID, ...]
    created_at: datetime

    @classmethod
    def from_row(
        cls,
        id: int,
        name: str,
        op: str,
        node_id: UUID | None,
        edge_id: UUID | None,
        payload: str,
        chain: list[UUID] | None,
        created_at: datetime,
    ) -> Event:
        return cls(id, name, op, node_id, edge_id, json.loads(payload), tuple(chain or ()), created_at)

    @property
    def published_in(self) -> UUID | None:
        """The collection that a node was published in, which no other of its collections may stand in for."""
        value = self.payload.get("collection_id") if self.name == "node.published" else None
        return UUID(value) if value else None

    @property
    def target_id(self) -> UUID | None:
        """The far end of an edge event."""
        value = self.payload.get("target_id")
        return UUID(value) if value else None


@dataclass(frozen=True)
class Occasion:
    """Something that starts recipes: an event, or a person's wish that it were one."""

    name: str
    facts: Facts
    collection_id: UUID | None
    extra: Mapping[str, Any] = field(default_factory=dict)


def variables(occasion: Occasion) -> dict[str, Any]:
    """The values of `{event.…}`; what is unknown is left out, so that a step that needs it says so."""
    facts = occasion.facts
    found = {
        **facts.fields,
        "node_id": str(facts.node_id),
        "node_kind": facts.kind,
        "title": facts.title,
        "collection_id": str(occasion.collection_id) if occasion.collection_id else None,
        "communication_id": str(facts.node_id) if facts.kind == "communication" else None,
        "cas_hash": recording(facts),
        **occasion.extra,
    }
    return {name: value for name, value in found.items() if value is not None and name not in _INTERNAL}


_INTERNAL = frozenset({"mime"})


def recording(facts: Facts) -> str | None:
    """The file that a step works on when the recipe names none: the first audio, or the node's own file."""
    audio = next((medium.cas_hash for medium in facts.media if medium.kind == "audio"), None)
    return audio or facts.fields.get("cas_hash")


def event_extra(event: Event) -> dict[str, Any]:
    """What an event knows beyond its node."""
    extra = {key: value for key, value in event.payload.items() if key != "collection_id"}
    if event.name == "edge.created":
        extra["edge_id"] = str(event.edge_id)
    if event.name == "node.published":
        extra["published_at"] = event.created_at.isoformat()
    return extra
