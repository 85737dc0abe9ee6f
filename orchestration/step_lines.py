"""One alternative of a run as lines for a terminal: command, duration, result."""

from __future__ import annotations

import json

from orchestration.models import RunStep
from orchestration.states import Reason, StepState
from orchestration.watching import command_of, seconds_of

RESULT_CHARACTERS = 160
_MARK = {StepState.SUCCEEDED: "✓", StepState.FAILED: "✗", StepState.EXCLUDED: "–", StepState.CANCELLED: "–"}


def step_line(step: RunStep) -> str:
    """Two lines: what ran and for how long; what came of it."""
    mark = _MARK.get(StepState(step.state), " ")
    where = "recipe's fallback" if step.step == 0 else f"step {step.step}"
    which = f", alternative {step.alternative + 1}" if step.alternative else ""
    return f"{mark} {where}{which}: {command_of(step)}  ({seconds_of(step):.1f} s)\n    {outcome(step)}"


def outcome(step: RunStep) -> str:
    """The result in short, or why there is none."""
    if step.state == StepState.SUCCEEDED:
        text = json.dumps(step.result, ensure_ascii=False)
        return text if len(text) <= RESULT_CHARACTERS else text[: RESULT_CHARACTERS - 1] + "…"
    said = step.error.strip().splitlines()
    reason = f"{step.state} ({Reason(step.reason).value or 'no reason given'})"
    code = f", exit code {step.exit_code}" if step.exit_code is not None else ""
    return f"{reason}{code}: {said[-1]}" if said else reason + code
