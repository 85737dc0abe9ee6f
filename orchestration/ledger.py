"""Collects what runs did while they were advanced, and writes it with two statements, however many runs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any
from uuid import UUID

from jobs.live.announcer import announce
from jobs.queue import NewJob, enqueue_many
from orchestration.moves import End
from orchestration.run_state import NewRun, RunState, Step
from orchestration.states import LogStatus, Reason, RunStatus, StepState
from synops.store.masking import mask_argv, mask_text
from synops.store.sanitise import dumps
from synops.store.sql import Cursor, load

_LOG_STATUS = {
    StepState.SUCCEEDED: LogStatus.OK,
    StepState.FAILED: LogStatus.FAILED,
    StepState.CANCELLED: LogStatus.FAILED,
    StepState.EXCLUDED: LogStatus.SKIPPED,
}

Tell = Callable[[str, Iterable[UUID]], None]
"""Tells open pages that rows of a kind have changed, once Django's transaction has committed."""


@dataclass
class Ledger:
    """Rows to write. `write` empties it; what it holds is lost with the transaction, as it should be."""

    tell: Tell = announce
    jobs: list[NewJob] = field(default_factory=list)
    completed: list[RunState] = field(default_factory=list)
    """Runs whose cascades are to be followed once all this has been written."""
    _new_steps: list[dict[str, Any]] = field(default_factory=list)
    _ended_steps: list[dict[str, Any]] = field(default_factory=list)
    _ended_runs: list[dict[str, Any]] = field(default_factory=list)
    _lines: list[dict[str, Any]] = field(default_factory=list)
    _touched: set[UUID] = field(default_factory=set)

    def started(self, run: RunState, step: Step, job: NewJob | None = None) -> None:
        """A new alternative; with its job, or without one when it has ended already."""
        self._new_steps.append(_step_row(run, step) | {"n": len(self._new_steps)})
        self._touched.add(run.id)
        if job is not None:
            self.jobs.append(job)

    def take_over(self, run: RunState) -> None:
        """Steps that a new run has from an earlier one; they are in its table, not in its log."""
        for step in run.steps:
            if step.is_new_copy:
                step.is_new_copy = False
                self.started(run, step)

    def ended(self, run: RunState, step: Step) -> None:
        """An alternative whose job was started earlier has ended."""
        self._ended_steps.append(_step_row(run, step))
        self._touched.add(run.id)

    def over(self, run: RunState, end: End) -> None:
        """The run has ended."""
        self._ended_runs.append(
            {"id": str(run.id), "status": end.status.value, "handled": end.handled, "reason": end.reason.value}
        )
        self._touched.add(run.id)
        if end.status == RunStatus.COMPLETED:
            self.completed.append(run)

    def log_step(self, run: RunState, step: Step, argv: Sequence[str] | None) -> None:
        """The line of an alternative that has ended."""
        self.log(
            run,
            tool_binary=step.tool,
            status=_LOG_STATUS[step.state],
            reason=Reason(step.reason),
            step=step,
            argv=argv,
            result=step.result,
            error=step.error,
        )

    def log(
        self,
        run: RunState | None,
        *,
        tool_binary: str,
        status: LogStatus,
        reason: Reason = Reason.NONE,
        step: Step | None = None,
        argv: Sequence[str] | None = None,
        result: Any = None,
        error: str = "",
        orchestration_id: UUID | None = None,
    ) -> None:
        """Any line. Without a run it is about `orchestration_id`."""
        recipe = run.orchestration_id if run else orchestration_id
        self._lines.append(
            {
                "n": len(self._lines),
                "run": str(run.id) if run else None,
                "orchestration": str(recipe) if recipe else None,
                "step": step.step if step else None,
                "alternative": step.alternative if step else None,
                "is_fallback": step.is_fallback if step else False,
                "tool_binary": tool_binary,
                "argv": None if argv is None else mask_argv(argv),
                "status": status.value,
                "reason": reason.value,
                "exit_code": step.exit_code if step else None,
                "result": result,
                "error": mask_text(error),
                "job": str(step.job_id) if step and step.job_id else None,
                "started": _iso(step.started_at) if step else None,
                "finished": _iso(step.finished_at) if step else None,
            }
        )

    def write(self, cursor: Cursor) -> None:
        """Write everything but new runs and cascades, and tell open pages once it has committed."""
        if self.jobs:
            enqueue_many(cursor, self.jobs)
        rows = {
            "ended": self._ended_steps,
            "started": self._new_steps,
            "over": self._ended_runs,
            "lines": self._lines,
        }
        if any(rows.values()):
            cursor.execute(load("orchestration.sql", "write_ledger"), {name: dumps(rows[name]) for name in rows})
        self.tell("run", self._touched)
        self.tell("job", [job.id for job in self.jobs])


def insert_runs(cursor: Cursor, runs: Sequence[NewRun]) -> list[NewRun]:
    """Insert runs; those that are new. The same event, tick or upstream run starts a recipe once."""
    if not runs:
        return []
    recipes = list({id(run.recipe): run.recipe for run in runs}.values())
    number = {id(recipe): n for n, recipe in enumerate(recipes)}
    parameters = {
        "recipes": dumps([recipe.as_json() | {"n": n} for n, recipe in enumerate(recipes)]),
        "runs": dumps([run.as_json() | {"recipe": number[id(run.recipe)]} for run in runs]),
    }
    cursor.execute(load("orchestration.sql", "insert_runs"), parameters)
    inserted = {row[0] for row in cursor.fetchall()}
    return [run for run in runs if run.id in inserted]


def _step_row(run: RunState, step: Step) -> dict[str, Any]:
    return {
        "run": str(run.id),
        "step": step.step,
        "alternative": step.alternative,
        "line": step.line,
        "text": step.text,
        "tool": step.tool,
        "job_type": step.job_type,
        "params": step.params,
        "state": step.state.value,
        "reason": step.reason,
        "result": step.result,
        "error": step.error,
        "exit_code": step.exit_code,
        "job": str(step.job_id) if step.job_id else None,
        "copied": step.copied,
        "started": _iso(step.started_at),
        "finished": _iso(step.finished_at),
    }


def _iso(moment: datetime | None) -> str | None:
    return moment.isoformat() if moment else None
