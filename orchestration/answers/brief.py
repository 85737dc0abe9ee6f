"""What somebody needs to know to answer a work item: the wish or the failure, the recipe, and how scripts are written."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from orchestration.drafting.levels import HIGHEST, level
from orchestration.drafting.prompt import system_prompt
from orchestration.models import Orchestration, Run, RunStep, WorkItem
from orchestration.states import StepState

if TYPE_CHECKING:
    from synops.graph.access import Viewer


def brief(item: WorkItem, viewer: Viewer) -> dict[str, Any]:
    """As JSON. `system_prompt` is the one that models get at the highest effort."""
    recipe = Orchestration.objects.filter(pk=item.metadata.get("orchestration_id") or None).first()
    run_id = str(item.metadata.get("run_id") or "")
    run = Run.objects.filter(pk=run_id).first() if run_id else None
    return {
        "id": str(item.pk),
        "title": item.title,
        "text": item.content,
        "cause": item.metadata.get("cause", ""),
        "times": item.times,
        "rejected": item.metadata.get("rejected"),
        "recipe": _recipe(recipe) if recipe else None,
        "run": _run(run) if run else None,
        "system_prompt": system_prompt(level(effort=HIGHEST), viewer=viewer),
    }


def _recipe(recipe: Orchestration) -> dict[str, Any]:
    return {
        "id": str(recipe.pk),
        "title": recipe.title,
        "text": recipe.content,
        "wish": recipe.metadata.get("wish", ""),
        "executor": recipe.executor.value,
        "state": recipe.state.value,
        "language": recipe.language,
        "version": recipe.version,
        "diagnostics": recipe.diagnostics,
    }


def _run(run: Run) -> dict[str, Any]:
    failed = run.steps.filter(state=StepState.FAILED).order_by("-id").first()
    return {"id": str(run.pk), "status": run.status, "failed": _step(failed) if failed else None}


def _step(step: RunStep) -> dict[str, Any]:
    return {
        "step": step.step,
        "alternative": step.alternative,
        "tool": step.tool,
        "text": step.text,
        "reason": step.reason,
        "exit_code": step.exit_code,
    }
