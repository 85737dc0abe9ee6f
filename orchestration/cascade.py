"""Follows `triggers` edges: which recipes a finished run starts, and which it does not and why."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any
from uuid import UUID

from orchestration.conditions import Subject
from orchestration.facts import collection_subject, read_subject
from orchestration.library import Candidate, Recipe, candidates, loop_reason, read_recipes, verdict
from orchestration.run_state import NewRun, RunState
from orchestration.states import Reason, StepState
from orchestration.values import scalars
from synops.store.sql import Cursor

CASCADE = "cascade"
"""The tool_binary of log lines about cascades, and the trigger_event of the runs that they start."""


@dataclass(frozen=True)
class Followed:
    """One `triggers` edge: the run it starts, or why it starts none."""

    target: UUID
    run: NewRun | None = None
    reason: Reason = Reason.NONE


def follow(cursor: Cursor, run: RunState) -> list[Followed]:
    """Decide each `triggers` edge of a completed run's recipe, oldest edge first. Starts nothing itself."""
    if run.orchestration_id is None:
        return []
    cursor.execute(
        """SELECT target_id FROM edges WHERE source_id = %(recipe)s AND edge_type = 'triggers'
           ORDER BY created_at, id""",
        {"recipe": run.orchestration_id},
    )
    targets = [row[0] for row in cursor.fetchall()]
    if not targets:
        return []
    known = {candidate.id: candidate for candidate in candidates(cursor, targets)}
    recipes = read_recipes(cursor, targets)
    seen = _subject(cursor, run)
    return [_decide(run, target, known.get(target), recipes.get(target), seen) for target in targets]


def _decide(run: RunState, target: UUID, candidate: Candidate | None, recipe: Recipe | None, seen: Subject) -> Followed:
    reason = _refusal(run, candidate, recipe, seen)
    if reason != Reason.NONE or recipe is None:
        return Followed(target, reason=reason)
    return Followed(target, run=_new_run(run, recipe))


def _refusal(run: RunState, candidate: Candidate | None, recipe: Recipe | None, seen: Subject) -> Reason:
    if candidate is None or not candidate.is_recipe:
        return Reason.NOT_A_RECIPE
    if not candidate.is_active or recipe is None:
        return Reason.INACTIVE
    # run.chain holds the finished recipe too, as the ruled cascade_chain does.
    looped = loop_reason(candidate.id, run.chain)
    return looped if looped != Reason.NONE else verdict(candidate, seen)


def _new_run(run: RunState, recipe: Recipe) -> NewRun:
    return NewRun(
        recipe=recipe,
        collection_id=run.collection_id,
        trigger_event=CASCADE,
        op="CASCADE",
        variables=_variables(run),
        node_id=run.node_id,
        chain=run.chain,
        upstream_run_id=run.id,
        upstream_orchestration_id=run.orchestration_id,
        user_id=run.user_id,
        priority=run.priority,
    )


def _variables(run: RunState) -> dict[str, Any]:
    """The upstream event's fields go on; `input` is its last result, `upstream` all of them, the latest of each name."""
    done = [scalars(step.result) for step in run.steps if step.state == StepState.SUCCEEDED]
    latest = {name: value for result in done for name, value in result.items()}
    return {
        "event": {**run.variables.get("event", {}), "upstream_orchestration_id": str(run.orchestration_id)},
        "input": done[-1] if done else {},
        "upstream": {
            **latest,
            "orchestration_id": str(run.orchestration_id),
            "run_id": str(run.id),
            "steps": run.results(),
        },
    }


def _subject(cursor: Cursor, run: RunState) -> Subject:
    """The node that the upstream run was about; one that is gone, or never was, is seen through the collection alone."""
    found = read_subject(cursor, run.node_id, run.collection_id) if run.node_id else None
    if found is not None:
        return found
    return collection_subject(cursor, run.collection_id, run.node_id)
