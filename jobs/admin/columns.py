"""The cells of the job list. `data-field` names what the live view changes in place."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from django.contrib import admin
from django.contrib.admin.helpers import ACTION_CHECKBOX_NAME
from django.db.models import QuerySet
from django.urls import reverse
from django.utils import timezone
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from jobs.display import Shown, shown
from jobs.live.job_topic import ERROR_CHARACTERS
from jobs.models import Job
from jobs.operations import CANCEL, RETRY, Operation
from synops.graph.admin.rendering import badge, brief, duration

FEW = 10


def state_of(job: Job) -> Shown:
    """The state that a badge shows."""
    return shown(job.status, job.outcome, job.cancel_requested_at is not None)


def cancellable(job: Job) -> bool:
    """Whether asking to cancel would do something: a running job is asked once."""
    return job.status in CANCEL.states and job.cancel_requested_at is None


def fits(operation: Operation, job: Job) -> bool:
    """Whether the operation would do something to the job as it is."""
    return cancellable(job) if operation is CANCEL else job.status in operation.states


def ran_for(job: Job) -> timedelta | None:
    """How long the last attempt took, or has taken so far."""
    if job.started_at is None or job.status in ("pending", "retry"):
        return None
    return (job.completed_at or timezone.now()) - job.started_at


def few(rows: QuerySet[Job]) -> list[tuple[Job, Shown]]:
    """The first of the chosen jobs with their states, for the page that asks."""
    return [(job, state_of(job)) for job in rows.defer("payload", "result").order_by("-created_at", "-id")[:FEW]]


def address(job: Job, page: str) -> str:
    """Of a page of the job. Three are in each row, and resolving them one by one is a tenth of the list's time."""
    return f"{reverse('admin:jobs_job_changelist')}{job.pk}/{page}/"


class JobColumns:
    """Mixed into the admin class; each method is one column."""

    list_display: Any

    def action_checkbox(self, job: Job) -> SafeString:
        """Django's own, without a template for each row: that is a sixth of the list's time."""
        return format_html(
            '<input type="checkbox" name="{}" value="{}" class="action-select" aria-label="{}">',
            ACTION_CHECKBOX_NAME,
            job.pk,
            format_html(gettext("Select this object for an action - {}"), job),
        )

    @admin.display(description=_("status"))
    def state(self, job: Job) -> SafeString:
        state = state_of(job)
        return badge(state.value, state.label, "state")

    @admin.display(description=_("job"))
    def name(self, job: Any) -> SafeString:
        """The type, which leads to the job's page, above the collection that it belongs to."""
        return format_html(
            '<a class="job-type" href="{}">{}</a> <span class="job-place">{}</span>',
            address(job, "change"),
            job.job_type,
            job.collection_title or str(job.collection_node_id)[:8],
        )

    @admin.display(description=_("attempts"))
    def tries(self, job: Job) -> SafeString:
        return format_html('<span data-field="attempts">{}/{}</span>', job.attempts, job.max_attempts)

    @admin.display(description=_("priority"))
    def rank(self, job: Job) -> SafeString:
        return format_html('<span data-field="priority">{}</span>', job.priority)

    @admin.display(description=_("created"))
    def created(self, job: Job) -> str:
        return brief(job.created_at)

    @admin.display(description=_("duration"))
    def took(self, job: Job) -> SafeString:
        return format_html('<span data-field="duration" data-format="duration">{}</span>', duration(ran_for(job)))

    @admin.display(description=_("note"))
    def note(self, job: Any) -> SafeString:
        """What the program says while it runs, the error afterwards; both come from outside and are only text."""
        text = (job.message if job.status == "running" else None) or (job.error_msg or "")[:ERROR_CHARACTERS]
        percent = round(job.progress * 100) if job.status == "running" and job.progress is not None else None
        shown_percent = "" if percent is None else f"{percent} %"
        return format_html(
            '<span class="note"><span data-field="progress" data-format="percent">{}</span> '
            '<span data-field="message">{}</span></span>',
            shown_percent,
            text,
        )

    @admin.display(description=_("actions"))
    def buttons(self, job: Job) -> SafeString:
        """Buttons of the list's own form, each with its own address; the live view shows those that fit."""
        return format_html_join(
            " ",
            '<button type="submit" class="row-button" formaction="{}" formnovalidate data-when="{}"{}>{}</button>',
            (
                (
                    address(job, operation.name),
                    " ".join(operation.states),
                    "" if fits else SafeString(" hidden"),
                    operation.button,
                )
                for operation, fits in (
                    (RETRY, job.status in RETRY.states),
                    (CANCEL, cancellable(job)),
                )
            ),
        )
