"""The states of a job, how a finished one ended, and every transition there is.

This table is the one place that says so: the queue, the admin, the API and docs/job-lifecycle.md read it.
"""

from __future__ import annotations

from dataclasses import dataclass

from django.db.models import TextChoices
from django.utils.translation import gettext_lazy as _


class Status(TextChoices):
    """The spec's five states (PostgreSQL enum `job_status`)."""

    PENDING = "pending", _("waiting")
    RUNNING = "running", _("running")
    COMPLETED = "completed", _("completed")
    ERROR = "error", _("failed")
    RETRY = "retry", _("waiting to retry")


class Outcome(TextChoices):
    """How a finished job, or an attempt at it, ended."""

    SUCCEEDED = "succeeded", _("succeeded")
    FAILED = "failed", _("failed")
    TIMED_OUT = "timed_out", _("ran out of time")
    CANCELLED = "cancelled", _("cancelled")
    EXCLUDED = "excluded", _("excluded")
    LOST = "lost", _("worker lost")


WAITING = (Status.PENDING, Status.RETRY)
UNFINISHED = (Status.PENDING, Status.RETRY, Status.RUNNING)
FINISHED = (Status.COMPLETED, Status.ERROR)


@dataclass(frozen=True)
class Transition:
    """One arrow: what it is called, from which state to which, who makes it and when."""

    name: str
    source: Status | None
    target: Status
    by: str
    when: str


TRANSITIONS: tuple[Transition, ...] = (
    Transition("enqueue", None, Status.PENDING, "anyone with the right", "a job is asked for"),
    Transition("claim", Status.PENDING, Status.RUNNING, "worker", "due, and everything has room for it"),
    Transition("claim", Status.RETRY, Status.RUNNING, "worker", "due again, and everything has room for it"),
    Transition("finish", Status.RUNNING, Status.COMPLETED, "worker", "succeeded, or excluded"),
    Transition("fail", Status.RUNNING, Status.RETRY, "worker", "failed with attempts left; waits 30 s × 2^(n−1)"),
    Transition("fail", Status.RUNNING, Status.ERROR, "worker", "failed at the last attempt, or permanently"),
    Transition("give back", Status.RUNNING, Status.PENDING, "worker", "interrupted by a shutdown; burns no attempt"),
    Transition("rescue", Status.RUNNING, Status.PENDING, "another worker", "its worker's heartbeat is too old"),
    Transition("rescue", Status.RUNNING, Status.ERROR, "another worker", "lost more than three times, or cancelled"),
    Transition("cancel", Status.PENDING, Status.ERROR, "a person", "cancelled before it ran"),
    Transition("cancel", Status.RETRY, Status.ERROR, "a person", "cancelled between attempts"),
    Transition("cancel", Status.RUNNING, Status.ERROR, "worker", "a person asked; the program has been stopped"),
    Transition("retry", Status.ERROR, Status.PENDING, "a person", "by hand; raises max_attempts when exhausted"),
    Transition("retry", Status.RETRY, Status.PENDING, "a person", "by hand, without waiting for the backoff"),
)


def allowed(name: str, source: Status) -> bool:
    """Whether the transition `name` may start in `source`."""
    return any(t.name == name and t.source == source for t in TRANSITIONS)


def sources(name: str) -> tuple[Status, ...]:
    """The states in which the transition `name` may start, each once, in the table's order."""
    found = (t.source for t in TRANSITIONS if t.name == name and t.source is not None)
    return tuple(dict.fromkeys(found))
