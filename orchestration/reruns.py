"""Cancelling a run, and running it again: whole, or from the step that failed.

A rerun is a run of its own, so that what happened stays readable. From the failed step it copies the steps that had
succeeded, with their results.
"""

from __future__ import annotations

from typing import TYPE_CHECKING
from uuid import UUID

from django.db import connection, transaction

from jobs import queue
from jobs.live.announcer import announce
from orchestration.language import from_json
from orchestration.library import Recipe, read_recipes
from orchestration.manual import PRIORITY
from orchestration.models import Run, RunStep
from orchestration.run_state import NewRun, Step
from orchestration.runs import advance_runs, start_runs
from orchestration.states import RunStatus, StepState

if TYPE_CHECKING:
    from django.contrib.auth.models import AbstractBaseUser


class CannotRerun(ValueError):
    """Why a run can't be run again, as a code: unfinished, nothing_failed, recipe_gone, does_not_compile, changed."""


def cancel(run_id: UUID) -> bool:
    """Ask a run to stop: its waiting job ends at once, its running program is stopped. False when it is over."""
    with transaction.atomic(), connection.cursor() as cursor:
        if not Run.objects.filter(pk=run_id, status=RunStatus.RUNNING).select_for_update().exists():
            return False
        cursor.execute(
            """UPDATE orchestration_runs SET cancel_requested_at = coalesce(cancel_requested_at, now())
               WHERE id = %(id)s""",
            {"id": run_id},
        )
        jobs = RunStep.objects.filter(run_id=run_id, state=StepState.STARTED).values_list("job_id", flat=True)
        changed = queue.cancel(cursor, [id for id in jobs if id is not None])
        announce("job", [job.id for job in changed])
        advance_runs(cursor, [run_id])
    return True


def rerun(run_id: UUID, *, user: AbstractBaseUser | None = None, new_text: bool = True) -> UUID:
    """Run it whole again with the values it had; the new run's id. `new_text`: the recipe as it is now, else as it was.

    Raises Run.DoesNotExist, CannotRerun.
    """
    return _again(run_id, user, new_text=new_text, copied=False)


def retry_from_failed(run_id: UUID, *, user: AbstractBaseUser | None = None, new_text: bool = True) -> UUID:
    """Run on from the step that failed. A recipe whose earlier steps have changed since can only be run whole.

    Raises Run.DoesNotExist, CannotRerun.
    """
    return _again(run_id, user, new_text=new_text, copied=True)


@transaction.atomic
def _again(run_id: UUID, user: AbstractBaseUser | None, *, new_text: bool, copied: bool) -> UUID:
    old = Run.objects.get(pk=run_id)
    if old.status == RunStatus.RUNNING:
        raise CannotRerun("unfinished")
    if copied and old.status == RunStatus.COMPLETED:
        raise CannotRerun("nothing_failed")
    with connection.cursor() as cursor:
        recipe = _recipe(old) if not new_text else read_recipes(cursor, [_recipe_id(old)]).get(_recipe_id(old))
        if recipe is None:
            raise CannotRerun("does_not_compile")
        new = NewRun(
            recipe=recipe,
            collection_id=old.collection_id,
            trigger_event=old.trigger["trigger_event"],
            op=old.trigger["trigger_context"]["op"],
            variables=old.variables,
            node_id=old.node_id,
            chain=[UUID(id) for id in old.trigger["cascade_chain"]],
            upstream_orchestration_id=_upstream(old),
            rerun_of=old.pk,
            user_id=user.pk if user else None,
            priority=PRIORITY,
            copied=_succeeded(old, recipe) if copied else (),
        )
        return start_runs(cursor, [new])[0]


def _recipe_id(old: Run) -> UUID:
    if old.orchestration_id is None:
        raise CannotRerun("recipe_gone")
    return old.orchestration_id


def _recipe(old: Run) -> Recipe:
    return Recipe(_recipe_id(old), old.title, old.version, old.language, old.compiled, from_json(old.compiled))


def _upstream(old: Run) -> UUID | None:
    value = old.trigger["trigger_context"]["upstream_orchestration_id"]
    return UUID(value) if value else None


def _succeeded(old: Run, recipe: Recipe) -> list[Step]:
    """The alternatives that had succeeded, as steps of the new run."""
    rows = list(old.steps.filter(state=StepState.SUCCEEDED, step__gt=0).order_by("step"))
    before = from_json(old.compiled).steps[: len(rows)]
    if [step.alternatives for step in before] != [step.alternatives for step in recipe.plan.steps[: len(rows)]]:
        raise CannotRerun("changed")
    return [
        Step(
            step=row.step,
            alternative=row.alternative,
            tool=row.tool,
            line=row.line,
            text=row.text,
            job_type=row.job_type,
            params=row.params,
            state=StepState.SUCCEEDED,
            result=row.result,
            exit_code=row.exit_code,
            job_id=row.job_id,
            copied=True,
            is_new_copy=True,
            started_at=row.started_at,
            finished_at=row.finished_at,
        )
        for row in rows
    ]
