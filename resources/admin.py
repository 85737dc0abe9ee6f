"""Admin pages of what limits the work: priority rules, the disk log and the workers."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING, Any

from django import forms
from django.conf import settings
from django.contrib import admin
from django.core.exceptions import ValidationError
from django.db.models import DurationField, ExpressionWrapper, F, QuerySet
from django.db.models.functions import Now
from django.http import HttpRequest
from django.utils.formats import number_format
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext

from resources.audited import drain_workers
from resources.models import DEFAULT_TIMEOUT_SECONDS, DiskReading, PriorityRule, Worker
from resources.rules import CHANGEABLE, update_rule, weight_problem
from synops.graph.admin.bases import PlainAdmin, ReadOnly, person
from synops.graph.admin.rendering import badge, brief, duration, moment, size

if TYPE_CHECKING:
    RuleModelForm = forms.ModelForm[PriorityRule]
else:
    RuleModelForm = forms.ModelForm


class RuleForm(RuleModelForm):
    """A rule. One heavier than the budget of a machine would make its type wait for ever."""

    class Meta:
        model = PriorityRule
        exclude = ()
        widgets = {"job_type": forms.TextInput(attrs={"class": "vTextField"})}

    def clean_cpu_weight(self) -> int:
        weight: int = self.cleaned_data["cpu_weight"]
        if problem := weight_problem(weight):
            raise ValidationError(problem)
        return weight


class PriorityRuleAdmin(PlainAdmin):
    """How jobs of each type are ranked and limited. A change acts at once."""

    form = RuleForm
    list_display = (
        "job_type",
        "state",
        "base_priority",
        "livekit_priority_adj",
        "cpu_weight",
        "at_once",
        "time_limit",
        "block_during_livekit",
        "hold_when_disk_full",
    )
    list_filter = ("paused", "block_during_livekit")
    search_fields = ("job_type",)
    sortable_by = ("job_type", "base_priority", "cpu_weight")
    fieldsets = (
        (None, {"fields": ("job_type", "paused")}),
        (_("Rank"), {"fields": ("base_priority", "livekit_priority_adj", "block_during_livekit")}),
        (_("Room"), {"fields": ("cpu_weight", "max_concurrent", "hold_when_disk_full")}),
        (
            _("Limits of one attempt"),
            {"fields": ("timeout_seconds", "max_open_files", "max_cpu_seconds", "max_rss_mb")},
        ),
    )

    def get_readonly_fields(self, request: HttpRequest, obj: Any = None) -> tuple[str, ...]:
        """The type is the key: another type is another rule."""
        return ("job_type",) if obj else ()

    def save_model(self, request: HttpRequest, obj: Any, form: Any, change: bool) -> None:
        """By way of the function that the API uses too: it wakes the workers and notes the time."""
        update_rule(obj.job_type, {name: getattr(obj, name) for name in form.cleaned_data if name in CHANGEABLE})

    @admin.display(description=_("state"))
    def state(self, rule: PriorityRule) -> SafeString:
        return badge("retry", _("paused")) if rule.paused else badge("succeeded", _("open"))

    @admin.display(description=_("at the same time"))
    def at_once(self, rule: PriorityRule) -> str:
        return str(rule.max_concurrent or _("no limit"))

    @admin.display(description=_("time limit"))
    def time_limit(self, rule: PriorityRule) -> str:
        return duration(timedelta(seconds=rule.timeout_seconds or DEFAULT_TIMEOUT_SECONDS))


class DiskReadingAdmin(ReadOnly, PlainAdmin):
    """The last readings of each machine, newest first."""

    list_display = ("measured", "machine", "path", "fullness", "used", "of", "shown_level")
    list_filter = ("level",)
    ordering = ("-id",)
    sortable_by = ()
    fields = ("measured", "machine", "path", "fullness", "used", "of", "shown_level")

    LEVELS = {"ok": "succeeded", "warning": "retry", "critical": "timed_out", "emergency": "failed"}

    @admin.display(description=_("measured"))
    def measured(self, reading: DiskReading) -> str:
        return brief(reading.measured_at)

    @admin.display(description=_("full"))
    def fullness(self, reading: DiskReading) -> SafeString:
        """The number in the page's language beside a bar, whose value is a plain integer in every language."""
        text = number_format(round(reading.percent, 1), use_l10n=True)
        value = str(round(reading.percent))
        return format_html('<meter min="0" max="100" high="85" value="{}"></meter> {} %', value, text)

    @admin.display(description=_("used"))
    def used(self, reading: DiskReading) -> str:
        return size(reading.used_bytes)

    @admin.display(description=_("size"))
    def of(self, reading: DiskReading) -> str:
        return size(reading.total_bytes)

    @admin.display(description=_("level"))
    def shown_level(self, reading: DiskReading) -> SafeString:
        return badge(self.LEVELS.get(reading.level, "failed"), reading.get_level_display())


