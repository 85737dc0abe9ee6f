"""Saving recipes: text is compiled, kept as a version, and only what compiles can be made active.

Everything else that a recipe's node says is derived here: trigger, compiled form, diagnostics, edges.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any
from uuid import UUID

from django.db import connection, transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from orchestration import clock, derived_edges
from orchestration.compiling import compiled_keys, digest, language_of, meaning, tidy, vocabulary
from orchestration.language import Compilation, Vocabulary, compile_recipe, diagnostics_to_json
from orchestration.states import Executor, RecipeState, VersionStatus
from orchestration.work_items import connect
from synops.graph.columns import new_id
from synops.store.nodes import Node, insert_node, update_node
from synops.store.sanitise import clean_text, dumps
from synops.store.sql import Cursor

if TYPE_CHECKING:
    from django.contrib.auth.models import AbstractBaseUser

ACTIVATE = "orchestration.activate_orchestration"


class UnknownRecipe(LookupError):
    """There is no recipe with this id."""


class CannotActivate(ValueError):
    """Why a recipe can't be made active, as a sentence for a person."""


@dataclass(frozen=True)
class Draft:
    """What a person wants saved. None keeps what there is (a new recipe gets the defaults)."""

    text: str
    title: str | None = None
    layer: str = "auto"
    executor: str | None = None
    language: str | None = None
    intelligence: int | None = None
    effort: int | None = None
    collections: Iterable[UUID] | None = None
    note: str = ""
    proposed: int | None = None
    """The number of the proposed version that this text is; it becomes the recipe's, and no other is made."""


@dataclass(frozen=True)
class Saved:
    """What became of it. `compilation` is None for text that is no script; `version` is unchanged for equal text."""

    id: UUID
    version: int
    is_new_version: bool
    state: RecipeState
    compilation: Compilation | None


@dataclass
class Stored:
    """A recipe's node under its lock."""

    id: UUID
    title: str
    text: str
    metadata: dict[str, Any]
    collections: list[UUID] = field(default_factory=list)

    @property
    def state(self) -> RecipeState:
        return RecipeState(self.metadata.get("state") or RecipeState.DRAFT)

    @property
    def is_script(self) -> bool:
        return str(self.metadata.get("executor") or Executor.SCRIPT) == Executor.SCRIPT

    @property
    def version(self) -> int:
        return int(self.metadata.get("version") or 0)

    @property
    def language(self) -> str:
        return str(self.metadata.get("language") or "nb")


@transaction.atomic
def save(draft: Draft, *, recipe_id: UUID | None = None, user: AbstractBaseUser | None = None) -> Saved:
    """Save a new recipe, or a new text of one. `user` None = the system. Errors are kept with the text, not raised.

    An active recipe stays active when the new text compiles and the user may activate it; otherwise it is a draft
    until somebody does. Raises UnknownRecipe.
    """
    with connection.cursor() as cursor:
        recipe = lock(cursor, recipe_id) if recipe_id else _new(cursor)
        text = tidy(draft.text)
        changed = text != recipe.text or recipe.version == 0
        _take_over(cursor, recipe, draft, text)
        compilation = _compile(recipe, vocabulary(), draft.layer)
        if recipe.state == RecipeState.ACTIVE and activation_problem(recipe, compilation, user):
            recipe.metadata["state"] = RecipeState.DRAFT.value
        if recipe.state == RecipeState.BROKEN:
            recipe.metadata["state"] = RecipeState.DRAFT.value
        adopted = draft.proposed is not None and _adopted(cursor, recipe, draft.proposed)
        if changed and not adopted:
            add_version(cursor, recipe, author=user, note=draft.note)
        write(cursor, recipe, compilation)
    return Saved(recipe.id, recipe.version, changed, recipe.state, compilation)


