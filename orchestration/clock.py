"""Recipes that start by the clock: an active one owns a schedule, each tick of which starts it directly, once.

No event stands between: the tick concerns this one recipe. The run begins in the transaction that ends the tick's job.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

from jobs import schedules
from jobs.live.announcer import announce
from jobs.queue import ClaimedJob
from jobs.registries import Inline, InlineRefused, Registries
from orchestration.facts import collection_subject
from orchestration.language import Plan
from orchestration.library import Candidate, candidates, read_recipes, verdict
from orchestration.run_state import NewRun
from orchestration.runs import start_runs
from orchestration.states import Reason
from synops.store.identities import SYSTEM_COLLECTION_ID
from synops.store.sanitise import dumps
from synops.store.sql import Cursor, load

RECIPE_TICK = "recipe_tick"
PRIORITY = 1
"""Of schedules and bulk work: people and events go first."""
SCHEDULED = "scheduled.due"
SCHEMA = {
    "type": "object",
    "properties": {
        "recipe": {"type": "string", "format": "uuid", "title": "Recipe"},
        "tick": {"type": "string", "format": "date-time", "title": "Tick"},
    },
    "required": ["recipe", "tick"],
    "additionalProperties": False,
}


def owner(recipe: UUID) -> str:
    """The name of a recipe's schedule, and whose it is."""
    return f"recipe:{recipe}"


def keep_schedule(cursor: Cursor, recipe: UUID, title: str, plan: Plan | None, collections: Sequence[UUID]) -> None:
    """Make the schedule what the plan says, and remove it when the plan is None (not active) or starts by no clock."""
    schedule = plan.trigger.schedule if plan else None
    if schedule is None:
        schedules.remove(cursor, owner(recipe))
        return
    schedules.put(
        cursor,
        owner=owner(recipe),
        name=owner(recipe),
        cron=schedule.cron,
        timezone=schedule.timezone,
        job_type=RECIPE_TICK,
        payload={"recipe": str(recipe), "tick": "{tick}"},
        collection_id=collections[0] if collections else SYSTEM_COLLECTION_ID,
        priority=PRIORITY,
        description=title,
    )


def register(registries: Registries) -> None:
    """Register the job of a tick."""
    registries.register_inline(Inline(RECIPE_TICK, tick, problems, schema=SCHEMA))


def problems(payload: Any) -> list[str]:
    """What is wrong with a tick's payload, one sentence each."""
    try:
        UUID(payload["recipe"])
        if datetime.fromisoformat(payload["tick"]).tzinfo is None:
            return ["The tick has no time zone."]
    except (TypeError, KeyError, ValueError, AttributeError):
        return ["The payload must have the id of a recipe and the time of a tick."]
    return [f"Unknown: {name}." for name in sorted(set(payload) - {"recipe", "tick"})]


def tick(cursor: Cursor, job: ClaimedJob) -> dict[str, Any]:
    """Start the recipe of a tick; the run's id, or why none was started. Raises InlineRefused for a wrong payload."""
    if wrong := problems(job.payload):
        raise InlineRefused("payload", wrong[0])
    recipe_id, at = UUID(job.payload["recipe"]), datetime.fromisoformat(job.payload["tick"])
    candidate = next(iter(candidates(cursor, [recipe_id])), None)
    reason = _refusal(cursor, candidate, job.collection_id)
    if candidate is None or reason in (Reason.NOT_A_RECIPE, Reason.INACTIVE):
        schedules.remove(cursor, owner(recipe_id))  # deleted or switched off past the editor
    elif reason != Reason.NONE:
        _remember(cursor, recipe_id, reason)
    if reason != Reason.NONE:
        return {"skipped": reason.value}
    run = _run(cursor, recipe_id, job.collection_id, at)
    # Told by `tell`, after the commit: this transaction is not Django's, and may still be undone.
    started = start_runs(cursor, [run], tell=lambda _kind, _ids: None)
    return {"run_id": str(started[0])} if started else {"skipped": "already_started"}


def _refusal(cursor: Cursor, candidate: Candidate | None, collection: UUID) -> Reason:
    if candidate is None or not candidate.is_recipe:
        return Reason.NOT_A_RECIPE
    if not candidate.is_active or candidate.trigger is None or candidate.trigger.schedule is None:
        return Reason.INACTIVE
    if not candidate.applies_in(collection):
        return Reason.OTHER_COLLECTION
    return verdict(candidate, collection_subject(cursor, collection))


def _run(cursor: Cursor, recipe_id: UUID, collection: UUID, at: datetime) -> NewRun:
    return NewRun(
        recipe=read_recipes(cursor, [recipe_id])[recipe_id],
        collection_id=collection,
        trigger_event=SCHEDULED,
        op=None,
        variables={"event": {"collection_id": str(collection), "scheduled_for": at.isoformat()}},
        tick_at=at,
        priority=PRIORITY,
    )


def _remember(cursor: Cursor, recipe: UUID, reason: Reason) -> None:
    row = {"orchestration": str(recipe), "reason": reason.value, "times": 1, "event": None}
    cursor.execute(load("orchestration.sql", "considered"), {"rows": dumps([row])})


def tell(cursor: Cursor, jobs: Sequence[UUID]) -> None:
    """Tell open pages of the runs that these finished ticks have started. Index: job_queue_pkey."""
    cursor.execute(
        "SELECT (result ->> 'run_id')::uuid FROM job_queue WHERE id = ANY(%(ids)s::uuid[]) AND result ? 'run_id'",
        {"ids": list(jobs)},
    )
    announce("run", [row[0] for row in cursor.fetchall()])
