"""What a person, or a program on their behalf, may do with runs: each checks the right, acts, and leaves an audit entry.

Pages and API call these; commands and tests, which act for the system, call what they stand on.
"""

from __future__ import annotations

from typing import TYPE_CHECKING
from uuid import UUID

from django.contrib.admin.models import ADDITION, CHANGE, LogEntry
from django.db import transaction
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from orchestration import manual, reruns
from orchestration.drafting.dream import run_what_exists
from orchestration.manual import Wish
from orchestration.models import Run

if TYPE_CHECKING:
    from django.contrib.auth.models import AbstractBaseUser

START = "orchestration.run_orchestration"
CANCEL = "orchestration.cancel_run"
RERUN = "orchestration.rerun_run"


class UnknownRun(LookupError):
    """There is no such run that the user may see."""


@transaction.atomic
def start(user: AbstractBaseUser, wish: Wish) -> UUID:
    """Start a recipe by hand; the run's id. `wish.user` must be the user. Raises PermissionError, CannotRun."""
    _may(user, START)
    if wish.user != user:
        raise PermissionError("a run is started in one's own name")
    run_id = manual.start(wish)
    _audit(user, run_id, ADDITION, gettext_noop("Started by hand."))
    return run_id


@transaction.atomic
def start_what_exists(user: AbstractBaseUser, wish: Wish, script: str) -> UUID:
    """Start the steps of a partial script that the tools of now can do, once; the run's id. Raises as `start` does."""
    _may(user, START)
    if wish.user != user:
        raise PermissionError("a run is started in one's own name")
    run_id = run_what_exists(wish, script)
    _audit(user, run_id, ADDITION, gettext_noop("What exists was started by hand."))
    return run_id


@transaction.atomic
def cancel(user: AbstractBaseUser, run_id: UUID) -> bool:
    """Ask a run to stop; False when it is over already. Raises PermissionError, UnknownRun."""
    _may(user, CANCEL, run_id)
    if not reruns.cancel(run_id):
        return False
    _audit(user, run_id, CHANGE, gettext_noop("Cancelled."))
    return True


@transaction.atomic
def rerun(user: AbstractBaseUser, run_id: UUID) -> UUID:
    """Run it whole again, with the recipe as it is now; the new run's id. Raises PermissionError, UnknownRun, CannotRerun."""
    _may(user, RERUN, run_id)
    new = reruns.rerun(run_id, user=user)
    _audit(user, new, ADDITION, gettext_noop("Run again."))
    return new


@transaction.atomic
def continue_from_failed(user: AbstractBaseUser, run_id: UUID) -> UUID:
    """Go on from the step that failed; the new run's id. Raises PermissionError, UnknownRun, CannotRerun."""
    _may(user, RERUN, run_id)
    new = reruns.retry_from_failed(run_id, user=user)
    _audit(user, new, ADDITION, gettext_noop("Continued from the failed step."))
    return new


def why_not(problem: reruns.CannotRerun) -> str:
    """The sentence for a person."""
    said = {
        "unfinished": _("The run is not over yet."),
        "nothing_failed": _("No step of the run has failed."),
        "recipe_gone": _("The recipe was deleted."),
        "does_not_compile": _("The recipe does not compile. Correct it first."),
        "changed": _("The recipe's earlier steps have changed since. It can only be run whole."),
    }
    return said.get(str(problem), str(problem))


def _may(user: AbstractBaseUser, permission: str, run_id: UUID | None = None) -> None:
    if not getattr(user, "has_perm", lambda _: False)(permission):
        raise PermissionError(f"{permission} is needed")
    if run_id is not None and not Run.objects.visible_to(user).filter(pk=run_id).exists():
        raise UnknownRun(f"there is no run {run_id}")


def _audit(user: AbstractBaseUser, run_id: UUID, flag: int, said: str) -> None:
    LogEntry.objects.log_actions(user.pk, [Run.objects.get(pk=run_id)], flag, said)
