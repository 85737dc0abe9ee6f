"""Records how steps ended, makes what follows, and tries the fan-in: one function, in one transaction, for a batch.

The caller holds the generations' locks (`lock_units`), so that of N steps that end at once exactly one sees that it is
the last.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

from jobs import queue
from jobs.pipelines.advancing import advance
from jobs.pipelines.declaration import Step
from jobs.pipelines.ladder import cap, seconds_after
from jobs.pipelines.outcomes import ConfigurationGap, Excluded, Failed, Item, Outcome, PermanentlyFailed, Succeeded
from jobs.pipelines.rows import StepRow
from jobs.pipelines.steps import NewStep, job_for, make_steps
from jobs.queue import NewJob
from synops.store.sanitise import dumps
from synops.store.sql import Cursor, load

OVER = ("succeeded", "permanently_failed", "excluded")


@dataclass
class Ending:
    """How a step ended: `state` and `attempt` are what its row will say.

    `job_waits`: its job is in retry and comes by itself; `job_is_over`: another try needs a new job.
    """

    row: StepRow
    outcome: Outcome
    job_is_over: bool = True
    job_waits: bool = False
    state: str = field(init=False)
    attempt: int = field(init=False)
    job_id: UUID | None = field(init=False)

    def __post_init__(self) -> None:
        """Decide, from the outcome and the number of tries so far."""
        self.attempt, self.job_id = self.row.attempt, self.row.job_id
        match self.outcome:
            case Succeeded():
                self.state = "succeeded"
            case PermanentlyFailed():
                self.state = "permanently_failed"
            case Failed():
                self.state = "failed" if self.attempt < cap() else "permanently_failed"
            case Excluded():
                self.state, self.attempt = "excluded", self.attempt - 1
            case ConfigurationGap():
                self.state, self.attempt, self.job_id = "pending", self.attempt - 1, None

    @property
    def error(self) -> str | None:
        """What a person reads about it."""
        match self.outcome:
            case Failed(error) | PermanentlyFailed(error) | Excluded(error) | ConfigurationGap(error):
                return error
        return None

    def as_json(self) -> dict[str, Any]:
        """The row that mark.sql reads."""
        return {
            "id": self.row.id,
            "state": self.state,
            "attempt": self.attempt,
            "result": self.outcome.result if isinstance(self.outcome, Succeeded) else None,
            "error": self.error,
            "job": str(self.job_id) if self.job_id else None,
        }


def lock_units(cursor: Cursor, jobs: Sequence[UUID]) -> None:
    """Lock the generations whose steps these jobs are, until the transaction ends."""
    cursor.execute(load("jobs.pipelines.sql", "lock_units"), {"jobs": list(jobs)})
    cursor.fetchall()


def mark(cursor: Cursor, endings: Sequence[Ending]) -> None:
    """Enqueue what follows, then record the endings, then see which generations are over or ready for their fan-in."""
    _forget_units(cursor, [ending for ending in endings if _leaves_no_trace(ending)])
    kept = [ending for ending in endings if not _leaves_no_trace(ending)]
    if not kept:
        return
    make_steps(cursor, [new for ending in kept for new in _followers(cursor, ending)])
    _try_again(cursor, [ending for ending in kept if ending.state == "failed"])
    _stop_trying(cursor, [ending for ending in kept if ending.state == "permanently_failed"])
    cursor.execute(load("jobs.pipelines.sql", "mark"), {"marks": dumps([ending.as_json() for ending in kept])})
    advance(cursor, [ending.row.unit for ending in kept if ending.state in OVER])


def _leaves_no_trace(ending: Ending) -> bool:
    """A gap in the configuration, met by a unit's first step: as if the unit had never been opened."""
    declared = ending.row.declared
    return isinstance(ending.outcome, ConfigurationGap) and (declared is None or declared[1].follows is None)


def _forget_units(cursor: Cursor, endings: Sequence[Ending]) -> None:
    for unit in {ending.row.unit for ending in endings}:
        cursor.execute(
            "DELETE FROM pipeline_generations WHERE pipeline = %(pipeline)s AND unit = %(unit)s "
            "AND generation = %(generation)s",
            {"pipeline": unit.pipeline, "unit": unit.unit, "generation": unit.generation},
        )


# -- what follows a success --------------------------------------------------------------------------------------------


def _followers(cursor: Cursor, ending: Ending) -> list[NewStep]:
    """The steps that a success makes; those that wait for all are made by the fan-in."""
    declared, outcome = ending.row.declared, ending.outcome
    if declared is None or not isinstance(outcome, Succeeded):
        return []
    followers = [step for step in declared[0].after(ending.row.step) if step.shape != "all"]
    return [new for step in followers for new in _made(cursor, ending.row, step, outcome.items)]


def _made(cursor: Cursor, row: StepRow, step: Step[Any], items: Sequence[Item]) -> list[NewStep]:
    if step.shape == "each":
        return [
            NewStep(row.unit, step, f"{row.item}/{item.key}" if row.item else item.key, item.payload) for item in items
        ]
    if items:
        return [NewStep(row.unit, step, row.item, items[0].payload)]
    if step.gather is None:
        raise ValueError(f"step {row.step} gave no payload for {step.name}, which has no `gather`")
    return [NewStep(row.unit, step, row.item, step.gather(cursor, row.unit))]


# -- what follows a failure --------------------------------------------------------------------------------------------


def _try_again(cursor: Cursor, endings: Sequence[Ending]) -> None:
    """Another try on the ladder: with the job that waits in retry, or with a new one where the job is over."""
    for seconds in {seconds_after(ending.attempt) for ending in endings}:
        rung = [ending for ending in endings if seconds_after(ending.attempt) == seconds]
        _snooze(cursor, [ending.row.job_id for ending in rung if ending.job_waits], seconds)
        replaced = [_replace_job(ending) for ending in rung if ending.job_is_over and not ending.job_waits]
        new = queue.enqueue_many(cursor, [job for job in replaced if job is not None])
        _snooze(cursor, new, seconds)


def _snooze(cursor: Cursor, jobs: Sequence[UUID], seconds: int) -> None:
    if jobs:
        cursor.execute("SELECT now() + make_interval(secs => %(seconds)s)", {"seconds": seconds})
        queue.snooze(cursor, jobs, cursor.fetchall()[0][0])


def _replace_job(ending: Ending) -> NewJob | None:
    declared = ending.row.declared
    if declared is None:
        return None
    job = job_for(ending.row.unit, declared[1], ending.row.payload)
    ending.job_id = job.id
    return job


def _stop_trying(cursor: Cursor, endings: Sequence[Ending]) -> None:
    """The step's count ends a unit: a job that would come again is cancelled."""
    if waiting := [ending.row.job_id for ending in endings if ending.job_waits]:
        queue.cancel(cursor, waiting)
