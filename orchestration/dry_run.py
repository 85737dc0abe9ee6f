"""What a recipe would do, without doing it: conditions against a chosen event, and the command of every step.

The same functions decide as in earnest. Nothing is executed: no shipped tool declares a run without effects.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any
from uuid import UUID

from django.db import connection, transaction

from orchestration.conditions import failing
from orchestration.event_values import Event, Occasion, variables
from orchestration.events import Surroundings
from orchestration.facts import read_facts, read_traits, subject
from orchestration.language import Plan, ToolCall
from orchestration.language.plan import Alternative, Clause, Trigger
from orchestration.library import Candidate, candidates, loop_reason, verdict
from orchestration.run_state import WORK_ITEM
from orchestration.states import Reason, RecipeState
from orchestration.toolbook import ToolBook, Unusable
from orchestration.values import MissingValue, fill_text, fill_value, names
from synops.store.masking import mask_argv
from synops.store.sql import Cursor, load


@dataclass(frozen=True)
class Answer:
    """Whether a recipe starts for an event, and if not, why. `failing` are the conditions that do not hold."""

    starts: bool
    reason: Reason = Reason.NONE
    failing: tuple[Clause, ...] = ()
    collection_id: UUID | None = None


@dataclass(frozen=True)
class PlannedStep:
    """One alternative as it would be started. `unresolved` names the values that only a run can give."""

    step: int
    alternative: int
    line: int
    text: str
    command: tuple[str, ...]
    unresolved: tuple[str, ...]
    problem: str = ""


@dataclass(frozen=True)
class Preview:
    """A whole dry run."""

    answer: Answer | None
    steps: tuple[PlannedStep, ...]


def read_event(cursor: Cursor, event_id: int) -> Event | None:
    """An event that is still kept."""
    cursor.execute(load("orchestration.sql", "one_event"), {"id": event_id})
    row = cursor.fetchone()
    return Event.from_row(*row) if row else None


def answer(cursor: Cursor, recipe_id: UUID, event: Event, trigger: Trigger | None = None) -> Answer:
    """Evaluate an event anew for one recipe, as the steward did when it read it, but with the graph of now.

    `trigger` is that of a text which is not saved yet, in place of the stored one.
    """
    found = candidates(cursor, [recipe_id])
    if not found or not found[0].is_recipe:
        return Answer(False, Reason.NOT_A_RECIPE)
    candidate = replace(found[0], trigger=trigger) if trigger else found[0]
    if candidate.trigger is None or candidate.trigger.event != event.name or candidate.trigger.schedule is not None:
        return Answer(False, Reason.OTHER_EVENT)
    surroundings = Surroundings(cursor, [event])
    subjects = surroundings.subjects(event)
    if not subjects:
        return Answer(False, Reason.NODE_GONE)
    said = [_say(candidate, event, collection, seen) for collection, seen in subjects]
    return next((one for one in said if one.starts), said[0])


def _say(candidate: Candidate, event: Event, collection: UUID | None, seen: Any) -> Answer:
    if not candidate.applies_in(collection):
        return Answer(False, Reason.OTHER_COLLECTION, collection_id=collection)
    reason = verdict(candidate, seen)
    if reason == Reason.CONDITION and candidate.trigger is not None:
        return Answer(False, reason, tuple(failing(candidate.trigger.conditions, seen)), collection)
    if reason == Reason.NONE:
        reason = loop_reason(candidate.id, event.chain)
    if reason == Reason.NONE and candidate.state != RecipeState.ACTIVE:
        reason = Reason.INACTIVE
    return Answer(reason == Reason.NONE, reason, collection_id=collection)


def preview_event(recipe_id: UUID, plan: Plan, event_id: int) -> Preview | None:
    """A dry run against an event; None when the event is not kept any more. `plan` may be unsaved text's."""
    with transaction.atomic(), connection.cursor() as cursor:
        event = read_event(cursor, event_id)
        if event is None:
            return None
        surroundings = Surroundings(cursor, [event])
        subjects = surroundings.subjects(event)
        said = answer(cursor, recipe_id, event, plan.trigger)
        known = variables(surroundings.occasion(event, said.collection_id or subjects[0][0])) if subjects else {}
        return Preview(said, _steps(cursor, plan, {"event": known}))


def preview_node(plan: Plan, node_id: UUID, inputs: Mapping[str, str] | None = None) -> Preview:
    """A dry run on a node, as a person would start it: no event, so no answer."""
    with transaction.atomic(), connection.cursor() as cursor:
        facts = read_facts(cursor, [node_id]).get(node_id)
        home = facts.homes[0] if facts and facts.homes else None
        known = variables(Occasion(plan.trigger.event, facts, home)) if facts else {}
        return Preview(
            _conditions(cursor, plan, facts, home), _steps(cursor, plan, {"event": known, "input": inputs or {}})
        )


def _conditions(cursor: Cursor, plan: Plan, facts: Any, home: UUID | None) -> Answer | None:
    if facts is None:
        return None
    seen = subject(facts, read_traits(cursor, [home] if home else []), home)
    broken = tuple(failing(plan.trigger.conditions, seen))
    return Answer(not broken, Reason.CONDITION if broken else Reason.NONE, broken, home)


def _steps(cursor: Cursor, plan: Plan, known: Mapping[str, Any]) -> tuple[PlannedStep, ...]:
    tools = ToolBook(cursor)
    found = [
        _planned(tools, known, (number, alternative), (step.line, step.text), action)
        for number, step in enumerate(plan.steps, 1)
        for alternative, action in enumerate(step.alternatives)
    ]
    found += [_planned(tools, known, (0, n), (0, ""), action) for n, action in enumerate(plan.on_failure)]
    return tuple(found)


def _planned(
    tools: ToolBook, known: Mapping[str, Any], place: tuple[int, int], where: tuple[int, str], action: Alternative
) -> PlannedStep:
    if not isinstance(action, ToolCall):
        title = fill_text(action.title, known)
        return PlannedStep(*place, *where, (WORK_ITEM, title, *(f"--tag={tag}" for tag in action.tags)), ())
    params, unresolved = _resolved(action.params, known)
    problem = _problem(tools, action.tool, params, unresolved)
    command = tools.command(action.tool, params) or mask_argv([action.tool])
    return PlannedStep(*place, *where, tuple(command), tuple(unresolved), problem)


def _resolved(params: Mapping[str, Any], known: Mapping[str, Any]) -> tuple[dict[str, Any], list[str]]:
    """Params with what is known filled in; what is not stays as `{name}` and is named."""
    filled, unresolved = {}, []
    for key, value in params.items():
        try:
            filled[key] = fill_value(value, known)
        except MissingValue:
            filled[key] = fill_text(value, known)
            unresolved += [name for name in names(filled[key]) if name not in unresolved]
    return filled, unresolved


def _problem(tools: ToolBook, tool: str, params: Mapping[str, Any], unresolved: Sequence[str]) -> str:
    """What would stop the step: its tool, its params, or an event that lacks a value it will never get."""
    never = [name for name in unresolved if name.startswith("event.")]
    if never:
        return f"{Reason.MISSING_VALUE.label}: {', '.join(never)}"
    try:
        if not unresolved:
            tools.fitted(tool, params)
        elif tools.get(tool) is None:
            raise Unusable(Reason.TOOL_GONE, tool)
    except Unusable as unusable:
        return f"{unusable.reason.label}: {unusable}"
    return ""
