"""CEL expressions, by the reference implementation: checked, bounded (10,000 rounds of loops) and free of side effects."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any

from synops.tools.rules.case_data import CaseData
from synops.tools.rules.tasks import Task
from synops.tools.rules.verdicts import Verdict

NAMES = ("case", "document", "documents", "kinds", "facts")
NOTE_CHARACTERS = 500


class CelJudge:
    """Evaluates tasks over one case; its variables are made once and not for each of ten thousand documents."""

    def __init__(self, data: CaseData) -> None:
        self._variables = data.variables()
        self._case = {"case": self._variables["case"], "kinds": self._variables["kinds"]}

    def judge(self, task: Task) -> tuple[Verdict, str]:
        """The verdict, and a note that says why it is an error."""
        if task.document is None:
            return evaluate(task.rule.expression, self._variables)
        return evaluate(task.rule.expression, {**self._case, "document": task.document.seen()})


def evaluate(expression: str, variables: Mapping[str, Any]) -> tuple[Verdict, str]:
    """Whether the expression is true. Never raises: whatever a rule does is a verdict."""
    try:
        found = _compiled(expression).eval(data=dict(variables))
        value = found.value()
    except Exception as error:  # noqa: BLE001 (a rule is data from outside; what it throws is its verdict)
        return Verdict.ERROR, _first_line(str(error))
    if isinstance(value, bool):
        return (Verdict.MET if value else Verdict.NOT_MET), ""
    if str(found.type()) == "ERROR":
        return Verdict.ERROR, _first_line(str(value))
    return Verdict.ERROR, f"the rule gives {_first_line(repr(value))} and not true or false"


def problem(expression: str) -> str | None:
    """What is wrong with an expression before anything is known of a case; None when it compiles."""
    try:
        _compiled(expression)
    except Exception as error:  # noqa: BLE001 (as above)
        return _first_line(str(error))
    return None


@cache
def _compiled(expression: str) -> Any:
    return _environment().compile(expression)


@cache
def _environment() -> Any:
    from cel_expr_python import cel

    return cel.NewEnv(variables=dict.fromkeys(NAMES, cel.Type.DYN))


def _first_line(text: str) -> str:
    return " ".join(text.split())[:NOTE_CHARACTERS]
