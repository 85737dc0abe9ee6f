"""Starts a recipe because a person says so: on a node or a collection, with what its form asks for.

The conditions in the recipe's header are not asked: the person has decided. Its variables are those of the chosen node.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any
from uuid import UUID

from django.db import transaction
from django.utils.translation import gettext as _

from jobs.preparing import preparing_cursor
from orchestration.event_values import Occasion, variables
from orchestration.facts import read_facts
from orchestration.language import Plan, ToolCall
from orchestration.library import Recipe, candidates, read_recipes
from orchestration.models import Orchestration
from orchestration.run_state import NewRun
from orchestration.runs import start_runs
from orchestration.values import names
from synops.graph.models import Node
from synops.store.sql import Cursor

if TYPE_CHECKING:
    from django.contrib.auth.models import AbstractBaseUser

MANUAL = "manual"
PRIORITY = 10


class CannotRun(ValueError):
    """Why a recipe can't be started like this, as a sentence for a person."""


@dataclass(frozen=True)
class Wish:
    """What a person asks for: a node, or a collection, or both."""

    recipe_id: UUID
    node_id: UUID | None = None
    collection_id: UUID | None = None
    inputs: Mapping[str, str] = field(default_factory=dict)
    user: AbstractBaseUser | None = None
    """None = the system, which sees everything."""


def start(wish: Wish) -> UUID:
    """Start a run; its id. Raises CannotRun."""
    with transaction.atomic(), preparing_cursor() as cursor:
        return start_plan(cursor, wish, _recipe(cursor, wish))


def start_plan(cursor: Cursor, wish: Wish, recipe: Recipe) -> UUID:
    """Start a run of what `recipe` holds, which may be another text than the one that its node has. Raises CannotRun."""
    event = _event_values(cursor, wish, recipe)
    _check_values(recipe.plan, event, wish.inputs)
    run = NewRun(
        recipe=recipe,
        collection_id=UUID(event["collection_id"]),
        trigger_event=MANUAL,
        op=None,
        variables={"event": event, "input": dict(wish.inputs)},
        node_id=wish.node_id,
        user_id=wish.user.pk if wish.user else None,
        priority=PRIORITY,
    )
    return start_runs(cursor, [run])[0]


def needed_inputs(plan: Plan) -> list[str]:
    """The names of the recipe's `{input.…}`, in the order of the text: the fields of its form."""
    return list(dict.fromkeys(name.partition(".")[2] for name in used_names(plan) if name.startswith("input.")))


def used_names(plan: Plan, *, fallbacks: bool = True) -> list[str]:
    """Every variable that the plan names, in order."""
    actions = [action for step in plan.steps for action in step.alternatives[: None if fallbacks else 1]]
    actions += plan.on_failure if fallbacks else ()
    calls = [action for action in actions if isinstance(action, ToolCall)]
    return [name for call in calls for value in call.params.values() for name in names(value)]


def _recipe(cursor: Cursor, wish: Wish) -> Recipe:
    recipe = read_recipes(cursor, [wish.recipe_id]).get(wish.recipe_id)
    if (recipe is None or wish.user) and not _sees(wish, wish.recipe_id, Orchestration.KIND):
        raise CannotRun(_("There is no recipe with this id."))
    if recipe is None:
        raise CannotRun(_("The recipe does not compile. Correct it first."))
    return recipe


def _event_values(cursor: Cursor, wish: Wish, recipe: Recipe) -> dict[str, Any]:
    user = {"user_id": wish.user.pk} if wish.user else {}
    if wish.node_id is None:
        return {"collection_id": str(_chosen_collection(cursor, wish, recipe)), **user}
    if not _sees(wish, wish.node_id):
        raise CannotRun(_("There is no node with this id."))
    facts = read_facts(cursor, [wish.node_id])[wish.node_id]
    collection = _home(cursor, wish, recipe, facts.homes)
    return variables(Occasion(MANUAL, facts, collection, user))


def _chosen_collection(cursor: Cursor, wish: Wish, recipe: Recipe) -> UUID:
    """The collection of a run without a node: the one named, or the recipe's only one."""
    if wish.collection_id is not None:
        if not _sees(wish, wish.collection_id, "collection"):
            raise CannotRun(_("There is no collection with this id."))
        return wish.collection_id
    own = [id for candidate in candidates(cursor, [recipe.id]) for id in candidate.collections]
    if len(own) != 1:
        raise CannotRun(_("Choose the node or the collection that the recipe is to work on."))
    return own[0]


def _home(cursor: Cursor, wish: Wish, recipe: Recipe, homes: tuple[UUID, ...]) -> UUID:
    """The collection that a node's run works in: the one named, else one that the recipe belongs to, else its first."""
    if wish.collection_id is not None and wish.collection_id not in homes:
        raise CannotRun(_("The node is not in this collection."))
    if not homes:
        raise CannotRun(_("The node is in no collection. Put it into one first."))
    own = {id for candidate in candidates(cursor, [recipe.id]) for id in candidate.collections}
    return wish.collection_id or next((home for home in homes if home in own), homes[0])


def _check_values(plan: Plan, event: Mapping[str, Any], inputs: Mapping[str, str]) -> None:
    missing = [name for name in needed_inputs(plan) if not inputs.get(name)]
    if missing:
        raise CannotRun(_("The recipe asks for: %(names)s.") % {"names": ", ".join(missing)})
    wanted = [name.partition(".")[2] for name in used_names(plan, fallbacks=False) if name.startswith("event.")]
    absent = [name for name in dict.fromkeys(wanted) if name not in event]
    if absent:
        what = {"names": ", ".join(absent)}
        raise CannotRun(_("What was chosen has no %(names)s, which the recipe needs. Choose another node.") % what)


def _sees(wish: Wish, id: UUID, kind: str | None = None) -> bool:
    rows = Node.objects.all() if wish.user is None else Node.objects.visible_to(wish.user)
    return rows.filter(pk=id, **({"node_kind": kind} if kind else {})).exists()
