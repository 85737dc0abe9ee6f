"""Runs in the admin: what a recipe did, step by step, while it happens and afterwards."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.contrib import admin, messages
from django.core.exceptions import PermissionDenied
from django.db import connection
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.template.response import TemplateResponse
from django.urls import URLPattern, path, reverse
from django.utils import timezone
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import get_language
from django.utils.translation import gettext_lazy as _
from django.views.decorators.http import require_POST

from orchestration import acting
from orchestration.cascade import CASCADE
from orchestration.language.editing import event_in_words
from orchestration.manual import MANUAL
from orchestration.models import Run, RunStep
from orchestration.reports import last_log_lines
from orchestration.reruns import CannotRerun
from orchestration.states import RunStatus, StepState
from orchestration.step_texts import text_of, texts_of
from orchestration.toolbook import ToolBook
from synops.graph.admin.bases import ReadOnly, VisibleAdmin, person, viewer
from synops.graph.admin.rendering import badge, brief, duration, pretty
from synops.graph.models import Node


class RunAdmin(ReadOnly, VisibleAdmin):
    """The runs in collections that the viewer has access to."""

    list_display = ("state", "name", "event", "started", "took", "why")
    list_display_links = None
    list_filter = ("status",)
    ordering = ("-created_at", "-id")
    sortable_by = ()
    change_list_template = "admin/orchestration/run/change_list.html"

    def change_view(self, request: HttpRequest, object_id: str, form_url: str = "", extra_context: Any = None) -> Any:
        run = self.get_object(request, object_id)
        if run is None:
            return self._get_obj_does_not_exist_redirect(request, self.opts, object_id)  # type: ignore[attr-defined]
        if request.method not in ("GET", "HEAD") or not self.has_view_permission(request, run):
            raise PermissionDenied
        context = {
            **self.admin_site.each_context(request),
            "opts": self.opts,
            "title": run.title,
            "original": run,
            "run": run,
            "duration": took(run),
            "started_by": started_by(run),
            "trigger": pretty(run.trigger),
            "values": pretty(run.variables),
            "lines": step_lines(run, with_logs=request.user.has_perm("jobs.view_job")),
            "may_cancel": run.status == RunStatus.RUNNING and request.user.has_perm(acting.CANCEL),
            "may_rerun": run.status != RunStatus.RUNNING and request.user.has_perm(acting.RERUN),
            "may_continue": run.status not in (RunStatus.RUNNING, RunStatus.COMPLETED),
            "collection": Node.objects.visible_to(viewer(request)).filter(pk=run.collection_id).first(),
        }
        return TemplateResponse(request, "admin/orchestration/run/run.html", context)

    def act(self, request: HttpRequest, object_id: UUID, what: str) -> HttpResponse:
        """A button of the run's page. POST only; it leads to the run that is worth looking at next."""
        shown = object_id
        try:
            if what == "cancel":
                acting.cancel(person(request), object_id)
            else:
                again = acting.rerun if what == "rerun" else acting.continue_from_failed
                shown = again(person(request), object_id)
        except (PermissionError, acting.UnknownRun) as refused:
            raise PermissionDenied from refused
        except CannotRerun as problem:
            self.message_user(request, acting.why_not(problem), messages.ERROR)
        return HttpResponseRedirect(reverse("admin:orchestration_run_change", args=[shown]))

    def get_urls(self) -> list[URLPattern]:
        view: Any = self.admin_site.admin_view(require_POST(self.act))
        own = [
            path(f"<uuid:object_id>/{what}/", view, {"what": what}, name=f"orchestration_run_{what}")
            for what in ("cancel", "rerun", "continue")
        ]
        return [*own, *super().get_urls()]

    @admin.display(description=_("status"))
    def state(self, run: Run) -> SafeString:
        return badge(run.status, run.get_status_display(), "state")

    @admin.display(description=_("recipe"))
    def name(self, run: Run) -> SafeString:
        return format_html(
            '<a class="job-type" href="{}">{}</a>', reverse("admin:orchestration_run_change", args=[run.pk]), run.title
        )

    @admin.display(description=_("started by"))
    def event(self, run: Run) -> str:
        return started_by(run)

    @admin.display(description=_("started"))
    def started(self, run: Run) -> str:
        return brief(run.created_at)

    @admin.display(description=_("duration"))
    def took(self, run: Run) -> SafeString:
        return format_html('<span data-field="duration">{}</span>', took(run))

    @admin.display(description=_("reason"))
    def why(self, run: Run) -> str:
        return run.get_reason_display() if run.reason else ""


def started_by(run: Run) -> str:
    """What started it: an event in words, a person or another recipe."""
    event = str(run.trigger.get("trigger_event") or "–")
    hands = {MANUAL: _("a person"), CASCADE: _("another recipe")}
    return str(hands.get(event) or event_in_words(event, get_language() or "nb"))


def took(run: Run) -> str:
    """How long it took, or has taken so far."""
    return duration((run.finished_at or timezone.now()) - run.created_at)


@dataclass(frozen=True)
class StepLine:
    """One alternative of one step as a row of the page."""

    step: RunStep
    text: str
    command: str
    log: str
    took: str
    result: str
    running: bool


def step_lines(run: Run, *, with_logs: bool = False) -> list[StepLine]:
    """In the order in which they were started. Words are looked up only where there are fallbacks, logs of failed ones."""
    steps = list(run.steps.order_by("id"))
    texts = texts_of(run) if any(step.is_fallback for step in steps) else {}
    with connection.cursor() as cursor:
        tools = ToolBook(cursor)
        return [
            step_line(
                step,
                text_of(step, texts),
                tools.command(step.tool, step.params),
                last_log_lines(cursor, step.job_id) if with_logs and step.state == StepState.FAILED else "",
            )
            for step in steps
        ]


def step_line(step: RunStep, text: str, command: Sequence[str] | None, log: str) -> StepLine:
    end = step.finished_at or timezone.now()
    return StepLine(
        step=step,
        text=text,
        command=shlex.join(command) if command else step.tool,
        log=log,
        took=duration(end - step.started_at),
        result=pretty(step.result) if step.result is not None else "",
        running=step.finished_at is None,
    )
