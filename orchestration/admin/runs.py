"""Runs in the admin: what a recipe did, step by step, while it happens and afterwards."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from django.contrib import admin
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest
from django.template.response import TemplateResponse
from django.urls import reverse
from django.utils import timezone
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext_lazy as _

from orchestration.models import Run, RunStep
from synops.graph.admin.bases import ReadOnly, VisibleAdmin, viewer
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
            "trigger": pretty(run.trigger),
            "values": pretty(run.variables),
            "lines": [step_line(step) for step in run.steps.order_by("id")],
            "collection": Node.objects.visible_to(viewer(request)).filter(pk=run.collection_id).first(),
        }
        return TemplateResponse(request, "admin/orchestration/run/run.html", context)

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
        return str(run.trigger.get("trigger_event") or "–")

    @admin.display(description=_("started"))
    def started(self, run: Run) -> str:
        return brief(run.created_at)

    @admin.display(description=_("duration"))
    def took(self, run: Run) -> SafeString:
        return format_html('<span data-field="duration">{}</span>', took(run))

    @admin.display(description=_("reason"))
    def why(self, run: Run) -> str:
        return run.get_reason_display() if run.reason else ""


def took(run: Run) -> str:
    """How long it took, or has taken so far."""
    return duration((run.finished_at or timezone.now()) - run.created_at)


@dataclass(frozen=True)
class StepLine:
    """One alternative of one step as a row of the page."""

    step: RunStep
    took: str
    result: str
    running: bool


def step_line(step: RunStep) -> StepLine:
    end = step.finished_at or timezone.now()
    return StepLine(
        step=step,
        took=duration(end - step.started_at),
        result=pretty(step.result) if step.result is not None else "",
        running=step.finished_at is None,
    )
