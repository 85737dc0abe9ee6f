"""What a person does to jobs, for the admin and the API alike: one way in, each job checked again when it happens."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from itertools import islice
from typing import TYPE_CHECKING, Any
from uuid import UUID

from django.contrib.admin.models import CHANGE, DELETION, LogEntry
from django.db import connection, transaction
from django.utils.translation import gettext_lazy as _
from django.utils.translation import gettext_noop, ngettext

from jobs import queue
from jobs.display import Shown, shown
from jobs.live.announcer import announce
from jobs.models import Job
from jobs.queue import Changed
from jobs.registries import registries
from jobs.states import FINISHED, WAITING, Status, sources

if TYPE_CHECKING:
    from django.contrib.auth.models import AbstractUser

CHUNK = 1_000
"""Jobs per transaction, so that a selection of all filtered jobs never holds locks for long."""

Value = datetime | int | None
"""What an operation is told beyond the jobs: a time to defer to, a priority, or nothing."""


@dataclass(frozen=True)
class Operation:
    """Something that a person does to jobs which are in one of `states`; to others it does nothing, and says so."""

    name: str
    permission: str
    states: tuple[Status, ...]
    button: Any
    question: Any
    audit: str
    run: Callable[[Any, Iterable[UUID], Any], list[Changed]]
    done: Callable[[int], str]
    takes: str = ""
    """What it needs to be told: "until" (a time), "priority" (0–10) or nothing."""


RETRY = Operation(
    name="retry",
    permission="jobs.retry_job",
    states=sources("retry"),
    button=_("Retry"),
    question=_("Failed jobs, and jobs that wait to retry, become due now."),
    audit=gettext_noop("Retried."),
    run=lambda cursor, ids, _value: queue.retry(cursor, ids),
    done=lambda count: ngettext("%(count)d job is due now.", "%(count)d jobs are due now.", count),
)
CANCEL = Operation(
    name="cancel",
    permission="jobs.cancel_job",
    states=sources("cancel"),
    button=_("Cancel"),
    question=_("Waiting jobs end at once. The programs of running jobs are stopped."),
    audit=gettext_noop("Cancelled."),
    run=lambda cursor, ids, _value: queue.cancel(cursor, ids),
    done=lambda count: ngettext("%(count)d job cancelled.", "%(count)d jobs cancelled.", count),
)
RUN_NOW = Operation(
    name="run_now",
    permission="jobs.run_now_job",
    states=WAITING,
    button=_("Run now"),
    question=_("Waiting jobs that are not due yet become due now."),
    audit=gettext_noop("Made due now."),
    run=lambda cursor, ids, _value: queue.run_now(cursor, ids),
    done=lambda count: ngettext("%(count)d job is due now.", "%(count)d jobs are due now.", count),
)
DEFER = Operation(
    name="defer",
    permission="jobs.defer_job",
    states=WAITING,
    button=_("Defer"),
    question=_("Waiting jobs do not start before the time that you choose."),
    audit=gettext_noop("Deferred."),
    run=queue.snooze,
    done=lambda count: ngettext("%(count)d job deferred.", "%(count)d jobs deferred.", count),
    takes="until",
)
PRIORITISE = Operation(
    name="prioritise",
    permission="jobs.prioritise_job",
    states=WAITING,
    button=_("Change priority"),
    question=_("Waiting jobs get the priority that you choose; 10 is the most urgent."),
    audit=gettext_noop("Priority changed."),
    run=queue.reprioritise,
    done=lambda count: ngettext("%(count)d job got another priority.", "%(count)d jobs got another priority.", count),
    takes="priority",
)
DISCARD = Operation(
    name="discard",
    permission="jobs.delete_job",
    states=FINISHED,
    button=_("Delete"),
    question=_("Finished jobs are deleted for good, with their attempts and logs."),
    audit=gettext_noop("Deleted."),
    run=lambda cursor, ids, _value: queue.discard(cursor, ids),
    done=lambda count: ngettext("%(count)d job deleted.", "%(count)d jobs deleted.", count),
)
OPERATIONS = {operation.name: operation for operation in (RETRY, CANCEL, RUN_NOW, DEFER, PRIORITISE, DISCARD)}


@dataclass
class Result:
    """What became of the chosen jobs: how many changed, and why the others did not, by the state they were in."""

    changed: int = 0
    skipped: Counter[str] = field(default_factory=Counter)


def may(user: Any, operation: Operation) -> bool:
    """Whether `user` has the right to it at all."""
    return bool(user.has_perm(operation.permission))


def perform(operation: Operation, user: AbstractUser, ids: Iterable[UUID], value: Value = None) -> Result:
    """Do it to each of the jobs that `user` may see and that are in the right state; in pieces, each in one go.

    Raises PermissionError when the user has not the right.
    """
    if not may(user, operation):
        raise PermissionError(f"{operation.permission} is needed")
    result = Result()
    for piece in pieces(ids):
        changed = perform_piece(operation, user, piece, value, result)
        result.changed += len(changed)
    return result


def perform_piece(
    operation: Operation, user: AbstractUser, ids: Sequence[UUID], value: Value, result: Result
) -> list[Changed]:
    with transaction.atomic():
        # Asked again here: between the page and this moment access may have been lost and states have changed.
        visible = Job.objects.visible_to(user).filter(pk__in=ids).defer("payload", "result").in_bulk()
        with connection.cursor() as cursor:
            changed = operation.run(cursor, list(visible), value)
        done = {job.id for job in changed}
        result.skipped.update(states_of(set(visible) - done))
        log(operation, user, [visible[id] for id in done])
        announce("job", done)
        if operation is not DISCARD:
            transaction.on_commit(lambda: tell_listeners(changed))
    return changed


def states_of(ids: Iterable[UUID]) -> Iterator[str]:
    """The shown state of each of these jobs."""
    rows = Job.objects.filter(pk__in=ids).values_list("status", "outcome", "cancel_requested_at")
    return (shown(status, outcome, asked is not None).value for status, outcome, asked in rows)


def log(operation: Operation, user: AbstractUser, changed: list[Job]) -> None:
    """One audit entry for each job that changed. Deleted jobs keep theirs: it is all that is left of them."""
    if changed:
        flag = DELETION if operation is DISCARD else CHANGE
        LogEntry.objects.log_actions(user.pk, changed, flag, operation.audit)


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
    done = operation.done(result.changed) % {"count": result.changed}
    if not (skipped := result.skipped.total()):
        return done
    why = ", ".join(f"{count} {Shown(state).label}" for state, count in sorted(result.skipped.items()))
    left = ngettext("%(count)d skipped (%(why)s).", "%(count)d skipped (%(why)s).", skipped)
    return f"{done} {left % {'count': skipped, 'why': why}}"
