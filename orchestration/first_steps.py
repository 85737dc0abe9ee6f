"""From an empty installation to a first green run: what is done of it, so that the list on the pages ticks off by itself."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from django.db.models import Exists, OuterRef
from django.urls import reverse
from django.utils.translation import gettext as _

from orchestration.models import Orchestration, Run
from orchestration.samples import FIRST
from orchestration.states import RecipeState, RunStatus
from synops.graph.models import Edge, Node
from synops.store.identities import SYSTEM_COLLECTION_ID

if TYPE_CHECKING:
    from django.http import HttpRequest

NEEDED = ("orchestration.add_orchestration", "graph.add_node")
TRIED = "recipe_tried"
"""In the session: a trial leaves nothing behind in the database."""


@dataclass(frozen=True)
class Step:
    """One line of the list; `address` leads to where it is done."""

    text: str
    address: str
    done: bool


def first_steps(request: HttpRequest) -> list[Step] | None:
    """The list, for people who may do it; None as soon as a run of a recipe has succeeded that they see."""
    user: Any = request.user
    if not user.has_perms(NEEDED) or _runs(user).filter(status=RunStatus.COMPLETED).exists():
        return None
    mine = _own_recipes(user)
    newest = mine.order_by("-created_at").first()
    add = f"{reverse('admin:orchestration_orchestration_add')}?sample={FIRST}"
    recipe = reverse("admin:orchestration_orchestration_change", args=[newest.pk]) if newest else add
    run = reverse("admin:orchestration_orchestration_run", args=[newest.pk]) if newest else add
    was_run = _runs(user).exists()
    return [
        Step(_("Make a collection: a place for what belongs together"), _new("collection"), _has_place(user)),
        Step(_("Put a recording into it"), _new("recording"), _has_recording(user)),
        Step(_("Write a recipe; a sample is there to begin with"), add, newest is not None),
        Step(_("Try it: what it would do, without doing it"), f"{recipe}#trial", was_run or TRIED in request.session),
        Step(_("Activate it, so that it reacts to what happens"), recipe, _is_active(mine)),
        Step(_("Run it on the recording"), run, False),
    ]


def _new(what: str) -> str:
    return f"{reverse(f'admin:graph_node_new_{what}')}?then=home"


def _has_place(user: Any) -> bool:
    places = Node.objects.visible_to(user).filter(node_kind="collection")
    return places.exclude(pk=SYSTEM_COLLECTION_ID).exists()


def _has_recording(user: Any) -> bool:
    return Node.objects.visible_to(user).filter(node_kind="communication").exists()


def _own_recipes(user: Any) -> Any:
    """Recipes that somebody wrote here, or took over: the shipped ones wait in the system collection."""
    elsewhere = Edge.objects.filter(source=OuterRef("pk"), edge_type="belongs_to").exclude(target=SYSTEM_COLLECTION_ID)
    rows = Orchestration.objects.visible_to(user).filter(Exists(elsewhere), metadata__has_key="compiled")
    return rows.exclude(metadata__compiled=None)


def _is_active(recipes: Any) -> bool:
    return bool(recipes.filter(metadata__state=RecipeState.ACTIVE).exists())


def _runs(user: Any) -> Any:
    return Run.objects.visible_to(user)
