"""Which rule is put to what: once to the case, or to each document of its kinds. What needs no evaluation is decided here."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from synops.tools.rules.case_data import CaseData, Document, evidence
from synops.tools.rules.rule_sets import Rule, RuleSet
from synops.tools.rules.verdicts import Judged, Verdict


class Task(NamedTuple):
    """A rule, and the document that it is put to; None = the whole case."""

    rule: Rule
    document: Document | None

    def judged(self, data: CaseData, verdict: Verdict, note: str = "") -> Judged:
        """The result, with the facts that the rule rests on."""
        about = [self.document] if self.document else data.of_kinds(self.rule.documents)
        places = evidence(about, self.rule.evidence)
        document = self.document.id if self.document else ""
        return Judged(self.rule.id, verdict, self.rule.required, document, places, note)


def tasks_of(rules: RuleSet, data: CaseData) -> Iterator[Task]:
    """Every rule with what it is put to, in the rule set's order."""
    for rule in rules.rules:
        if rule.scope == "case":
            yield Task(rule, None)
            continue
        documents = data.of_kinds(rule.documents)
        yield from (Task(rule, document) for document in documents)
        if not documents:
            yield Task(rule, None)


def settled(task: Task, data: CaseData) -> Judged | None:
    """“Unknown” when the rule lacks what it needs; None when it must be evaluated."""
    rule = task.rule
    if rule.scope == "document" and task.document is None:
        return task.judged(data, Verdict.UNKNOWN, f"no document of kind {' or '.join(rule.documents) or 'any'}")
    about = [task.document] if task.document else data.of_kinds(rule.documents)
    missing = [name for name in rule.needs if not any(name in document.facts for document in about)]
    if missing:
        return task.judged(data, Verdict.UNKNOWN, f"not found: {', '.join(missing)}")
    return None
