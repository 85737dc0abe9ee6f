"""A person's word on an answer: approved, it is the recipe's text, and what had failed goes on from there; or sent back."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from uuid import UUID

from django.db import connection, transaction

from orchestration import recipes, reruns, work_items
from orchestration.answers.asking import CHANGE
from orchestration.answers.claiming import NotThere, may
from orchestration.models import Orchestration, Run, Version, WorkItem
from orchestration.recipes import Draft, Saved
from orchestration.states import Executor, RecipeState, RunStatus, VersionStatus
from synops.store.nodes import update_node
from synops.store.sanitise import clean_text

if TYPE_CHECKING:
    from django.contrib.auth.models import AbstractBaseUser

RERUN = "orchestration.rerun_run"
APPROVED = "approved"
"""The closing note of an item whose answer was approved, as a code."""


class CannotApprove(ValueError):
    """Why an answer can't be approved, as a code: no_answer, changed (the recipe has a newer text than it answers)."""


@dataclass(frozen=True)
class Approved:
    """What came of it. `problem` says why there is no rerun of a failed run, as a code of CannotRerun or `permission`."""

    saved: Saved
    run_id: UUID | None = None
    problem: str = ""


@transaction.atomic
def approve(user: AbstractBaseUser, item_id: UUID, *, activate: bool = False, over_newer: bool = False) -> Approved:
    """Make the answer the recipe's text, close the item, and run on from the step that had failed.

    An active recipe stays active if the user may activate; `activate` makes a draft active. `over_newer` takes the answer
    although somebody has changed the recipe since. Raises PermissionError, NotThere, CannotApprove, CannotActivate.
    """
    recipe_id = _recipe_of(user, item_id)
    with connection.cursor() as cursor:
        # The recipe first, then the item, in the order of everybody who locks both.
        recipe = recipes.lock(cursor, recipe_id)
        item, given = _answered(item_id)
        if recipe.version != given["base_version"] and not over_newer:
            raise CannotApprove("changed")
        if not recipe.is_script:
            update_node(cursor, recipe_id, metadata={"wish": recipe.text})
    proposed = Version.objects.get(orchestration_id=recipe_id, number=given["version"])
    draft = Draft(text=proposed.source, executor=Executor.SCRIPT.value, proposed=proposed.number)
    saved = recipes.save(draft, recipe_id=recipe_id, user=user)
    if activate and saved.state != RecipeState.ACTIVE:
        saved = recipes.activate(recipe_id, user=user)
    work_items.close(item_id, by=user.pk, note=APPROVED)
    return _go_on(user, item, saved)


@transaction.atomic
def reject(user: AbstractBaseUser, item_id: UUID, note: str) -> None:
    """Send an answer back with a reason: the item can be taken again. Raises PermissionError, NotThere, CannotApprove."""
    recipe_id = _recipe_of(user, item_id)
    with connection.cursor() as cursor:
        recipes.lock(cursor, recipe_id)
        _item, given = _answered(item_id)
        versions = Version.objects.filter(orchestration_id=recipe_id, number=given["version"])
        versions.update(status=VersionStatus.REJECTED)
        said = {"note": clean_text(note)[:2000], "by": user.pk, "version": given["version"]}
        update_node(cursor, item_id, metadata={"answer": None, "rejected": said})
        cursor.execute(
            "UPDATE nodes SET metadata = jsonb_set(metadata, '{claim,until}', to_jsonb(now())) WHERE id = %(id)s",
            {"id": item_id},
        )


def _recipe_of(user: AbstractBaseUser, item_id: UUID) -> UUID:
    """The recipe that an item is about."""
    may(user, CHANGE)
    item = WorkItem.objects.visible_to(user).filter(pk=item_id, metadata__answerable=True).first()
    recipe_id = UUID(item.metadata["orchestration_id"]) if item else None
    if recipe_id is None or not Orchestration.objects.visible_to(user).filter(pk=recipe_id).exists():
        raise NotThere(f"there is no work item {item_id} with a recipe")
    return recipe_id


def _answered(item_id: UUID) -> tuple[WorkItem, dict[str, Any]]:
    """The item, locked, and its answer."""
    item: WorkItem = WorkItem.objects.select_for_update().get(pk=item_id)
    given = item.metadata.get("answer")
    if not item.is_open or not isinstance(given, dict):
        raise CannotApprove("no_answer")
    return item, given


def _go_on(user: AbstractBaseUser, item: WorkItem, saved: Saved) -> Approved:
    run_id = str(item.metadata.get("run_id") or "")
    run = Run.objects.filter(pk=run_id, status=RunStatus.FAILED).first() if run_id else None
    if run is None:
        return Approved(saved)
    if not getattr(user, "has_perm", lambda _: False)(RERUN):
        return Approved(saved, problem="permission")
    try:
        return Approved(saved, run_id=reruns.retry_from_failed(run.pk, user=user))
    except reruns.CannotRerun as reason:
        return Approved(saved, problem=str(reason))
