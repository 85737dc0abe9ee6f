"""Units of pipelines and their steps: shown as they are, each only to those who may see its collection."""

from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest
from django.urls import URLPattern, path, reverse
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString
from django.utils.translation import gettext_lazy as _

from jobs.admin.pipelines_page import pipelines_view
from jobs.models import Generation, PipelineStep
from jobs.pipelines.registry import pipelines
from synops.graph.admin.bases import ReadOnly, VisibleAdmin
from synops.graph.admin.rendering import NOTHING, badge, brief, json_block, moment

STEPS_SHOWN = 200

CODES = {"permanently_failed": "failed", "failed": "retry", "superseded": "cancelled"}

REASONS = {
    "failed": _("nothing came of the step %(step)s"),
    "none": _("there was nothing for the step %(step)s to work on"),
    "excluded": _("excluded in the step %(step)s"),
}


def reason_in_words(reason: str) -> str:
    """`failed:extract` as a sentence's end; what is not known is shown as it is."""
    code, _colon, step = reason.partition(":")
    return str(REASONS[code]) % {"step": step} if code in REASONS else reason


def state_badge(row: Generation | PipelineStep) -> SafeString:
    """The state of a unit's run or of a step."""
    return badge(CODES.get(row.state, row.state), row.get_state_display())


def steps_of(generation: Generation) -> Any:
    """The steps of a run, in the order in which they were made. Index: pipeline_steps_once."""
    return PipelineStep.objects.filter(
        pipeline=generation.pipeline, unit=generation.unit, generation=generation.generation
    ).order_by("id")


class PipelineFilter(admin.SimpleListFilter):
    """The declared pipelines: asking the table for its distinct values would read all of it."""

    title = _("pipeline")
    parameter_name = "pipeline"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        return [(one.name, one.name) for one in pipelines()]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        return queryset.filter(pipeline=self.value()) if self.value() else queryset


class StepFilter(admin.SimpleListFilter):
    """The declared steps of all pipelines."""

    title = _("step")
    parameter_name = "step"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        return [(name, name) for name in dict.fromkeys(step.name for one in pipelines() for step in one.steps)]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        return queryset.filter(step=self.value()) if self.value() else queryset


class StateFilter(admin.SimpleListFilter):
    """States; with the pipelines' names, without which no index fits and a rare state would be looked for in every row."""

    title = _("state")
    parameter_name = "state"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, Any]]:
        return list(model_admin.model.State.choices)

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        return queryset.filter(pipeline__in=names(), state=self.value()) if self.value() else queryset


def names() -> list[str]:
    """The names of the declared pipelines."""
    return [one.name for one in pipelines()]


class UnitsAdmin(ReadOnly, VisibleAdmin):
    """What both lists share: a unit is looked for by its whole name, which an index finds."""

    search_fields = ("unit",)
    search_help_text = _("The whole name of a unit.")
    ordering = ("-id",)
    sortable_by = ()

    def get_search_results(
        self, request: HttpRequest, queryset: QuerySet[Any], search_term: str
    ) -> tuple[QuerySet[Any], bool]:
        term = search_term.strip()
        return (queryset.filter(pipeline__in=names(), unit=term) if term else queryset), False


class GenerationAdmin(UnitsAdmin):
    """One run of one unit through a pipeline."""

    list_display = ("unit", "pipeline", "generation", "shown_state", "shown_reason", "cause", "begun", "ended")
    list_filter = (StateFilter, PipelineFilter)
    fields = (
        "pipeline",
        "unit",
        "generation",
        "shown_state",
        "shown_reason",
        "cause",
        "collection_node",
        "begun",
        "ended",
        "shown_steps",
    )

    def get_urls(self) -> list[URLPattern]:
        page = self.admin_site.admin_view(pipelines_view(self))
        return [path("overview/", page, name="pipelines"), *super().get_urls()]

    @admin.display(description=_("state"))
    def shown_state(self, generation: Generation) -> SafeString:
        return state_badge(generation)

    @admin.display(description=_("reason"))
    def shown_reason(self, generation: Generation) -> str:
        return reason_in_words(generation.reason) or NOTHING

    @admin.display(description=_("begun"))
    def begun(self, generation: Generation) -> str:
        return brief(generation.created_at)

    @admin.display(description=_("ended"))
    def ended(self, generation: Generation) -> str:
        return brief(generation.finished_at)

    @admin.display(description=_("steps"))
    def shown_steps(self, generation: Generation) -> SafeString:
        """The first of them; the list of steps has the rest."""
        steps = list(steps_of(generation)[: STEPS_SHOWN + 1])
        lines = format_html_join("", "<tr>{}</tr>", ((self._cells(step),) for step in steps[:STEPS_SHOWN]))
        table = format_html('<div class="scroll" tabindex="0"><table><tbody>{}</tbody></table></div>', lines)
        if len(steps) <= STEPS_SHOWN:
            return table
        more = _("All steps of this unit")
        address = f"{reverse('admin:jobs_pipelinestep_changelist')}?q={generation.unit}"
        return format_html('{}<p><a href="{}">{}</a></p>', table, address, more)

    def _cells(self, step: PipelineStep) -> SafeString:
        address = reverse("admin:jobs_pipelinestep_change", args=[step.pk])
        name = f"{step.step} {step.item}".strip()
        return format_html(
            '<th scope="row"><a href="{}">{}</a></th><td>{}</td><td>{}</td><td>{}</td>',
            address,
            name,
            state_badge(step),
            step.attempt,
            step.error or "",
        )


class PipelineStepAdmin(UnitsAdmin):
    """Claims of steps over units."""

    list_display = ("unit", "step", "item", "generation", "shown_state", "attempt", "changed")
    list_filter = (StateFilter, PipelineFilter, StepFilter)
    fields = (
        "pipeline",
        "unit",
        "generation",
        "step",
        "item",
        "shown_state",
        "attempt",
        "error",
        "shown_payload",
        "shown_result",
        "shown_job",
        "changed",
    )

    @admin.display(description=_("state"))
    def shown_state(self, step: PipelineStep) -> SafeString:
        return state_badge(step)

    @admin.display(description=_("changed"))
    def changed(self, step: PipelineStep) -> str:
        return moment(step.updated_at)

    @admin.display(description=_("payload"))
    def shown_payload(self, step: PipelineStep) -> str:
        return json_block(step.payload)

    @admin.display(description=_("result"))
    def shown_result(self, step: PipelineStep) -> str:
        return json_block(step.result)

    @admin.display(description=_("job"))
    def shown_job(self, step: PipelineStep) -> str:
        """The job that works, or worked, on it; retention may have taken it."""
        if step.job_id is None:
            return NOTHING
        address = reverse("admin:jobs_job_change", args=[step.job_id])
        return format_html('<a href="{}">{}</a>', address, str(step.job_id)[:8])