@transaction.atomic
def activate(recipe_id: UUID, *, user: AbstractBaseUser | None = None) -> Saved:
    """Make a recipe react to events, compiled with the tools of now. Raises CannotActivate, UnknownRecipe."""
    with connection.cursor() as cursor:
        recipe = lock(cursor, recipe_id)
        compilation = _compile(recipe, vocabulary(), recipe.metadata.get("source_layer") or "auto")
        if problem := activation_problem(recipe, compilation, user):
            raise CannotActivate(problem)
        assert compilation is not None and compilation.plan is not None  # noqa: S101, PT018 (no problem says so)
        recipe.metadata |= {
            "state": RecipeState.ACTIVE.value,
            "activated_by": user.pk if user else None,
            "activated_at": timezone.now().isoformat(),
            "approved_meaning": meaning(compilation.plan),
        }
        write(cursor, recipe, compilation)
    return Saved(recipe.id, recipe.version, False, RecipeState.ACTIVE, compilation)


@transaction.atomic
def deactivate(recipe_id: UUID) -> None:
    """Make a recipe a draft: runs under way go on, events start no new ones. Raises UnknownRecipe."""
    with connection.cursor() as cursor:
        recipe = lock(cursor, recipe_id)
        update_node(cursor, recipe_id, metadata={"state": RecipeState.DRAFT.value})
        clock.keep_schedule(cursor, recipe_id, recipe.title, None, ())


def activation_problem(recipe: Stored, compilation: Compilation | None, user: AbstractBaseUser | None) -> str:
    """Why this recipe can't be active on this user's word, as a sentence; empty when it can."""
    if compilation is None:
        return _("Only a script can be active. Turn the text into a script first.")
    if compilation.plan is None:
        errors = [item["message"] for item in diagnostics_to_json(compilation, recipe.language)["diagnostics"]]
        return _("The recipe has errors: %(errors)s") % {"errors": " · ".join(errors[:3])}
    if compilation.plan.trigger.schedule is not None and len(recipe.collections) > 1:
        return _("A recipe that starts by the clock works in one collection; this one belongs to several.")
    if user is None:
        return ""
    if not getattr(user, "has_perm", lambda _: False)(ACTIVATE):
        return _("You may not activate recipes.")
    if not recipe.collections and not getattr(user, "is_superuser", False):
        return _("A recipe that belongs to no collection reacts everywhere. Only a superuser may activate it.")
    return ""


def lock(cursor: Cursor, recipe_id: UUID) -> Stored:
    """Read a recipe and keep others from changing it until the transaction ends. Raises UnknownRecipe."""
    cursor.execute(
        """SELECT title, content, metadata::text FROM nodes
           WHERE id = %(id)s AND node_kind = 'orchestration' FOR UPDATE""",
        {"id": recipe_id},
    )
    row = cursor.fetchone()
    if row is None:
        raise UnknownRecipe(f"there is no recipe {recipe_id}")
    return Stored(recipe_id, row[0], row[1], json.loads(row[2]), _collections(cursor, recipe_id))


def write(cursor: Cursor, recipe: Stored, compilation: Compilation | None) -> None:
    """Store the node, and the edges and the schedule that follow from its text."""
    metadata: Mapping[str, Any] = recipe.metadata
    update_node(cursor, recipe.id, title=recipe.title, content=recipe.text, metadata=metadata)
    plan = compilation.plan if compilation else None
    derived_edges.draw(cursor, recipe.id, recipe.text, plan)
    active = recipe.state == RecipeState.ACTIVE
    clock.keep_schedule(cursor, recipe.id, recipe.title, plan if active else None, recipe.collections)


def add_version(cursor: Cursor, recipe: Stored, *, author: AbstractBaseUser | None = None, note: str = "") -> None:
    """Keep the text as it is now as the next version."""
    recipe.metadata["version"] = _insert_version(cursor, recipe, author, note, VersionStatus.SAVED)


def propose_version(
    cursor: Cursor, proposed: Stored, item: UUID, *, author: AbstractBaseUser | None = None, note: str = ""
) -> int:
    """Keep a text beside the recipe's own, as the answer to a work item; its number. The caller holds the recipe's lock."""
    return _insert_version(cursor, proposed, author, note, VersionStatus.PROPOSED, item)


