"""Work items that somebody outside answers with a script: asked for, taken, answered, approved (docs/drafting.md).

Each function acts for a `user`, who may be an agent's: it raises PermissionError without the right, NotThere for what they
can't see. Nothing of an answer runs before a person has approved it.
"""

from __future__ import annotations

from orchestration.answers.answering import Answered, DoesNotCompile, answer
from orchestration.answers.approving import Approved, CannotApprove, approve, reject
from orchestration.answers.asking import ask_eventually
from orchestration.answers.claiming import Claim, Lost, NotThere, Taken, claim, extend, release, take, waiting

__all__ = [
    "Answered",
    "Approved",
    "CannotApprove",
    "Claim",
    "DoesNotCompile",
    "Lost",
    "NotThere",
    "Taken",
    "answer",
    "approve",
    "ask_eventually",
    "claim",
    "extend",
    "reject",
    "release",
    "take",
    "waiting",
]
