"""What travels over the `synops_changes` channel: a kind and ids, never content, in pieces that NOTIFY accepts."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import islice
from uuid import UUID

CHANNEL = "synops_changes"

MAX_PAYLOAD_BYTES = 7999
"""PostgreSQL refuses 8000 bytes and fails the whole transaction."""

IDS_PER_MESSAGE = 200
"""39 bytes an id: 200 of them and a kind of up to 100 characters stay below the limit."""

RESYNC = json.dumps({"resync": True})
"""Whatever a listener believes may be wrong: it should read everything anew."""


@dataclass(frozen=True)
class Change:
    """One message as it was heard: rows of one kind, or `resync`."""

    kind: str = ""
    ids: tuple[UUID, ...] = field(default=())
    resync: bool = False


def encode(pending: Mapping[str, Iterable[UUID]]) -> Iterator[str]:
    """Payloads that together name every pending row; each fits into one NOTIFY."""
    for kind, ids in pending.items():
        waiting = iter(ids)
        while piece := [str(id) for id in islice(waiting, IDS_PER_MESSAGE)]:
            yield json.dumps({"kind": kind, "ids": piece}, separators=(",", ":"))


def decode(payload: str) -> Change:
    """The message in `payload`; anything that can't be read counts as `resync`, because something was said."""
    try:
        message = json.loads(payload)
        if message.get("resync"):
            return Change(resync=True)
        return Change(kind=str(message["kind"]), ids=tuple(UUID(id) for id in message["ids"]))
    except (ValueError, KeyError, TypeError, AttributeError):
        return Change(resync=True)
