"""“Why didn't it run?”: what a recipe saw and did not follow, and a chosen event evaluated anew."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING
from uuid import UUID

from django.db import connection, transaction

from orchestration.dry_run import Answer, answer, read_event
from orchestration.models import Considered as Refusal
from orchestration.models import Orchestration, Run
from orchestration.states import Reason
from synops.graph.access import only_readable
from synops.graph.models import GraphEvent
from synops.store.sql import Cursor

if TYPE_CHECKING:
    from synops.graph.access import Viewer

RECENT = 50
LOOKED_AT, EXPLAINED = 50, 5
"""Of a node's latest events, and how many of them are explained."""
ROUTINE = ("node.created", "edge.created")
"""Events that happen to every node: explained only where a recipe waits for them."""
MOST_RECIPES = 50


@dataclass(frozen=True)
class Considered:
    """One recipe that waits for an event: the run that it started, or the answer of now."""

    recipe: Orchestration
    run: Run | None
    answer: Answer


@dataclass(frozen=True)
class Happened:
    """One event of a node, and the recipes of its collections that wait for events of its kind."""

    event: GraphEvent
    considered: list[Considered]


@dataclass(frozen=True)
class Evaluated:
    """One event and one recipe: the run it started, or the answer of now."""

    event_id: int
    run_id: UUID | None
    answer: Answer


def counts(recipe_id: UUID) -> list[Refusal]:
    """Events of the recipe's kind and collection that did not start it, per reason, the latest first."""
    return list(Refusal.objects.filter(orchestration_id=recipe_id).order_by("-last_at"))


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


def happened_to(node_id: UUID, user: Viewer) -> list[Happened]:
    """The latest kept events of a node, each with the recipes that considered it, as far as `user` may see them.

    A recipe of another collection did not consider it and is left out; one that is not active says so.
    """
    events = list(GraphEvent.objects.filter(node_id=node_id).order_by("-id")[:LOOKED_AT])
    if not events:
        return []
    recipes = Orchestration.objects.visible_to(user).filter(
        metadata__compiled__trigger__event__in={event.event for event in events}
    )
    by_id = {recipe.pk: recipe for recipe in recipes.order_by("title", "id")[:MOST_RECIPES]}
    runs = Run.objects.visible_to(user).filter(event_id__in=[event.pk for event in events]).defer("compiled")
    started = {(run.event_id, run.orchestration_id): run for run in runs}
    with transaction.atomic(), connection.cursor() as cursor:
        explained = (Happened(event, _considered(cursor, event, by_id, started)) for event in events)
        return list(islice((one for one in explained if one.considered or one.event.event not in ROUTINE), EXPLAINED))


def _considered(
    cursor: Cursor,
    event: GraphEvent,
    recipes: Mapping[UUID, Orchestration],
    started: Mapping[tuple[int | None, UUID | None], Run],
) -> list[Considered]:
    waiting = [recipe for recipe in recipes.values() if (recipe.compiled or {})["trigger"]["event"] == event.event]
    read = read_event(cursor, event.pk) if waiting else None
    if read is None:
        return []
    found = []
    for recipe in waiting:
        run = started.get((event.pk, recipe.pk))
        said = Answer(True) if run else answer(cursor, recipe.pk, read)
        if run or said.reason not in (Reason.OTHER_EVENT, Reason.OTHER_COLLECTION):
            found.append(Considered(recipe, run, said))
    return found
