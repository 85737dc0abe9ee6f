"""Retry and cancel, from the list and from a job's page: one way in, each job checked again when it happens."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import TYPE_CHECKING, Any
from uuid import UUID

from django.contrib.admin.models import CHANGE, LogEntry
from django.db import connection, transaction
from django.utils.translation import gettext_lazy as _
from django.utils.translation import gettext_noop, ngettext

from jobs import queue
from jobs.display import Shown, shown
from jobs.live.announcer import announce
from jobs.models import Job
from jobs.queue import Changed
from jobs.registries import registries
from jobs.states import FINISHED, Status, sources

if TYPE_CHECKING:
    from django.contrib.auth.models import AbstractUser

CHUNK = 1_000
"""Jobs per transaction, so that a selection of all filtered jobs never holds locks for long."""


@dataclass(frozen=True)
class Operation:
    """Something that a person does to jobs. `transition` is its name in the table of states."""

    name: str
    permission: str
    transition: str
    button: Any
    question: Any
    audit: str
    run: Callable[[Any, Iterable[UUID]], list[Changed]]

    @property
    def states(self) -> tuple[Status, ...]:
        """The states in which it does something."""
        return sources(self.transition)


RETRY = Operation(
    name="retry",
    permission="jobs.retry_job",
    transition="retry",
    button=_("Retry"),
    question=_("Failed jobs, and jobs that wait to retry, become due now."),
    audit=gettext_noop("Retried."),
    run=queue.retry,
)
CANCEL = Operation(
    name="cancel",
    permission="jobs.cancel_job",
    transition="cancel",
    button=_("Cancel"),
    question=_("Waiting jobs end at once. The programs of running jobs are stopped."),
    audit=gettext_noop("Cancelled."),
    run=queue.cancel,
)
OPERATIONS = {operation.name: operation for operation in (RETRY, CANCEL)}


@dataclass
class Result:
    """What became of the chosen jobs: how many changed, and why the others did not, by the state they were in."""

    changed: int = 0
    skipped: Counter[str] = field(default_factory=Counter)


def perform(operation: Operation, user: AbstractUser, ids: Iterable[UUID]) -> Result:
    """Do it to each of the jobs that `user` may see and that are in the right state; in pieces, each in one go."""
    result = Result()
    for piece in pieces(ids):
        changed = perform_piece(operation, user, piece, result)
        result.changed += len(changed)
    return result


def perform_piece(operation: Operation, user: AbstractUser, ids: Sequence[UUID], result: Result) -> list[Changed]:
    with transaction.atomic():
        # Asked again here: between the page and this moment access may have been lost and states have changed.
        visible = list(Job.objects.visible_to(user).filter(pk__in=ids).values_list("pk", flat=True))
        with connection.cursor() as cursor:
            changed = operation.run(cursor, visible)
        done = {job.id for job in changed}
        result.skipped.update(states_of(set(visible) - done))
        log(operation, user, done)
        announce("job", done)
        transaction.on_commit(lambda: tell_listeners(changed))
    return changed


def states_of(ids: Iterable[UUID]) -> Iterator[str]:
    """The shown state of each of these jobs."""
    rows = Job.objects.filter(pk__in=ids).values_list("status", "outcome", "cancel_requested_at")
    return (shown(status, outcome, asked is not None).value for status, outcome, asked in rows)


def log(operation: Operation, user: AbstractUser, ids: Iterable[UUID]) -> None:
    """One audit entry for each job that changed."""
    changed = Job.objects.filter(pk__in=list(ids)).defer("payload", "result")
    if changed:
        LogEntry.objects.log_actions(user.pk, changed, CHANGE, operation.audit)


def tell_listeners(changed: Sequence[Changed]) -> None:
    """A job that has ended may be a step of a run, which goes on at once."""
    if ended := [job for job in changed if job.status in FINISHED]:
        for listener in registries.on_finished:
            listener(ended)


def pieces(ids: Iterable[UUID]) -> Iterator[list[UUID]]:
    waiting = iter(ids)
    while piece := list(islice(waiting, CHUNK)):
        yield piece


def sentence(operation: Operation, result: Result) -> str:
    """“3 jobs cancelled, 2 skipped (1 completed, 1 failed)”."""
    done = DONE[operation.name](result.changed) % {"count": result.changed}
    if not (skipped := result.skipped.total()):
        return done
    why = ", ".join(f"{count} {Shown(state).label}" for state, count in sorted(result.skipped.items()))
    left = ngettext("%(count)d skipped (%(why)s).", "%(count)d skipped (%(why)s).", skipped)
    return f"{done} {left % {'count': skipped, 'why': why}}"


DONE: dict[str, Callable[[int], str]] = {
    "retry": lambda count: ngettext("%(count)d job is due now.", "%(count)d jobs are due now.", count),
    "cancel": lambda count: ngettext("%(count)d job cancelled.", "%(count)d jobs cancelled.", count),
}
