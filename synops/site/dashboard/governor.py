"""What the resource governor does now: the calls that are on, and which work waits because of what."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any

from django.conf import settings
from django.db import connection

from jobs.statistics import HeldBack, held_back
from resources.disk import full_machines
from resources.governor import LiveCalls, live_calls
from synops.graph.models import Node

if TYPE_CHECKING:
    from synops.graph.access import Viewer


@dataclass(frozen=True)
class Call:
    """A call that is on; its title only for those who may see it."""

    since: datetime
    title: str


@dataclass(frozen=True)
class Governor:
    """`held` is what waits because of a rule: a pause, a call, a full disk."""

    calls: LiveCalls
    seen: list[Call]
    full_disks: list[str]
    held: list[HeldBack]

    @property
    def live_call(self) -> bool:
        return self.calls.current > 0


def governor(user: Viewer) -> Governor:
    """Its state now."""
    with connection.cursor() as cursor:
        calls = live_calls(cursor, settings.LIVE_CALL_MAX_HOURS)
        full = full_machines(cursor)
        held = held_back(cursor, live_call=calls.current > 0, disk_full=bool(full))
    return Governor(calls, seen_calls(user) if calls.current else [], sorted(full), held)


def seen_calls(user: Viewer) -> list[Call]:
    """The calls that the viewer may know of. Index: nodes_live_calls."""
    nodes = Node.objects.visible_to(user).filter(node_kind="communication", metadata__livekit_active=True)
    return [Call(node.updated_at, str(node)) for node in nodes.order_by("updated_at")[:5]]


def as_context(user: Any) -> dict[str, Any]:
    """For the template; always there, because every part of it explains why work waits."""
    return {"governor": governor(user)}
