"""Follows a run from a command line: each alternative as it ends, until the run is over."""

from __future__ import annotations

import shlex
import time
from collections.abc import Callable, Iterator
from uuid import UUID

from django.db import connection

from orchestration.models import Run, RunStep
from orchestration.states import RunStatus, StepState
from orchestration.toolbook import ToolBook

POLL_SECONDS = 0.2


class StillRunning(TimeoutError):
    """The run was not over in time."""


def follow(run_id: UUID, seconds: float, keep_waiting: Callable[[], bool] = lambda: True) -> Iterator[RunStep]:
    """The alternatives of a run in order, each when it has ended. Raises StillRunning.

    `keep_waiting` says whether anybody is left who could do the work.
    """
    deadline = time.monotonic() + seconds
    seen = 0
    while True:
        # Whether anybody works, and whether the run is over, are asked first: what has ended by then is read after.
        hopeful = keep_waiting()
        over = Run.objects.filter(pk=run_id).exclude(status=RunStatus.RUNNING).exists()
        ended = list(RunStep.objects.filter(run_id=run_id, id__gt=seen).exclude(state=StepState.STARTED).order_by("id"))
        for step in ended:
            seen = step.pk
            yield step
        if over:
            return
        if not hopeful or time.monotonic() > deadline:
            raise StillRunning(f"run {run_id} is not over")
        time.sleep(POLL_SECONDS)


def command_of(step: RunStep) -> str:
    """The command line of an alternative, secrets masked, as a shell would take it; a work item's title."""
    if step.tool == "work_item":
        return f'work_item "{step.params.get("title", "")}"'
    with connection.cursor() as cursor:
        command = ToolBook(cursor).command(step.tool, step.params)
    return shlex.join(command) if command else step.tool


def seconds_of(step: RunStep) -> float:
    """How long the last attempt of an ended alternative took."""
    return (step.finished_at - step.started_at).total_seconds() if step.finished_at else 0.0
