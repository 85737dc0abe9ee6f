"""Verdicts of single rules, and what they come to for the case."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from enum import StrEnum
from typing import Any, NamedTuple


class Verdict(StrEnum):
    """What a rule came to. An `error` is the rule's own fault, `unknown` a fact that nobody found."""

    MET = "met"
    NOT_MET = "not_met"
    UNKNOWN = "unknown"
    ERROR = "error"
    TIMED_OUT = "timed_out"


class Decision(StrEnum):
    """What the verdicts of the required rules come to."""

    APPROVED = "approved"
    REJECTED = "rejected"
    UNCLEAR = "unclear"


class Judged(NamedTuple):
    """One result. `document` is its id, or "" for a rule about the whole case; `note` says why it is not plain."""

    rule: str
    verdict: Verdict
    required: bool
    document: str = ""
    evidence: Sequence[dict[str, Any]] = ()
    note: str = ""

    def to_json(self) -> dict[str, Any]:
        return {**self._asdict(), "verdict": self.verdict.value, "evidence": list(self.evidence)}


def decide(judged: Iterable[Judged]) -> Decision:
    """Rejected when a required rule is not met; unclear when one has no answer; else approved."""
    required = {one.verdict for one in judged if one.required}
    if Verdict.NOT_MET in required:
        return Decision.REJECTED
    return Decision.APPROVED if required == {Verdict.MET} else Decision.UNCLEAR


def counts(judged: Iterable[Judged]) -> dict[str, int]:
    """How many of each verdict."""
    counted = {verdict.value: 0 for verdict in Verdict}
    for one in judged:
        counted[one.verdict.value] += 1
    return counted
