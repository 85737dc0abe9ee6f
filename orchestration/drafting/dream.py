"""Dream mode: what exists of a wish, what is missing, the request for it, and running what exists once by hand.

Nothing is requested and nothing runs before the person has said so.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING
from uuid import UUID

from django.db import connection, transaction
from django.utils.translation import gettext as _
from django.utils.translation import override

from orchestration.drafting.proposal import Missing
from orchestration.language import Plan, PlanStep, ToolCall, Vocabulary, WorkItem, compile_recipe, to_json
from orchestration.library import Recipe
from orchestration.manual import CannotRun, Wish, start_plan
from orchestration.recipes import Stored, lock
from orchestration.reports import shown_language
from orchestration.values import names
from orchestration.vocabulary import database_vocabulary
from orchestration.work_items import NewItem, open_item
from synops.store.identities import SYSTEM_COLLECTION_ID

if TYPE_CHECKING:
    from django.contrib.auth.models import AbstractBaseUser

GAP = "∅"
"""The title of the work item that stands for a step which can't be done yet; it is never made."""
_STEP = re.compile(r"\s*[0-9]{1,3}\s*[.)]")
FEATURE = "feature"
"""The tag of a work item that asks for a tool."""


@dataclass(frozen=True)
class Parts:
    """A script taken apart: `exists` is what could run today, None when no step can; `left_out` the lines that can't."""

    exists: Plan | None
    left_out: tuple[str, ...]


def parts(script: str, words: Vocabulary | None = None) -> Parts:
    """Leave out what does not compile, and the steps that need a result of it, until the rest compiles."""
    words = words or database_vocabulary()
    lines, left_out = script.split("\n"), list[str]()
    for _round in range(len(lines) + 1):
        found = compile_recipe("\n".join(lines), words)
        if found.plan is not None:
            return _without_gaps(found.plan, left_out)
        for number in sorted({item.span.line for item in found.errors}):
            left_out += [lines[number - 1].strip()] if lines[number - 1].strip() else []
            lines[number - 1] = _gap(lines[number - 1])
    return Parts(None, tuple(left_out))


def _gap(line: str) -> str:
    """What stands in place of a line: a step keeps its number, which `{steps.N.…}` of later ones count by."""
    step = _STEP.match(line)
    return f'{step.group()} work_item "{GAP}"' if step and GAP not in line else ""


def _without_gaps(plan: Plan, left_out: list[str]) -> Parts:
    gone, kept = set[int](), list[PlanStep]()
    for step in plan.steps:
        if _is_gap(step) or _needs(step) & gone:
            gone.add(step.number)
            left_out += [] if _is_gap(step) else [step.text]
        else:
            kept.append(step)
    return Parts(replace(plan, steps=tuple(kept)), tuple(left_out))


def _is_gap(step: PlanStep) -> bool:
    first = step.alternatives[0]
    return isinstance(first, WorkItem) and first.title == GAP


def _needs(step: PlanStep) -> set[int]:
    """The numbers of the steps whose results it names."""
    calls = [action for action in step.alternatives if isinstance(action, ToolCall)]
    used = [name for call in calls for value in call.params.values() for name in names(value)]
    return {int(name.split(".")[1]) for name in used if name.startswith("steps.")}


@transaction.atomic
def request_tools(recipe_id: UUID, missing: Sequence[Missing], *, user: AbstractBaseUser | None = None) -> list[UUID]:
    """Open a work item for each thing that no tool does; their ids. The same wish counts one up. Raises UnknownRecipe."""
    with connection.cursor() as cursor:
        recipe = lock(cursor, recipe_id)
        return [open_item(cursor, _request(recipe, one, user))[0] for one in missing]


def _request(recipe: Stored, one: Missing, user: AbstractBaseUser | None) -> NewItem:
    wish = str(recipe.metadata.get("wish") or recipe.text)
    with override(shown_language(recipe.language)):
        title = _("Tool wanted: %(what)s") % {"what": (one.tool or one.phrase)[:150]}
        content = _("“%(recipe)s” needs something that no tool does: %(what)s") % {
            "recipe": recipe.title,
            "what": one.phrase,
        }
    return NewItem(
        collection_id=recipe.collections[0] if recipe.collections else SYSTEM_COLLECTION_ID,
        title=title,
        content=f"{content}\n\n{wish}",
        dedupe_key=f"{recipe.id}:feature:{(one.tool or one.phrase).casefold()}",
        tags=[FEATURE],
        sources=[recipe.id],
        details={
            "orchestration_id": str(recipe.id),
            "cause": FEATURE,
            "wanted": one.tool or one.phrase,
            "asked_by": user.pk if user else None,
        },
    )


def run_what_exists(wish: Wish, script: str) -> UUID:
    """Run the steps of a partial script that compile, once, as a run by hand; its id. Raises CannotRun."""
    found = parts(script).exists
    if found is None or not found.steps:
        raise CannotRun(_("No step of this can be done with the tools that there are."))
    with transaction.atomic(), connection.cursor() as cursor:
        stored = lock(cursor, wish.recipe_id)
        recipe = Recipe(stored.id, stored.title, stored.version, stored.language, to_json(found), found)
        return start_plan(cursor, wish, recipe)
