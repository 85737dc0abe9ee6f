"""What a run does next, from its compiled recipe and its steps so far. Pure: orchestration.runs does it.

Order of things: the step · its own fallbacks · the recipe's *ved feil* · an automatic work item. A fallback that
succeeds counts as its step. Excluded and cancelled end the run as such and start no fallback.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from orchestration.language.plan import Alternative, Plan, PlanStep
from orchestration.states import Reason, RunStatus, StepState

RECIPE_FALLBACK = 0
"""The step number under which the recipe's own *ved feil* is kept."""


class StepLike(Protocol):
    """What is known about one alternative that has been started."""

    @property
    def step(self) -> int: ...
    @property
    def alternative(self) -> int: ...
    @property
    def state(self) -> StepState: ...
    @property
    def reason(self) -> str: ...


@dataclass(frozen=True)
class Wait:
    """Its job has not finished."""


@dataclass(frozen=True)
class Start:
    """Start this alternative. `has_fallback`: another alternative of the same step follows if it fails."""

    step: int
    alternative: int
    action: Alternative
    has_fallback: bool
    line: int = 0
    text: str = ""

    @property
    def is_fallback(self) -> bool:
        return self.step == RECIPE_FALLBACK or self.alternative > 0


@dataclass(frozen=True)
class End:
    """The run is over. `report`: nobody has been told of the failure, so a work item says it."""

    status: RunStatus
    reason: Reason = Reason.NONE
    handled: bool = False
    report: bool = False


Move = Wait | Start | End


def next_move(plan: Plan, steps: Sequence[StepLike], *, cancelled: bool = False, recipe_gone: bool = False) -> Move:
    """The next move of a run whose alternatives so far are `steps`, in the order in which they were started."""
    last = steps[-1] if steps else None
    if last is not None and last.state == StepState.STARTED:
        return Wait()
    if cancelled or (last is not None and last.state == StepState.CANCELLED):
        return End(RunStatus.CANCELLED, Reason.CANCELLED)
    if last is not None and last.state == StepState.EXCLUDED:
        return End(RunStatus.EXCLUDED, Reason.EXCLUDED)
    if last is not None and last.step == RECIPE_FALLBACK and last.state == StepState.SUCCEEDED:
        return End(RunStatus.FAILED, handled=True)
    if last is not None and last.step == len(plan.steps) and last.state == StepState.SUCCEEDED:
        return End(RunStatus.COMPLETED)
    if recipe_gone:
        return End(RunStatus.CANCELLED, Reason.RECIPE_GONE)
    if last is None:
        return _start_step(plan, 1)
    return _start_step(plan, last.step + 1) if last.state == StepState.SUCCEEDED else _after_failure(plan, last)


def _start_step(plan: Plan, step: int) -> Move:
    if step > len(plan.steps):
        return End(RunStatus.COMPLETED)  # a recipe without steps
    return _start(step, 0, plan.steps[step - 1].alternatives, plan.steps[step - 1])


def _after_failure(plan: Plan, last: StepLike) -> Move:
    alternatives = plan.on_failure if last.step == RECIPE_FALLBACK else plan.steps[last.step - 1].alternatives
    if last.alternative + 1 < len(alternatives):
        where = None if last.step == RECIPE_FALLBACK else plan.steps[last.step - 1]
        return _start(last.step, last.alternative + 1, alternatives, where)
    if last.step != RECIPE_FALLBACK and plan.on_failure:
        return _start(RECIPE_FALLBACK, 0, plan.on_failure, None)
    return End(RunStatus.FAILED, _reason(last), report=True)


def _start(step: int, alternative: int, alternatives: Sequence[Alternative], where: PlanStep | None) -> Start:
    return Start(
        step=step,
        alternative=alternative,
        action=alternatives[alternative],
        has_fallback=alternative + 1 < len(alternatives),
        line=where.line if where else 0,
        text=where.text if where else "",
    )


def _reason(last: StepLike) -> Reason:
    return Reason(last.reason) if last.reason in Reason.values else Reason.JOB_FAILED