def worker_state(worker: Any) -> tuple[str, Any]:
    """Code and label of a worker with its `silence`. One that says “running” but has been silent for the TTL is not believed."""
    if worker.state in (Worker.State.STOPPED, Worker.State.LOST):
        return "cancelled" if worker.state == Worker.State.STOPPED else "lost", worker.get_state_display()
    if worker.silence.total_seconds() > settings.WORKER_TTL_SECONDS:
        return "lost", _("no heartbeat")
    if worker.drain_requested_at is not None:
        return "cancelling", _("takes no more jobs")
    return "running" if worker.state == Worker.State.RUNNING else "cancelling", worker.get_state_display()


class WorkerAdmin(ReadOnly, PlainAdmin):
    """The workers, and whether they still live by the database's clock."""

    list_display = ("name", "shown_state", "slots", "max_weight", "load", "memory", "hears", "beat", "started")
    list_display_links = ("name",)
    actions = ("drain_selected", "resume_selected")
    ordering = ("-heartbeat_at",)
    sortable_by = ()
    fields = (
        "id",
        "name",
        "shown_state",
        "version",
        "governor",
        "slots",
        "max_weight",
        "load",
        "memory",
        "hears",
        "shown_types",
        "started",
        "beat",
        "asked",
        "stopped",
    )

    def has_drain_permission(self, request: HttpRequest) -> bool:
        return request.user.has_perm("resources.drain_worker")

    @admin.action(permissions=["drain"], description=_("Let selected workers take no more jobs"))
    def drain_selected(self, request: HttpRequest, queryset: QuerySet[Worker]) -> None:
        self._drain(request, queryset, wanted=True)

    @admin.action(permissions=["drain"], description=_("Let selected workers take jobs again"))
    def resume_selected(self, request: HttpRequest, queryset: QuerySet[Worker]) -> None:
        self._drain(request, queryset, wanted=False)

    def _drain(self, request: HttpRequest, rows: QuerySet[Worker], *, wanted: bool) -> None:
        count = drain_workers(person(request), [worker.pk for worker in rows], wanted)
        said = ngettext("%(count)d worker was asked.", "%(count)d workers were asked.", count) % {"count": count}
        self.message_user(request, said)

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        age = ExpressionWrapper(Now() - F("heartbeat_at"), output_field=DurationField())
        rows: QuerySet[Any] = super().get_queryset(request).annotate(silence=age)
        return rows

    @admin.display(description=_("worker"))
    def name(self, worker: Worker) -> str:
        return f"{worker.machine} ({worker.pid})"

    @admin.display(description=_("state"))
    def shown_state(self, worker: Any) -> SafeString:
        return badge(*worker_state(worker))

    @admin.display(description=_("running / slots"))
    def slots(self, worker: Worker) -> str:
        return f"{worker.running} / {worker.max_concurrent}"

    @admin.display(description=_("load"))
    def load(self, worker: Worker) -> str:
        return "–" if worker.load_1m is None else number_format(round(worker.load_1m, 2), use_l10n=True)

    @admin.display(description=_("memory"))
    def memory(self, worker: Worker) -> str:
        return "–" if worker.rss_bytes is None else size(worker.rss_bytes)

    @admin.display(description=_("hears new work"), boolean=True)
    def hears(self, worker: Worker) -> bool:
        return worker.listening

    @admin.display(description=_("types"))
    def shown_types(self, worker: Worker) -> str:
        return ", ".join(worker.types) or "–"

    @admin.display(description=_("last heartbeat"))
    def beat(self, worker: Worker) -> str:
        return brief(worker.heartbeat_at)

    @admin.display(description=_("started"))
    def started(self, worker: Worker) -> str:
        return brief(worker.started_at)

    @admin.display(description=_("asked to take no more"))
    def asked(self, worker: Worker) -> str:
        return moment(worker.drain_requested_at)

    @admin.display(description=_("stopped"))
    def stopped(self, worker: Worker) -> str:
        return moment(worker.stopped_at)


admin.site.register(PriorityRule, PriorityRuleAdmin)
admin.site.register(DiskReading, DiskReadingAdmin)
admin.site.register(Worker, WorkerAdmin)
