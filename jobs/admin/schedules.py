"""Schedules: what the clock enqueues, in words, with the next ticks; switched on and off, run by hand, made and changed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.contrib import admin, messages
from django.core.exceptions import PermissionDenied
from django.db import connection, transaction
from django.db.models import F, OuterRef, QuerySet, Subquery
from django.db.models.functions import Now
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import get_object_or_404
from django.urls import URLPattern, path, reverse
from django.utils import timezone
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString
from django.utils.translation import gettext, gettext_noop
from django.utils.translation import gettext_lazy as _
from django.views.decorators.http import require_POST

from jobs.admin.schedule_form import ScheduleForm
from jobs.live.announcer import announce
from jobs.models import Job, Schedule
from jobs.schedules import CronRefused, NotRun, next_ticks, run_by_hand
from jobs.schedules.alarms import LATE_AFTER
from jobs.schedules.reading import in_words
from jobs.schedules.ticking import Ticking
from synops.graph.admin.bases import VisibleAdmin, viewer
from synops.graph.admin.rendering import NOTHING, badge, brief, json_block
from synops.graph.models import Node

if TYPE_CHECKING:
    from django.forms import ModelChoiceField

TICKS_SHOWN = 5
CODE = "code"
OPERATORS = ("cron", "timezone", "enabled")
"""What an operator may change of a schedule that the code declares."""

NOT_RUN = {
    "busy": _("%(name)s is queued or running already."),
    "orphaned": _("Nothing in this version knows what %(name)s does."),
    "unknown": _("There is no schedule %(name)s any more."),
}


class ScheduleAdmin(VisibleAdmin):
    """Cron entries of the collections that the viewer has access to."""

    form = ScheduleForm
    list_display = ("named", "state", "reading", "following", "last_tick", "last_job")
    list_select_related = ("collection_node",)
    search_fields = ("name", "description")
    actions = ("run_selected", "switch_on", "switch_off")
    ordering = ("name",)
    sortable_by = ()
    change_form_template = "admin/jobs/schedule/change_form.html"
    shown = ("state", "reading", "ticks", "last_tick", "last_job", "skipped", "origin")

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        last = Job.objects.filter(pk=OuterRef("last_job_id"))
        rows: QuerySet[Any] = super().get_queryset(request)
        status, outcome = (Subquery(last.values(column)[:1]) for column in ("status", "outcome"))
        with_job: QuerySet[Any] = rows.annotate(job_status=status, job_outcome=outcome)
        return with_job

    # -- the list ----------------------------------------------------------------------------------------------------

    @admin.display(description=_("name"))
    def named(self, schedule: Schedule) -> SafeString:
        """With what it does: a column of its own would leave no room for the others."""
        return format_html('{} <p class="quiet-text">{}</p>', schedule.name, self.shown_description(schedule))

    @admin.display(description=_("state"))
    def state(self, schedule: Schedule) -> SafeString:
        if schedule.orphaned:
            return badge("failed", _("orphaned"))
        if schedule.dormant:
            return badge("excluded", _("dormant"))
        if not schedule.enabled:
            return badge("cancelled", _("switched off"))
        return badge("lost", _("late")) if is_late(schedule) else badge("succeeded", _("on"))

    @admin.display(description=_("when"))
    def reading(self, schedule: Schedule) -> SafeString | str:
        """A dormant one's line is there because a row must have one: it says nothing."""
        if schedule.dormant:
            return gettext("only by hand")
        try:
            words = in_words(schedule.cron)
        except CronRefused:
            return format_html("<code>{}</code>", schedule.cron)
        return format_html("{} <code>{}</code> {}", words, schedule.cron, schedule.timezone)

    @admin.display(description=_("next"))
    def following(self, schedule: Schedule) -> SafeString | str:
        ticks = ticks_of(schedule, 1) if runs(schedule) else []
        return brief(ticks[0]) if ticks else NOTHING

    @admin.display(description=_("last tick"))
    def last_tick(self, schedule: Schedule) -> SafeString | str:
        """A row begins with the moment it was made, which is no tick."""
        return brief(schedule.last_tick_at) if schedule.last_tick_at != schedule.created_at else NOTHING

    @admin.display(description=_("last job"))
    def last_job(self, schedule: Schedule) -> SafeString | str:
        job = Job.objects.filter(pk=schedule.last_job_id).first() if schedule.last_job_id else None
        if job is None:
            return NOTHING
        label = job.get_outcome_display() if job.outcome else job.get_status_display()
        return format_html(
            '<a href="{}">{}</a>',
            reverse("admin:jobs_job_change", args=[job.pk]),
            badge(job.outcome or job.status, label),
        )

    @admin.display(description=_("description"))
    def shown_description(self, schedule: Schedule) -> str:
        """Of what the code declares in the reader's language."""
        return (
            gettext(schedule.description) if schedule.owner == CODE and schedule.description else schedule.description
        )

    # -- the page ----------------------------------------------------------------------------------------------------

    @admin.display(description=_("next ticks"))
    def ticks(self, schedule: Schedule) -> SafeString | str:
        """In the site's zone; the line is read in its own."""
        ticks = ticks_of(schedule, TICKS_SHOWN)
        return format_html_join("", "<div>{}</div>", ((brief(tick),) for tick in ticks)) or NOTHING

    @admin.display(description=_("origin"))
    def origin(self, schedule: Schedule) -> str:
        if schedule.owner == CODE:
            return gettext("Comes with the program: its time and its switch are yours, the rest is the program's.")
        return schedule.owner or gettext("Made by a person.")

    def get_fields(self, request: HttpRequest, obj: Any = None) -> tuple[str, ...]:
        made: tuple[str, ...] = (
            "name",
            "description",
            "cron",
            "timezone",
            "enabled",
            "job_type",
            "payload",
            "priority",
        )
        made = (*made, "max_concurrency", "collection_node")
        if obj is None:
            return made
        if obj.owner == CODE:
            made = tuple("shown_payload" if name == "payload" else name for name in made)
            made = tuple("shown_description" if name == "description" else name for name in made)
        return (*made, *self.shown)

    def get_readonly_fields(self, request: HttpRequest, obj: Any = None) -> tuple[str, ...]:
        """What belongs to the code, or to a recipe, is changed there."""
        if obj is None:
            return ()
        if obj.owner == "":
            return ("name", *self.shown)
        kept = OPERATORS if obj.owner == CODE else ("enabled",)
        return tuple(name for name in self.get_fields(request, obj) if name not in kept)

    @admin.display(description=_("payload"))
    def shown_payload(self, schedule: Schedule) -> str:
        return json_block(schedule.payload)

    def formfield_for_foreignkey(
        self, db_field: Any, request: HttpRequest, **more: Any
    ) -> ModelChoiceField[Any] | None:
        if db_field.name == "collection_node":
            more["queryset"] = Node.objects.visible_to(viewer(request)).filter(node_kind="collection").order_by("title")
        return super().formfield_for_foreignkey(db_field, request, **more)

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """What the code or a recipe owns would only come back."""
        return super().has_delete_permission(request, obj) and (obj is None or obj.owner == "")

    def get_deleted_objects(self, objs: Any, request: HttpRequest) -> Any:
        """In bulk too: only what a person has made."""
        return super().get_deleted_objects([one for one in objs if one.owner == ""], request)

    def delete_queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> None:
        queryset.filter(owner="").delete()

    def save_model(self, request: HttpRequest, obj: Any, form: Any, change: bool) -> None:
        """New times begin now: a tick that the new line would have had in the past is not missed."""
        super().save_model(request, obj, form, change)
        if change and {"cron", "timezone", "enabled"} & set(form.changed_data):
            Schedule.objects.filter(pk=obj.pk).update(last_tick_at=Now())

    # -- by hand -----------------------------------------------------------------------------------------------------

    def get_urls(self) -> list[URLPattern]:
        run = self.admin_site.admin_view(require_POST(self.run_view))
        return [path("<path:name>/run/", run, name="run_schedule"), *super().get_urls()]

    def has_run_permission(self, request: HttpRequest) -> bool:
        return bool(request.user.has_perm("jobs.run_schedule"))

    def run_view(self, request: HttpRequest, name: str) -> HttpResponse:
        """The button on the schedule's page."""
        if not self.has_run_permission(request):
            raise PermissionDenied
        schedule = get_object_or_404(self.get_queryset(request), pk=name)
        self._run(request, schedule)
        return HttpResponseRedirect(reverse("admin:jobs_schedule_change", args=[name]))

    def _run(self, request: HttpRequest, schedule: Schedule) -> None:
        try:
            with transaction.atomic(), connection.cursor() as cursor:
                job = run_by_hand(cursor, schedule.pk)
                announce("job", [job])
        except NotRun as refused:
            self.message_user(request, str(NOT_RUN[refused.code]) % {"name": schedule.name}, messages.WARNING)
            return
        self.log_change(request, schedule, gettext_noop("Run by hand."))
        address = reverse("admin:jobs_job_change", args=[job])
        said = format_html(
            '{} <a href="{}">{}</a>',
            gettext("%(name)s: enqueued.") % {"name": schedule.name},
            address,
            gettext("The job"),
        )
        self.message_user(request, said, messages.SUCCESS)

    @admin.action(description=_("Run now"), permissions=["run"])
    def run_selected(self, request: HttpRequest, queryset: QuerySet[Schedule]) -> None:
        for schedule in queryset:
            self._run(request, schedule)

    @admin.action(description=_("Switch on"), permissions=["change"])
    def switch_on(self, request: HttpRequest, queryset: QuerySet[Schedule]) -> None:
        """Ticks of the time in which it was off are not missed ones."""
        self._switch(request, queryset.filter(enabled=False), enabled=True)

    @admin.action(description=_("Switch off"), permissions=["change"])
    def switch_off(self, request: HttpRequest, queryset: QuerySet[Schedule]) -> None:
        self._switch(request, queryset.filter(enabled=True), enabled=False)

    def _switch(self, request: HttpRequest, queryset: QuerySet[Schedule], *, enabled: bool) -> None:
        chosen = list(queryset)
        changed = Schedule.objects.filter(pk__in=[one.pk for one in chosen], enabled=not enabled).update(
            enabled=enabled, last_tick_at=Now() if enabled else F("last_tick_at")
        )
        for one in chosen:
            self.log_change(request, one, [{"changed": {"fields": ["enabled"]}}])
        self.message_user(request, gettext("%(n)d schedules changed.") % {"n": changed}, messages.SUCCESS)


def runs(schedule: Schedule) -> bool:
    """Whether it ticks by itself."""
    return schedule.enabled and not schedule.dormant and not schedule.orphaned


def ticks_of(schedule: Schedule, count: int) -> list[Any]:
    """The next ticks; none for a line or a zone that can't be read."""
    try:
        return list(next_ticks(schedule.cron, schedule.timezone, timezone.now(), count))
    except CronRefused:
        return []


def is_late(schedule: Schedule) -> bool:
    """Whether a tick has come that no worker has taken."""
    try:
        tick = Ticking(schedule.name, schedule.cron, schedule.timezone, schedule.last_tick_at).next_tick()
    except CronRefused:
        return True
    return tick is not None and tick < timezone.now() - LATE_AFTER
