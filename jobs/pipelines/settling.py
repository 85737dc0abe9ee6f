"""Steps follow their programs: when a job has ended an attempt, its step is told, after the finish has committed.

Not in the finishing transaction: how a program ended must be recorded whatever a pipeline's code does. A call that was
missed, because a process died in between, is made up for by the sweep that every worker makes.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

import psycopg
from django.db import OperationalError

from jobs.pipelines.declaration import Step
from jobs.pipelines.marking import Ending, lock_units, mark
from jobs.pipelines.outcomes import ConfigurationGap, Excluded, Failed, Outcome, PermanentlyFailed
from jobs.pipelines.rows import StepRow, step_row
from synops.store.sql import Cursor, load

CONFIGURATION = 78
"""EX_CONFIG of sysexits: what the program needs is not configured."""

SWEEP = 500


@dataclass(frozen=True)
class JobEnd:
    """How a job ended, or how its last attempt did. `may_come_again`: the queue had attempts left."""

    state_of_step: str
    status: str
    outcome: str | None
    result: Any
    may_come_again: bool
    error: str
    exit_code: int | None
    reason: str


def settle(cursor: Cursor, jobs: Sequence[UUID]) -> int:
    """Tell the steps of these jobs how they ended; how many steps were told. Asking twice changes nothing."""
    if not jobs:
        return 0
    lock_units(cursor, jobs)
    cursor.execute(load("jobs.pipelines.sql", "ended_steps"), {"jobs": list(jobs)})
    endings = [_ending(cursor, step_row(columns[:12]), _job_end(columns[12:])) for columns in cursor.fetchall()]
    mark(cursor, endings)
    return len(endings)


def unheard_jobs(cursor: Cursor, limit: int = SWEEP) -> list[UUID]:
    """Jobs that have ended an attempt of which their step has not heard."""
    cursor.execute(load("jobs.pipelines.sql", "unheard_jobs"), {"limit": limit})
    return [row[0] for row in cursor.fetchall()]


def _job_end(columns: Sequence[Any]) -> JobEnd:
    state, status, outcome, result, may_come_again, error, exit_code, reason = columns
    parsed = None if result is None else json.loads(result)
    return JobEnd(state, status, outcome, parsed, may_come_again, error or "", exit_code, reason or "")


def _ending(cursor: Cursor, row: StepRow, end: JobEnd) -> Ending:
    if end.state_of_step != "running" and end.status != "completed" and end.outcome != "cancelled":
        # It failed before the step was begun: that was a try all the same.
        row = _with_attempt(row, row.attempt + 1)
    return Ending(row, _outcome(cursor, row, end), job_is_over=end.status != "retry", job_waits=end.status == "retry")


def _with_attempt(row: StepRow, attempt: int) -> StepRow:
    return StepRow(row.id, row.unit, row.step, row.item, row.payload, attempt, row.job_id)


def _outcome(cursor: Cursor, row: StepRow, end: JobEnd) -> Outcome:
    """From the way in which a program ended to the step's outcome."""
    error = end.error or end.reason
    if end.outcome == "succeeded":
        return _read_result(cursor, row, end.result)
    if end.outcome == "excluded":
        return Excluded(error)
    if end.exit_code == CONFIGURATION and end.status == "error":
        return ConfigurationGap(error)
    if end.outcome == "cancelled":
        return PermanentlyFailed("cancelled")
    if end.outcome == "lost" or (end.status == "error" and end.may_come_again):
        return PermanentlyFailed(error)
    return Failed(error)


def _read_result(cursor: Cursor, row: StepRow, result: Any) -> Outcome:
    """What the step's code makes of the result, under a savepoint: a result that it can't read is a failed try."""
    if row.declared is None:
        return PermanentlyFailed(f"there is no step {row.step} in the code any more")
    step: Step[Any] = row.declared[1]
    cursor.execute("SAVEPOINT settle")
    try:
        outcome = step.settle(cursor, row.work(step), result)
    except (OperationalError, psycopg.OperationalError):
        raise
    except Exception as problem:  # noqa: BLE001 (whatever it does is an answer, stored with the step)
        cursor.execute("ROLLBACK TO SAVEPOINT settle")
        return Failed(f"{type(problem).__name__}: {problem}")
    cursor.execute("RELEASE SAVEPOINT settle")
    return outcome
