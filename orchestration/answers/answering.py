"""Answering a work item with a script: compiled at once, kept as a proposed version, and the author is told."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from uuid import UUID

from django.db import connection, transaction
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import override

from orchestration.answers.claiming import NotThere, check_held, seen
from orchestration.answers.notices import author_of, tell
from orchestration.compiling import compiled_keys, tidy, vocabulary
from orchestration.language import compile_recipe, diagnostics_to_json
from orchestration.recipes import Stored, UnknownRecipe, lock, propose_version
from orchestration.reports import shown_language
from synops.store.nodes import update_node
from synops.store.sanitise import clean_text

if TYPE_CHECKING:
    from django.contrib.auth.models import AbstractBaseUser

    from orchestration.language import Compilation
    from orchestration.models import WorkItem
    from synops.store.sql import Cursor


class DoesNotCompile(ValueError):
    """The script has errors; `record` is the compiler's, as the editor gets it. The claim stays, for another try."""

    def __init__(self, record: Mapping[str, Any]) -> None:
        super().__init__("the script has errors")
        self.record = record


@dataclass(frozen=True)
class Answered:
    """The number of the proposed version, and the notice to its author (None when nobody could be told)."""

    version: int
    notice_id: UUID | None


def answer(user: AbstractBaseUser, item_id: UUID, lease: int, text: str, *, note: str = "") -> Answered:
    """Answer an item that the user holds. Raises PermissionError, NotThere, Lost, DoesNotCompile."""
    item = seen(user, item_id)
    recipe_id = UUID(item.metadata["orchestration_id"])
    with transaction.atomic(), connection.cursor() as cursor:
        # The recipe first, then the item, as whoever reports a broken recipe does.
        recipe = _recipe(cursor, recipe_id)
        check_held(cursor, user, item_id, lease)
        compilation = _compiled(text, recipe)
        proposed = Stored(recipe.id, recipe.title, tidy(text), _as_proposed(recipe, compilation, text))
        number = propose_version(cursor, proposed, item_id, author=user, note=note)
        _remember(cursor, item, recipe, user, number, note)
        return Answered(number, _tell_author(cursor, item, recipe))


def _recipe(cursor: Cursor, recipe_id: UUID) -> Stored:
    try:
        return lock(cursor, recipe_id)
    except UnknownRecipe as error:
        raise NotThere("the recipe was deleted") from error


def _compiled(text: str, recipe: Stored) -> Compilation:
    compilation = compile_recipe(tidy(text), vocabulary())
    if compilation.plan is None:
        raise DoesNotCompile(diagnostics_to_json(compilation, shown_language(recipe.language)))
    return compilation


def _as_proposed(recipe: Stored, compilation: Compilation, text: str) -> dict[str, Any]:
    return recipe.metadata | compiled_keys(compilation, tidy(text), recipe.language)


def _remember(cursor: Cursor, item: WorkItem, recipe: Stored, user: AbstractBaseUser, number: int, note: str) -> None:
    given = {
        "version": number,
        "base_version": recipe.version,
        "by": user.pk,
        "name": user.get_username(),
        "at": timezone.now().isoformat(),
        "note": clean_text(note)[:2000],
    }
    update_node(cursor, item.pk, metadata={"answer": given})


def _tell_author(cursor: Cursor, item: WorkItem, recipe: Stored) -> UUID | None:
    author = author_of(cursor, recipe.id, item.metadata.get("asked_by"))
    with override(shown_language(recipe.language)):
        title = _("A script for “%(recipe)s” is ready") % {"recipe": recipe.title}
        text = _("Look at it and approve it, or send it back. It does nothing before that.")
    return tell(cursor, author, title, text, item.pk)
