"""Keeping a draft: the script takes the place of the free text, as the next version, and waits to be approved.

The wish stays on the node, so that "[↑ Konverter til AI]" can give it back. Approving is `recipes.activate`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING
from uuid import UUID

from django.db import connection, transaction

from orchestration.models import Orchestration
from orchestration.recipes import Draft, Saved, lock, save
from orchestration.states import Executor, RecipeState
from synops.store.nodes import update_node

if TYPE_CHECKING:
    from django.contrib.auth.models import AbstractBaseUser

DRAFTED = "drafted"
"""The note of a version that a model or the matching wrote and a person kept, as a code."""


@transaction.atomic
def keep(recipe_id: UUID, text: str, *, user: AbstractBaseUser | None = None) -> Saved:
    """Save a proposal's text as a script: a draft, whatever the recipe was before. Raises UnknownRecipe."""
    with connection.cursor() as cursor:
        recipe = lock(cursor, recipe_id)
        changes = {"state": RecipeState.DRAFT.value}
        if not recipe.is_script:
            changes["wish"] = recipe.text
        update_node(cursor, recipe_id, metadata=changes)
    draft = Draft(text=text, executor=Executor.SCRIPT.value, note=DRAFTED)
    return save(draft, recipe_id=recipe_id, user=user)


@transaction.atomic
def lift(recipe_id: UUID, executor: Executor = Executor.BOT, *, user: AbstractBaseUser | None = None) -> Saved:
    """Make free text of a script ("[↑ Konverter til AI]"): the wish it was written from, or the script itself.

    It reacts to nothing until it compiles and is approved again. Raises UnknownRecipe.
    """
    with connection.cursor() as cursor:
        recipe = lock(cursor, recipe_id)
    text = str(recipe.metadata.get("wish") or recipe.text)
    return save(Draft(text=text, executor=executor.value), recipe_id=recipe_id, user=user)


def wish_text(recipe: Orchestration) -> str:
    """What a person wrote before it became a script; empty for a recipe that was written as one."""
    return str(recipe.metadata.get("wish") or "")
