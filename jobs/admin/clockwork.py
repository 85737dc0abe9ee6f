"""Schedules and pipeline steps: shown as they are."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.contrib import admin
from django.db.models import QuerySet
from django.utils.translation import gettext_lazy as _

from jobs.models import PipelineStep, Schedule
from synops.graph.access import only_readable
from synops.graph.admin.bases import PlainAdmin, ReadOnly, VisibleAdmin
from synops.graph.admin.rendering import badge, json_block, moment

if TYPE_CHECKING:
    from synops.graph.access import Viewer


class ScheduleAdmin(ReadOnly, VisibleAdmin):
    """Cron entries of the collections that the viewer has access to."""

    list_display = ("name", "cron", "timezone", "job_type", "collection_node", "state", "last_tick")
    list_select_related = ("collection_node",)
    ordering = ("name",)
    sortable_by = ()
    fields = (
        "name",
        "description",
        "cron",
        "timezone",
        "job_type",
        "shown_payload",
        "priority",
        "collection_node",
        "state",
        "last_tick",
    )

    def visible_rows(self, rows: QuerySet[Any], user: Viewer) -> QuerySet[Any]:
        return only_readable(rows, user, "collection_node_id")

    @admin.display(description=_("state"))
    def state(self, schedule: Schedule) -> str:
        if schedule.orphaned:
            return badge("failed", _("orphaned"))
        if not schedule.enabled:
            return badge("cancelled", _("switched off"))
        return badge("excluded", _("dormant")) if schedule.dormant else badge("succeeded", _("on"))

    @admin.display(description=_("last tick"))
    def last_tick(self, schedule: Schedule) -> str:
        return moment(schedule.last_tick_at)

    @admin.display(description=_("payload"))
    def shown_payload(self, schedule: Schedule) -> str:
        return json_block(schedule.payload)


class PipelineStepAdmin(ReadOnly, PlainAdmin):
    """Claims of pipeline steps. They belong to no collection, so the permission alone decides."""

    list_display = ("pipeline", "unit", "generation", "step", "shown_state", "attempt", "changed")
    list_filter = ("state",)
    ordering = ("-id",)
    sortable_by = ()
    fields = (
        "pipeline",
        "unit",
        "generation",
        "step",
        "shown_state",
        "attempt",
        "shown_payload",
        "shown_result",
        "error",
        "job_id",
        "changed",
    )

    @admin.display(description=_("state"))
    def shown_state(self, step: PipelineStep) -> str:
        code = {"permanently_failed": "failed"}.get(step.state, step.state)
        return badge(code, step.get_state_display())

    @admin.display(description=_("changed"))
    def changed(self, step: PipelineStep) -> str:
        return moment(step.updated_at)

    @admin.display(description=_("payload"))
    def shown_payload(self, step: PipelineStep) -> str:
        return json_block(step.payload)

    @admin.display(description=_("result"))
    def shown_result(self, step: PipelineStep) -> str:
        return json_block(step.result)
