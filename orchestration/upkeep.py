"""Keeps stored recipes true to what they were compiled from: the tools' words, and their own text.

A recipe that breaks is deactivated and says so in a work item; when its tool comes back and it means what a person
had approved, it is active again.
"""

from __future__ import annotations

import logging
from uuid import UUID

from django.db import InterfaceError, OperationalError, connection, transaction
from django.utils.translation import gettext as _
from django.utils.translation import override

from orchestration import work_items
from orchestration.compiling import meaning, vocabulary
from orchestration.language import Compilation, Vocabulary, render_box
from orchestration.recipes import Stored, UnknownRecipe, add_version, lock, recompiled, write
from orchestration.reports import shown_language
from orchestration.states import RecipeState
from orchestration.vocabulary import vocabulary_problems
from orchestration.work_items import NewItem, open_item
from synops.store.identities import SYSTEM_COLLECTION_ID
from synops.store.sql import Cursor, load

logger = logging.getLogger(__name__)

EDITED_BATCH = 100
TOOLS_CHANGED = "tools_changed"
EDITED_ELSEWHERE = "edited_elsewhere"
"""Notes of versions that no person saved, as codes."""


def on_tools_changed() -> None:
    """`sync_tools` has committed."""
    for problem in vocabulary_problems():
        logger.warning("%s: %s", problem.tool, problem.sentence)
    recompile_all()


def recompile_all() -> int:
    """Recompile every recipe whose words have changed; how many."""
    words = vocabulary()
    with connection.cursor() as cursor:
        cursor.execute(
            """SELECT id FROM nodes WHERE node_kind = 'orchestration'
               AND coalesce(metadata ->> 'executor', 'script') = 'script'
               AND metadata ->> 'lexicon_hash' IS DISTINCT FROM %(hash)s ORDER BY id""",
            {"hash": words.lexicon_hash},
        )
        ids = [row[0] for row in cursor.fetchall()]
    return sum(_safely(id, words, TOOLS_CHANGED) for id in ids)


def recompile_edited() -> int:
    """Compile recipes whose text somebody has changed past the editor; how many. Such a recipe is a draft again."""
    with connection.cursor() as cursor:
        cursor.execute(load("orchestration.sql", "edited_recipes"), {"limit": EDITED_BATCH})
        ids = [row[0] for row in cursor.fetchall()]
    if not ids:
        return 0
    words = vocabulary()
    return sum(_safely(id, words, EDITED_ELSEWHERE) for id in ids)


def _safely(id: UUID, words: Vocabulary, why: str) -> bool:
    """One recipe in a transaction of its own: one that can't be compiled leaves the others alone."""
    try:
        with transaction.atomic(), connection.cursor() as cursor:
            _recompile(cursor, lock(cursor, id), words, why)
    except UnknownRecipe:
        return False
    except (OperationalError, InterfaceError):
        raise
    except Exception:
        logger.exception("recipe %s could not be recompiled", id)
        return False
    return True


def _recompile(cursor: Cursor, recipe: Stored, words: Vocabulary, why: str) -> None:
    before = recipe.metadata.get("compiled")
    compilation = recompiled(recipe, words)
    if compilation is not None:
        _new_state(cursor, recipe, compilation, why)
    if why == EDITED_ELSEWHERE or _differs(before, recipe.metadata.get("compiled")):
        add_version(cursor, recipe, note=why)
    write(cursor, recipe, compilation)


def _differs(before: object, after: object) -> bool:
    """Whether a recompile changed what the recipe does; where its words stand in the vocabulary does not matter."""
    if not isinstance(before, dict) or not isinstance(after, dict):
        return before is not after and not (before is None and after is None)
    return {**before, "lexicon_hash": ""} != {**after, "lexicon_hash": ""}


def _new_state(cursor: Cursor, recipe: Stored, compilation: Compilation, why: str) -> None:
    if why == EDITED_ELSEWHERE and recipe.state == RecipeState.ACTIVE:
        recipe.metadata["state"] = RecipeState.DRAFT.value
    elif recipe.state == RecipeState.ACTIVE and compilation.plan is None:
        recipe.metadata["state"] = RecipeState.BROKEN.value
        _report_broken(cursor, recipe, compilation)
    elif recipe.state == RecipeState.BROKEN and compilation.plan is not None:
        approved = meaning(compilation.plan) == recipe.metadata.get("approved_meaning")
        recipe.metadata["state"] = (RecipeState.ACTIVE if approved else RecipeState.DRAFT).value
        _close_report(cursor, recipe)


def _report_broken(cursor: Cursor, recipe: Stored, compilation: Compilation) -> None:
    with override(shown_language(recipe.language)):
        title = _("“%(recipe)s” no longer compiles and was deactivated") % {"recipe": recipe.title}
        advice = _("The tools have changed. Correct the recipe and activate it again.")
    collection = recipe.collections[0] if recipe.collections else SYSTEM_COLLECTION_ID
    item = NewItem(
        collection_id=collection,
        title=title,
        content=f"{advice}\n\n{render_box(compilation, shown_language(recipe.language))}",
        dedupe_key=_key(recipe),
        tags=["bug"],
        sources=[recipe.id],
        details={"orchestration_id": str(recipe.id), "cause": "broken", "answerable": True},
    )
    open_item(cursor, item)


def _close_report(cursor: Cursor, recipe: Stored) -> None:
    cursor.execute(
        """SELECT id FROM nodes WHERE node_kind = 'work_item' AND metadata ->> 'status' = 'open'
           AND metadata ->> 'dedupe_key' = %(key)s""",
        {"key": _key(recipe)},
    )
    for (id,) in cursor.fetchall():
        work_items.close(id, note="compiles again")


def _key(recipe: Stored) -> str:
    return f"{recipe.id}:broken"
