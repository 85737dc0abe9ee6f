"""Steps that run inside the worker: claim, work, mark and fan-in of a whole batch in the transaction that ends the jobs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields
from functools import partial
from typing import Any

import psycopg

from jobs.pipelines.claims import refused, try_begin
from jobs.pipelines.declaration import Pipeline, Step
from jobs.pipelines.ladder import seconds_after
from jobs.pipelines.marking import Ending, lock_units, mark
from jobs.pipelines.outcomes import Failed, Outcome, Succeeded
from jobs.pipelines.rows import StepRow
from jobs.queue import ClaimedJob, Ended
from jobs.registries import Inline, registries
from synops.store.sql import Cursor


def register_steps(pipeline: Pipeline) -> None:
    """Make the inline steps of a pipeline job types of the worker."""
    for step in pipeline.steps:
        if step.run is not None:
            for job_type in step.rules:
                registries.register_inline(
                    Inline(job_type, _alone, partial(_problems, step), run_many=partial(run_steps, step))
                )


def _alone(_cursor: Cursor, job: ClaimedJob) -> Any:
    raise AssertionError(f"{job.job_type} is run in batches")


def _problems(step: Step[Any], payload: Any) -> list[str]:
    known = {field.name for field in fields(step.payload)}
    if not isinstance(payload, dict):
        return ["The payload must be an object."]
    if unknown := sorted(set(payload) - known):
        return [f"{name} is nothing that step {step.name} knows." for name in unknown]
    try:
        step.read(payload)
    except TypeError as error:
        return [f"The payload does not fit step {step.name}: {error}."]
    return []


def run_steps(step: Step[Any], cursor: Cursor, jobs: Sequence[ClaimedJob]) -> list[Ended]:
    """Run jobs of one step. Raises what a step's code raises, but for a job alone: then the step has failed."""
    ids = [job.id for job in jobs]
    lock_units(cursor, ids)
    claimed = try_begin(cursor, ids)
    alone = len(jobs) == 1
    endings = {id: Ending(row, _outcome(step, cursor, row, alone), job_is_over=False) for id, row in claimed.items()}
    mark(cursor, list(endings.values()))
    return [_ended(job, endings.get(job.id)) for job in jobs]


def _outcome(step: Step[Any], cursor: Cursor, row: StepRow, alone: bool) -> Outcome:
    """What the step's code says. Alone under a savepoint; in a batch an exception makes the worker run each alone."""
    if step.run is None:
        raise TypeError(f"step {step.name} is run by a program")
    if not alone:
        return step.run(cursor, row.work(step))
    cursor.execute("SAVEPOINT step")
    try:
        outcome = step.run(cursor, row.work(step))
    except psycopg.OperationalError:
        raise
    except Exception as error:  # noqa: BLE001 (whatever a step's code does is an answer, and is stored with the step)
        cursor.execute("ROLLBACK TO SAVEPOINT step")
        return Failed(f"{type(error).__name__}: {error}")
    cursor.execute("RELEASE SAVEPOINT step")
    return outcome


def _ended(job: ClaimedJob, ending: Ending | None) -> Ended:
    """How the job ends, from how its step did."""
    if ending is None:
        return refused(job)
    match ending.state:
        case "succeeded":
            result = ending.outcome.result if isinstance(ending.outcome, Succeeded) else None
            return Ended(job, "succeeded", result=result)
        case "excluded":
            return Ended(job, "excluded", reason="excluded", error=ending.error)
        case "pending":
            return Ended(job, "excluded", reason="configuration_gap", error=ending.error)
        case "failed":
            wait = seconds_after(ending.attempt)
            return Ended(job, "failed", reason="step_failed", error=ending.error, retry_after_seconds=wait)
    return Ended(job, "failed", reason="step_failed", error=ending.error, permanent=True)
