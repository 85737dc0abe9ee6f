"""Opens runs of units: by selection (units that have none yet), by hand, or in bulk (a new generation)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from jobs import queue
from jobs.pipelines.declaration import Pipeline, Unit
from jobs.pipelines.outcomes import Item
from jobs.pipelines.registry import pipeline
from jobs.pipelines.steps import NewStep, make_steps
from synops.store.sanitise import dumps
from synops.store.sql import Cursor, load

PRIORITY = {"selected": None, "manual": 10, "bulk": 1}


class AlreadyOpen(Exception):
    """A run by hand, or in bulk, is queued or running for the unit."""


@dataclass(frozen=True)
class Opening:
    """What to open: a unit at a step (None = the pipeline's first), with that step's payload, or with items where it has many.

    A payload that names its generation, which only opening gives, is a function of the unit.
    """

    pipeline: str
    unit: str
    collection_id: UUID
    payload: Any = None
    step: str | None = None
    items: Sequence[Item] = ()
    priority: int | None = None

    @property
    def declared(self) -> Pipeline:
        """The pipeline. Raises KeyError when no app has registered it."""
        if (found := pipeline(self.pipeline)) is None:
            raise KeyError(f"there is no pipeline {self.pipeline!r}")
        return found

    def steps(self, unit: Unit) -> list[NewStep]:
        """The steps that it begins with."""
        step = self.declared.step(self.step) if self.step else self.declared.first
        if self.items:
            return [NewStep(unit, step, item.key, item.payload) for item in self.items]
        return [NewStep(unit, step, "", self.payload(unit) if callable(self.payload) else self.payload)]


def open_units(cursor: Cursor, openings: Sequence[Opening], cause: str = "selected") -> list[Unit]:
    """Open units that have no run yet; those that were opened. Two selections at once open each unit once."""
    by_name = {(opening.pipeline, opening.unit): opening for opening in openings}
    rows = [_unit_row(opening, cause) for opening in by_name.values()]
    cursor.execute(load("jobs.pipelines.sql", "open_units"), {"units": dumps(rows)})
    opened = [by_name[name, unit] for name, unit in cursor.fetchall()]
    units = [(opening, _unit(opening, 1, cause)) for opening in opened]
    make_steps(cursor, [step for opening, unit in units for step in opening.steps(unit)])
    return [unit for _, unit in units]


def open_unit(cursor: Cursor, opening: Opening, cause: str = "manual") -> Unit:
    """Open a new generation of a unit; an automatic one that still runs is superseded by it.

    Raises AlreadyOpen when a manual or bulk run is queued or running: decided under the lock of that run's row, and
    by the unique number of the new one when there is none to lock.
    """
    key = {"pipeline": opening.pipeline, "unit": opening.unit}
    if standing := _running_cause(cursor, key):
        if standing != "selected":
            raise AlreadyOpen(f"{opening.unit} is being run already")
        supersede(cursor, opening.pipeline, opening.unit)
    cursor.execute(load("jobs.pipelines.sql", "reopen_unit"), {**_parameters(opening, cause), **key})
    if (row := cursor.fetchone()) is None:
        raise AlreadyOpen(f"{opening.unit} has just been opened by someone else")
    unit = _unit(opening, row[0], cause)
    make_steps(cursor, opening.steps(unit))
    return unit


def _running_cause(cursor: Cursor, key: dict[str, str]) -> str | None:
    cursor.execute(
        "SELECT cause FROM pipeline_generations WHERE pipeline = %(pipeline)s AND unit = %(unit)s "
        "AND state = 'running' FOR NO KEY UPDATE",
        key,
    )
    row = cursor.fetchone()
    return row[0] if row else None


def supersede(cursor: Cursor, name: str, unit: str) -> None:
    """Close the unit's running generation in favour of a newer one, and cancel what it was waiting for."""
    cursor.execute(load("jobs.pipelines.sql", "supersede"), {"pipeline": name, "unit": unit})
    queue.cancel(cursor, [row[0] for row in cursor.fetchall() if row[0] is not None])


def _priority(opening: Opening, cause: str) -> int | None:
    return PRIORITY[cause] if opening.priority is None else opening.priority


def _unit(opening: Opening, generation: int, cause: str) -> Unit:
    priority = _priority(opening, cause)
    return Unit(opening.pipeline, opening.unit, generation, opening.collection_id, cause, priority)


def _parameters(opening: Opening, cause: str) -> dict[str, Any]:
    return {"collection": opening.collection_id, "cause": cause, "priority": _priority(opening, cause)}


def _unit_row(opening: Opening, cause: str) -> dict[str, Any]:
    return {
        "pipeline": opening.pipeline,
        "unit": opening.unit,
        **_parameters(opening, cause),
        "collection": str(opening.collection_id),
    }
