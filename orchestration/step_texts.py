"""What each alternative of a run says, in the words of its recipe: the step's own, and for its fallbacks what they do."""

from __future__ import annotations

from orchestration.language import Plan, compile_recipe, from_json, print_human
from orchestration.models import Run, RunStep
from orchestration.vocabulary import database_vocabulary

Texts = dict[tuple[int, int], str]
"""By (step, alternative) as in orchestration_run_steps."""


def texts_of(run: Run) -> Texts:
    """A run keeps what its alternatives do, not how they were written: they are printed with the words of now."""
    try:
        plan = from_json(run.compiled)
    except ValueError:
        return {}
    return texts_of_plan(plan, run.language)


def texts_of_plan(plan: Plan, language: str) -> Texts:
    """What each alternative of a plan says, in the words of `language`."""
    words = database_vocabulary()
    found: Texts = {}
    places: dict[int | None, int] = {}
    for line in compile_recipe(print_human(plan, words, language), words).lines:
        alternative = places.get(line.step, 0)
        places[line.step] = alternative + 1
        found[line.step or 0, alternative] = line.text
    return found


def text_of(step: RunStep, texts: Texts) -> str:
    """The author's words for a step, ours for what stands in for it; the tool's name for what neither knows."""
    own = step.text if not step.is_fallback else ""
    return own or texts.get((step.step, step.alternative), "") or step.tool
