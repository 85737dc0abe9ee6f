"""The one word that a person sees for the state of a job: status, outcome and a wish to cancel taken together."""

from __future__ import annotations

from django.db.models import TextChoices
from django.utils.translation import gettext_lazy as _

from jobs.states import Outcome, Status


class Shown(TextChoices):
    """What a badge says. The code is its CSS class and travels to the page; the label is translated there."""

    PENDING = "pending", _("waiting")
    RETRY = "retry", _("waiting to retry")
    RUNNING = "running", _("running")
    CANCELLING = "cancelling", _("being cancelled")
    SUCCEEDED = "succeeded", _("completed")
    EXCLUDED = "excluded", _("excluded")
    FAILED = "failed", _("failed")
    TIMED_OUT = "timed_out", _("ran out of time")
    CANCELLED = "cancelled", _("cancelled")
    LOST = "lost", _("worker lost")


def shown(status: str, outcome: str | None, cancelling: bool = False) -> Shown:
    """The state to show; an unfinished job has no outcome yet."""
    if status in (Status.COMPLETED, Status.ERROR):
        return Shown(outcome or (Outcome.SUCCEEDED if status == Status.COMPLETED else Outcome.FAILED))
    if status == Status.RUNNING and cancelling:
        return Shown.CANCELLING
    return Shown(status)
