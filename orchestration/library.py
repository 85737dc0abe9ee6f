"""Recipes as stored: what their trigger needs to know, and what a run needs. And whether one reacts to an event."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any
from uuid import UUID

from django.conf import settings

from orchestration.conditions import Subject, all_hold
from orchestration.language.plan import SCHEMA, Plan, Trigger, from_json
from orchestration.planning import without_jit
from orchestration.states import Reason, RecipeState
from synops.store.sql import Cursor, load

BY_ID = "n.id = ANY(%(ids)s::uuid[])"
# A clock trigger is scheduled.due with a schedule: the clock starts it directly, never an event.
BY_EVENT = """n.node_kind = 'orchestration' AND n.metadata ->> 'state' = 'active'
  AND n.metadata -> 'compiled' -> 'trigger' ->> 'event' = ANY(%(events)s)
  AND coalesce(n.metadata -> 'compiled' -> 'trigger' -> 'schedule', 'null') = 'null'"""


@dataclass(frozen=True)
class Candidate:
    """A node that may be started: where it applies and when."""

    id: UUID
    kind: str
    state: str
    trigger: Trigger | None
    elsewhere: bool
    """The answer "everywhere else", given when its last `observes` edge was removed."""
    collections: frozenset[UUID]
    observed: frozenset[UUID]
    tombstones: frozenset[UUID]

    @property
    def is_recipe(self) -> bool:
        return self.kind == "orchestration"

    @property
    def is_active(self) -> bool:
        return self.is_recipe and self.state == RecipeState.ACTIVE and self.trigger is not None

    def applies_in(self, collection: UUID | None) -> bool:
        """Whether events of this collection are its business; one without a collection applies everywhere."""
        return not self.collections or collection in self.collections

    @property
    def looks_around(self) -> bool:
        """Whether its verdict depends on which node it is, and not only on what the node is like."""
        return bool(self.observed or self.tombstones)

    @property
    def restricted(self) -> bool:
        """Whether it reacts only where an `observes` edge points.

        Removing an edge never makes a recipe react to more: with none left it reacts nowhere, until somebody says
        "everywhere else".
        """
        return bool(self.observed) or (bool(self.tombstones) and not self.elsewhere)


@dataclass(frozen=True)
class Recipe:
    """What a run copies."""

    id: UUID
    title: str
    version: int
    language: str
    compiled: dict[str, Any]
    plan: Plan
    tools: dict[str, Any] | None = None
    """What the plan's tools say about themselves, by name; None where it was not read along."""

    def as_json(self) -> dict[str, Any]:
        """The row that insert_runs.sql reads."""
        return {
            "id": str(self.id),
            "title": self.title,
            "version": self.version,
            "compiled": self.compiled,
            "language": self.language,
        }


def candidates_for(cursor: Cursor, events: Iterable[str]) -> list[Candidate]:
    """The active recipes that wait for one of these events."""
    without_jit(cursor)
    return _candidates(cursor, BY_EVENT, {"events": sorted(set(events))})


def candidates(cursor: Cursor, ids: Iterable[UUID]) -> list[Candidate]:
    """These nodes, whatever they are."""
    return _candidates(cursor, BY_ID, {"ids": list(ids)})


def read_recipes(cursor: Cursor, ids: Iterable[UUID]) -> dict[UUID, Recipe]:
    """Recipes that compile, by id. A stored plan of another schema counts as none: it is compiled anew."""
    cursor.execute(load("orchestration.sql", "recipes"), {"ids": list(ids)})
    found = (_recipe(*row) for row in cursor.fetchall())
    return {recipe.id: recipe for recipe in found if recipe is not None}


def verdict(candidate: Candidate, subject: Subject) -> Reason:
    """Why this recipe does not start for this node; NONE when it does. Event, collection and chain are the caller's."""
    around = subject.facts.around
    if around & candidate.tombstones:
        return Reason.TOMBSTONE
    if candidate.restricted and not around & candidate.observed:
        return Reason.NOT_OBSERVED
    if candidate.trigger is None or not all_hold(candidate.trigger.conditions, subject):
        return Reason.CONDITION
    return Reason.NONE


def loop_reason(recipe: UUID, chain: Sequence[UUID]) -> Reason:
    """Why a recipe may not follow those of `chain`; NONE when it may."""
    if recipe in chain:
        return Reason.CYCLE
    return Reason.DEPTH if len(chain) >= settings.MAX_CASCADE_DEPTH else Reason.NONE


def _candidates(cursor: Cursor, where: str, parameters: dict[str, Any]) -> list[Candidate]:
    cursor.execute(load("orchestration.sql", "candidates").replace("{where}", where), parameters)
    return [_candidate(*row) for row in cursor.fetchall()]


def _candidate(
    id: UUID,
    kind: str,
    state: str,
    trigger: str | None,
    elsewhere: bool,
    collections: list[UUID],
    observed: list[UUID],
    tombstones: list[UUID],
) -> Candidate:
    return Candidate(
        id=id,
        kind=kind,
        state=state,
        trigger=_trigger(trigger) if trigger else None,
        elsewhere=elsewhere,
        collections=frozenset(collections),
        observed=frozenset(observed),
        tombstones=frozenset(tombstones),
    )


@lru_cache(maxsize=4096)
def _trigger(text: str) -> Trigger | None:
    """Parsed once per text: a thousand recipes are read again for every batch of events."""
    document = {"schema": SCHEMA, "trigger": json.loads(text), "steps": [], "on_failure": [], "lexicon_hash": ""}
    try:
        return from_json(document).trigger
    except ValueError:
        return None


def _recipe(id: UUID, title: str, version: int, language: str, compiled: str, tools: str | None) -> Recipe | None:
    document = json.loads(compiled)
    try:
        return Recipe(id, title, version, language, document, from_json(document), json.loads(tools or "{}"))
    except ValueError:
        return None
