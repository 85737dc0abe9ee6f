"""“Why didn't it run?”: what a recipe saw and did not follow, and a chosen event evaluated anew."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING
from uuid import UUID

from django.db import connection, transaction

from orchestration.dry_run import Answer, answer, read_event
from orchestration.models import Considered, Orchestration, Run
from orchestration.states import Reason
from synops.graph.access import only_readable
from synops.graph.models import GraphEvent

if TYPE_CHECKING:
    from synops.graph.access import Viewer

RECENT = 50


@dataclass(frozen=True)
class Evaluated:
    """One event and one recipe: the run it started, or the answer of now."""

    event_id: int
    run_id: UUID | None
    answer: Answer


def counts(recipe_id: UUID) -> list[Considered]:
    """Events of the recipe's kind and collection that did not start it, per reason, the latest first."""
    return list(Considered.objects.filter(orchestration_id=recipe_id).order_by("-last_at"))


def recent_events(recipe: Orchestration, user: Viewer, limit: int = RECENT) -> Sequence[GraphEvent]:
    """The latest kept events of the recipe's kind about nodes that `user` may see, for them to choose from."""
    event = recipe.trigger.get("event")
    if not event:
        return []
    return list(only_readable(GraphEvent.objects.filter(event=event), user, "node_id").order_by("-id")[:limit])


def explain(recipe_id: UUID, event_id: int) -> Evaluated | None:
    """Evaluate an event anew; None when it is not kept any more (handled events are kept for seven days).

    The answer is by the graph of now: a tag set since then counts.
    """
    with transaction.atomic(), connection.cursor() as cursor:
        event = read_event(cursor, event_id)
        if event is None:
            return None
        run = Run.objects.filter(orchestration_id=recipe_id, event_id=event_id).values_list("pk", flat=True).first()
        said = Answer(True, Reason.NONE) if run else answer(cursor, recipe_id, event)
        return Evaluated(event_id, run, said)
