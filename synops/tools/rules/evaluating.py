"""One evaluation: every rule of a rule set put to a case, with a verdict each whatever the rule does."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from synops.tools.rules.case_data import CaseData
from synops.tools.rules.cel import CelJudge
from synops.tools.rules.rule_sets import RuleSet
from synops.tools.rules.sandbox import judge_all
from synops.tools.rules.tasks import Task, settled, tasks_of
from synops.tools.rules.verdicts import Judged

if TYPE_CHECKING:
    from synops.tools.call import Call

Ask = Callable[["Call", Task, CaseData], Judged]


def evaluate(call: Call, rules: RuleSet, data: CaseData, seconds: float) -> list[Judged]:
    """All verdicts in the rule set's order. `seconds` is what one CEL rule may take on one document."""
    tasks = list(tasks_of(rules, data))
    judged = {at: done for at, task in enumerate(tasks) if (done := settled(task, data)) is not None}
    open_tasks = [(at, task) for at, task in enumerate(tasks) if at not in judged]
    expressions = [(at, task) for at, task in open_tasks if task.rule.kind == "cel"]
    call.progress(0.1, f"evaluating {len(tasks)} rules and documents")
    found = judge_all([task for _, task in expressions], lambda: CelJudge(data).judge, seconds)
    for (at, task), (verdict, note) in zip(expressions, found, strict=True):
        judged[at] = task.judged(data, verdict, note)
    questions = [(at, task) for at, task in open_tasks if task.rule.kind == "llm"]
    for number, (at, task) in enumerate(questions):
        call.progress(0.2 + 0.7 * number / len(questions), f"asking a model about rule {task.rule.id}")
        judged[at] = _asked(call, task, data)
    return [judged[at] for at in range(len(tasks))]


def _asked(call: Call, task: Task, data: CaseData) -> Judged:
    """Imported when it is needed: most rule sets ask no model."""
    from synops.tools.rules.asking import judge

    return judge(call, task, data)
