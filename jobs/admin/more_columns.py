"""Every other column of `job_queue`, for those who choose it; and what a person has chosen, kept in the session."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from django.contrib import admin
from django.http import HttpRequest
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.text import Truncator
from django.utils.translation import gettext_lazy as _

from jobs.models import Job
from synops.graph.admin.rendering import NOTHING, brief

SESSION_KEY = "job_columns"
USUAL = ("state", "name", "tries", "rank", "created", "took", "note")
CHARACTERS = 120


class MoreJobColumns:
    """Mixed into the admin class; each method is one column that is not shown unless it is chosen."""

    @admin.display(description=_("id"))
    def whole_id(self, job: Job) -> SafeString:
        return format_html('<code class="id">{}</code>', job.pk)

    @admin.display(description=_("collection's id"))
    def place_id(self, job: Job) -> SafeString:
        return format_html('<code class="id">{}</code>', job.collection_node_id)

    @admin.display(description=_("bare status"))
    def bare_status(self, job: Job) -> str:
        return job.status

    @admin.display(description=_("outcome"))
    def ended_how(self, job: Job) -> str:
        return job.get_outcome_display() if job.outcome else NOTHING

    @admin.display(description=_("due"))
    def due(self, job: Job) -> str:
        return brief(job.scheduled_for)

    @admin.display(description=_("started"))
    def started(self, job: Job) -> str:
        return brief(job.started_at)

    @admin.display(description=_("finished"))
    def finished(self, job: Job) -> str:
        return brief(job.completed_at)

    @admin.display(description=_("payload"))
    def shown_payload(self, job: Job) -> str:
        return shortened(job.payload)

    @admin.display(description=_("result"))
    def shown_result(self, job: Job) -> str:
        return shortened(job.result)

    @admin.display(description=_("error"))
    def error(self, job: Job) -> str:
        return Truncator(job.error_msg or NOTHING).chars(CHARACTERS)

    @admin.display(description=_("worker"))
    def runs_on(self, job: Job) -> str:
        return str(job.worker_id or NOTHING)

    @admin.display(description=_("cancel asked for"))
    def cancel_asked(self, job: Job) -> str:
        return brief(job.cancel_requested_at)

    @admin.display(description=_("interruptions"))
    def interrupted(self, job: Job) -> str:
        return str(job.interruptions)

    @admin.display(description=_("run"))
    def of_run(self, job: Job) -> str:
        return str(job.run_id or NOTHING)

    @admin.display(description=_("chain"))
    def carried_chain(self, job: Job) -> str:
        return ", ".join(str(id)[:8] for id in job.chain or ()) or NOTHING

    @admin.display(description=_("retry on"))
    def retried_on(self, job: Job) -> str:
        return job.get_retry_on_display()

    @admin.display(description=_("dedupe key"))
    def dedupe(self, job: Job) -> str:
        return job.dedupe_key or NOTHING

    @admin.display(description=_("order key"))
    def order(self, job: Job) -> str:
        return job.order_key or NOTHING

    @admin.display(description=_("lease"))
    def under_lease(self, job: Job) -> str:
        return str(job.lease)

    @admin.display(description=_("claim number"))
    def claimed_as(self, job: Job) -> str:
        return str(job.claim_no or NOTHING)


MORE = tuple(name for name in vars(MoreJobColumns) if not name.startswith("_"))


def shortened(value: Any) -> str:
    """The beginning of a JSON value."""
    return NOTHING if value is None else Truncator(json.dumps(value, ensure_ascii=False, default=str)).chars(CHARACTERS)


def chosen_columns(request: HttpRequest) -> tuple[str, ...]:
    """The columns that this person wants, in the order of the table. The name is always there: it leads to the page."""
    session = getattr(request, "session", {})
    wanted = session.get(SESSION_KEY) or USUAL
    return tuple(name for name in (*USUAL, *MORE) if name in wanted or name == "name")


def keep_columns(request: HttpRequest, wanted: Sequence[str]) -> None:
    """Remember the choice; nothing chosen means the usual ones."""
    request.session[SESSION_KEY] = [name for name in wanted if name in (*USUAL, *MORE)]
