"""Steps as the engine's statements return them, and the Work that a step's code sees."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from jobs.pipelines.declaration import Pipeline, Step, Unit, Work
from jobs.pipelines.registry import pipeline


@dataclass(frozen=True)
class StepRow:
    """One row of pipeline_steps that is claimed or has just ended, and the job that works on it."""

    id: int
    unit: Unit
    step: str
    item: str
    payload: dict[str, Any]
    attempt: int
    job_id: UUID

    @property
    def declared(self) -> tuple[Pipeline, Step[Any]] | None:
        """The pipeline and step as declared in code; None when the code is gone."""
        found = pipeline(self.unit.pipeline)
        step = next((step for step in found.steps if step.name == self.step), None) if found else None
        return (found, step) if found and step else None

    def work(self, step: Step[Any]) -> Work[Any]:
        """What the step's code sees. Raises TypeError when the stored payload is not the dataclass's any more."""
        return Work(self.unit, self.step, self.item, step.read(self.payload), self.attempt, self.job_id)


def step_row(columns: Sequence[Any]) -> StepRow:
    """From the twelve columns that begin.sql and ended_steps.sql begin with."""
    id, name, unit, generation, collection, cause, priority, step, item, payload, attempt, job_id = columns
    return StepRow(
        id,
        Unit(name, unit, generation, collection, cause, priority),
        step,
        item,
        json.loads(payload),
        attempt,
        job_id,
    )