def _insert_version(
    cursor: Cursor,
    recipe: Stored,
    author: AbstractBaseUser | None,
    note: str,
    status: VersionStatus,
    item: UUID | None = None,
) -> int:
    """Numbers count every version, proposed ones too: the newest need not be the recipe's."""
    cursor.execute(
        """INSERT INTO orchestration_versions
             (orchestration_id, number, title, source, source_layer, compiled, diagnostics, author_id, note, status, item_id)
           SELECT %(id)s::uuid, coalesce(max(v.number), 0) + 1, %(title)s, %(source)s, %(layer)s, %(compiled)s::jsonb,
                  %(diagnostics)s::jsonb, %(author)s::int, %(note)s, %(status)s, %(item)s::uuid
           FROM orchestration_versions v WHERE v.orchestration_id = %(id)s::uuid
           RETURNING number""",
        {
            "id": recipe.id,
            "title": recipe.title,
            "source": recipe.text,
            "layer": recipe.metadata.get("source_layer") or "human",
            "compiled": dumps(compiled) if (compiled := recipe.metadata.get("compiled")) else None,
            "diagnostics": dumps(recipe.metadata.get("diagnostics") or []),
            "author": author.pk if author else None,
            "note": clean_text(note),
            "status": status.value,
            "item": item,
        },
    )
    return int((cursor.fetchone() or [0])[0])


def _adopted(cursor: Cursor, recipe: Stored, number: int) -> bool:
    """A proposed version is the recipe's from now on; False when a newer one is, which it then can't stand behind."""
    cursor.execute(
        """UPDATE orchestration_versions SET status = 'saved'
           WHERE orchestration_id = %(id)s AND number = %(number)s AND status = 'proposed'""",
        {"id": recipe.id, "number": number},
    )
    if number < recipe.version:
        return False
    recipe.metadata["version"] = number
    return True


def recompiled(recipe: Stored, words: Vocabulary) -> Compilation | None:
    """The recipe's own text compiled with these words, and its metadata brought up to date."""
    return _compile(recipe, words, recipe.metadata.get("source_layer") or "auto")


def _compile(recipe: Stored, words: Vocabulary, layer: str) -> Compilation | None:
    if not recipe.is_script:
        gone = ("compiled", "trigger", "lexicon_hash", "diagnostics")
        recipe.metadata |= dict.fromkeys(gone) | {"source_hash": digest(recipe.text)}
        return None
    # A stored layer is a record of what the text was, not a rule for it: mixed text compiles line by line.
    compilation = compile_recipe(recipe.text, words, layer="auto" if layer == "human" else layer)
    recipe.metadata |= compiled_keys(compilation, recipe.text, recipe.language)
    return compilation


def _take_over(cursor: Cursor, recipe: Stored, draft: Draft, text: str) -> None:
    recipe.text = text
    recipe.title = clean_text(draft.title if draft.title is not None else recipe.title).strip()
    given = {"executor": draft.executor, "intelligence": draft.intelligence, "effort": draft.effort}
    recipe.metadata |= {key: value for key, value in given.items() if value is not None}
    recipe.metadata["language"] = draft.language or recipe.metadata.get("language") or language_of(text)
    if draft.collections is not None:
        recipe.collections = list(draft.collections)
        _set_collections(cursor, recipe)


def _set_collections(cursor: Cursor, recipe: Stored) -> None:
    cursor.execute(
        """DELETE FROM edges WHERE source_id = %(id)s AND edge_type = 'belongs_to'
           AND target_id <> ALL(%(keep)s::uuid[])""",
        {"id": recipe.id, "keep": recipe.collections},
    )
    connect(cursor, recipe.id, "belongs_to", recipe.collections)


def _collections(cursor: Cursor, recipe_id: UUID) -> list[UUID]:
    cursor.execute(
        "SELECT target_id FROM edges WHERE source_id = %(id)s AND edge_type = 'belongs_to' ORDER BY target_id",
        {"id": recipe_id},
    )
    return [row[0] for row in cursor.fetchall()]


def _new(cursor: Cursor) -> Stored:
    defaults = {"state": RecipeState.DRAFT.value, "executor": Executor.SCRIPT.value, "intelligence": 2, "effort": 2}
    node = Node(new_id(), "orchestration", metadata=defaults)
    insert_node(cursor, node)
    return Stored(node.id, "", "", dict(defaults))
