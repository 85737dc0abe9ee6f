"""What a person, or an agent of theirs, does with work items: each checks the right, acts, and leaves an audit entry.

Pages and API call these; what they stand on is `orchestration.answers` and `orchestration.work_items`.
"""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING
from uuid import UUID

from django.contrib.admin.models import CHANGE, LogEntry
from django.db import transaction
from django.utils.translation import gettext_noop

from orchestration import answers, work_items
from orchestration.answers.claiming import visible
from orchestration.models import WorkItem

if TYPE_CHECKING:
    from django.contrib.auth.models import AbstractBaseUser

CLOSE = "orchestration.close_workitem"


@transaction.atomic
def claim(user: AbstractBaseUser, item_id: UUID, *, seconds: float) -> answers.Claim:
    """Take an item to answer it. Raises what `answers.claim` raises."""
    held = answers.claim(user, item_id, seconds=seconds)
    _audit(user, item_id, gettext_noop("Taken."))
    return held


@transaction.atomic
def take(user: AbstractBaseUser, item_id: UUID, *, seconds: float) -> datetime:
    """Take any open item; until when. Raises PermissionError, NotThere, Taken."""
    _lease, until = answers.take(user, item_id, seconds=seconds)
    _audit(user, item_id, gettext_noop("Taken."))
    return until


@transaction.atomic
def keep(user: AbstractBaseUser, item_id: UUID, lease: int, *, seconds: float) -> datetime:
    """Hold it for longer; until when. Raises PermissionError, NotThere, Lost."""
    until = answers.extend(user, item_id, lease, seconds=seconds)
    _audit(user, item_id, gettext_noop("Kept for longer."))
    return until


@transaction.atomic
def give_back(user: AbstractBaseUser, item_id: UUID, lease: int) -> None:
    """Let others take it at once. Raises PermissionError, NotThere, Lost."""
    answers.release(user, item_id, lease)
    _audit(user, item_id, gettext_noop("Given back."))


@transaction.atomic
def answer(user: AbstractBaseUser, item_id: UUID, lease: int, text: str, *, note: str = "") -> answers.Answered:
    """Answer it with a script. Raises PermissionError, NotThere, Lost, DoesNotCompile."""
    given = answers.answer(user, item_id, lease, text, note=note)
    _audit(user, item_id, gettext_noop("Answered."))
    return given


@transaction.atomic
def approve(
    user: AbstractBaseUser, item_id: UUID, *, activate: bool = False, over_newer: bool = False
) -> answers.Approved:
    """Make the answer the recipe's text. Raises PermissionError, NotThere, CannotApprove, CannotActivate."""
    approved = answers.approve(user, item_id, activate=activate, over_newer=over_newer)
    _audit(user, item_id, gettext_noop("Answer approved."))
    return approved


@transaction.atomic
def reject(user: AbstractBaseUser, item_id: UUID, note: str) -> None:
    """Send the answer back with a reason. Raises PermissionError, NotThere, CannotApprove."""
    answers.reject(user, item_id, note)
    _audit(user, item_id, gettext_noop("Answer sent back."))


@transaction.atomic
def close(user: AbstractBaseUser, item_id: UUID) -> bool:
    """Close it; False when it is closed already. Raises PermissionError, NotThere."""
    visible(user, item_id, CLOSE)
    if not work_items.close(item_id, by=user.pk):
        return False
    _audit(user, item_id, gettext_noop("Closed."))
    return True


@transaction.atomic
def reopen(user: AbstractBaseUser, item_id: UUID) -> bool:
    """Open it again; False when it is open, or its trouble has an open one already. Raises PermissionError, NotThere."""
    visible(user, item_id, CLOSE)
    if not work_items.reopen(item_id):
        return False
    _audit(user, item_id, gettext_noop("Opened again."))
    return True


def _audit(user: AbstractBaseUser, item_id: UUID, said: str) -> None:
    LogEntry.objects.log_actions(user.pk, [WorkItem.objects.get(pk=item_id)], CHANGE, said)
