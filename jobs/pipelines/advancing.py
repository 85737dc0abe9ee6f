"""Moves generations on: makes the step that waited for all (fan-in), and ends what has nothing left to do.

Computed from rows under the generation's lock, never counted, and made under a unique key: exactly once a generation,
however many ask.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from jobs.pipelines.declaration import Pipeline, Step, Unit
from jobs.pipelines.registry import pipeline
from jobs.pipelines.steps import NewStep, make_steps
from synops.store.sanitise import dumps
from synops.store.sql import Cursor, load


@dataclass
class Standing:
    """How far a generation has come: names of its steps. `succeeded` is known only of steps without open rows."""

    begun: set[str] = field(default_factory=set)
    unfinished: set[str] = field(default_factory=set)
    succeeded: set[str] = field(default_factory=set)


@dataclass
class Moved:
    """What moving generations on has done, for those who count repairs."""

    fanned_in: int = 0
    ended: dict[str, int] = field(default_factory=dict)


def advance(cursor: Cursor, units: Iterable[Unit]) -> Moved:
    """Move generations on. The caller holds their locks and has marked what has ended."""
    known = [(unit, found) for unit in dict.fromkeys(units) if (found := pipeline(unit.pipeline)) is not None]
    moved = Moved()
    if not known:
        return moved
    standings = _standings(cursor, known)
    gathers = [new for unit, one in known for new in _ready(cursor, unit, one, standings[_key(unit)])]
    moved.fanned_in = len(make_steps(cursor, gathers))
    going_on = {_key(new.unit) for new in gathers}
    over = [(unit, one) for unit, one in known if not standings[_key(unit)].unfinished and _key(unit) not in going_on]
    _end(cursor, over, standings, moved)
    return moved


Key = tuple[str, str, int]


def _key(unit: Unit) -> Key:
    return unit.pipeline, unit.unit, unit.generation


def _standings(cursor: Cursor, known: Sequence[tuple[Unit, Pipeline]]) -> dict[Key, Standing]:
    wanted = [{**_columns(unit), "step": step.name} for unit, one in known for step in one.steps]
    cursor.execute(load("jobs.pipelines.sql", "standing"), {"wanted": dumps(wanted)})
    standings = {_key(unit): Standing() for unit, _ in known}
    for name, unit, generation, step, begun, unfinished, succeeded in cursor.fetchall():
        standing = standings[name, unit, generation]
        for names, true in (
            (standing.begun, begun),
            (standing.unfinished, unfinished),
            (standing.succeeded, succeeded),
        ):
            if true:
                names.add(step)
    return standings


def _columns(unit: Unit) -> dict[str, Any]:
    return {"pipeline": unit.pipeline, "unit": unit.unit, "generation": unit.generation}


def _ready(cursor: Cursor, unit: Unit, one: Pipeline, standing: Standing) -> list[NewStep]:
    """The steps that waited for all of their predecessors, which are over now, and one succeeded."""
    return [
        NewStep(unit, step, "", step.gather(cursor, unit))
        for step in one.steps
        if step.gather is not None and step.shape == "all" and _may_gather(one, step, standing)
    ]


def _may_gather(one: Pipeline, step: Step[Any], standing: Standing) -> bool:
    waits_for = one.ancestors(step.name)
    return (
        step.name not in standing.begun
        and step.follows in standing.succeeded
        and not standing.unfinished.intersection(waits_for)
    )


# -- ends --------------------------------------------------------------------------------------------------------------


def _end(cursor: Cursor, over: Sequence[tuple[Unit, Pipeline]], standings: dict[Key, Standing], moved: Moved) -> None:
    if not over:
        return
    without = [unit for unit, one in over if not standings[_key(unit)].succeeded & one.leaves]
    flaws = _flaws(cursor, without)
    endings = [(unit, one, *_verdict(one, standings[_key(unit)], flaws.get(_key(unit)))) for unit, one in over]
    rows = [{**_columns(unit), "state": state, "reason": reason} for unit, _, state, reason in endings]
    cursor.execute(load("jobs.pipelines.sql", "end_units"), {"ended": dumps(rows)})
    for unit, one, state, reason in endings:
        one.on_end(cursor, unit, state, reason)
        moved.ended[state] = moved.ended.get(state, 0) + 1


def _flaws(cursor: Cursor, units: Sequence[Unit]) -> dict[Key, tuple[bool, bool]]:
    """(a step failed, a step was excluded) of generations without a result."""
    if not units:
        return {}
    cursor.execute(load("jobs.pipelines.sql", "exclusions"), {"wanted": dumps([_columns(unit) for unit in units])})
    return {
        (name, unit, generation): (failed, excluded) for name, unit, generation, failed, excluded in cursor.fetchall()
    }


def _verdict(one: Pipeline, standing: Standing, flaws: tuple[bool, bool] | None) -> tuple[str, str]:
    """(state, reason) of a generation that is over. The reason is a code and a step: `failed:extract`, `none:extract`."""
    if standing.succeeded & one.leaves:
        return "succeeded", ""
    failed, excluded = flaws or (False, False)
    if excluded and not failed:
        return "excluded", f"excluded:{_where(one, standing)}"
    if failed or excluded:
        return "permanently_failed", f"failed:{_where(one, standing)}"
    missing = next((step.name for step in one.steps if step.follows in standing.succeeded), one.first.name)
    return "permanently_failed", f"none:{missing}"


def _where(one: Pipeline, standing: Standing) -> str:
    """The step that nothing came of."""
    return next((step.name for step in one.steps if step.name in standing.begun - standing.succeeded), one.first.name)
