"""Makes steps: their rows and their jobs, however many, in one statement each. The one place where a step gets a job."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from jobs import queue
from jobs.pipelines.declaration import Step, Unit, as_payload
from jobs.pipelines.ladder import max_attempts
from jobs.queue import NewJob
from synops.store.sanitise import dumps
from synops.store.sql import Cursor, load


@dataclass(frozen=True)
class NewStep:
    """A step to be made; `payload` is its dataclass."""

    unit: Unit
    step: Step[Any]
    item: str
    payload: Any


def job_for(unit: Unit, step: Step[Any], payload: dict[str, Any]) -> NewJob:
    """A job that works on a step."""
    return NewJob(
        unit.collection_id,
        step.job_type_for(unit.cause),
        payload,
        priority=unit.priority,
        max_attempts=max_attempts(),
    )


def make_steps(cursor: Cursor, wanted: Sequence[NewStep]) -> list[UUID]:
    """Insert the steps and enqueue their jobs; the jobs of those that are new.

    A step that exists already is left alone, so that whoever asks again makes nothing twice.
    """
    jobs = [(new, job_for(new.unit, new.step, as_payload(new.payload))) for new in _once_each(wanted)]
    if not jobs:
        return []
    cursor.execute(load("jobs.pipelines.sql", "insert_steps"), {"steps": dumps([_row(*one) for one in jobs])})
    new = {row[0] for row in cursor.fetchall()}
    return queue.enqueue_many(cursor, [job for _, job in jobs if job.id in new])


def _once_each(wanted: Sequence[NewStep]) -> list[NewStep]:
    """Of items with the same key the first."""
    return list({(new.unit, new.step.name, new.item): new for new in reversed(wanted)}.values())[::-1]


def _row(new: NewStep, job: NewJob) -> dict[str, Any]:
    return {
        "pipeline": new.unit.pipeline,
        "unit": new.unit.unit,
        "generation": new.unit.generation,
        "step": new.step.name,
        "item": new.item,
        "collection": str(new.unit.collection_id),
        "payload": job.payload,
        "job": str(job.id),
    }
