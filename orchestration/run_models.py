"""Runs, their steps and the spec's log, as tables. Written by orchestration.runs; read by everybody else."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

from django.conf import settings
from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import Q, QuerySet
from django.utils.translation import gettext_lazy as _

from orchestration.nodes import Orchestration
from orchestration.reason_field import ReasonField
from orchestration.states import LogStatus, RunStatus, StepState
from synops.graph.access import only_readable
from synops.graph.columns import DatabaseNow, new_id
from synops.graph.models import Node

if TYPE_CHECKING:
    from django.db.models.expressions import Combinable

    from synops.graph.access import Viewer

    JsonField = models.Field[Any, Any]
    JsonObjectField = models.Field[dict[str, Any] | Combinable, dict[str, Any]]


def json_object(label: Any) -> Any:
    return models.JSONField(label, default=dict, db_default=models.Value({}, models.JSONField()))


class RunQuerySet(QuerySet["Run"]):
    """Runs, and which of them a person may see."""

    def visible_to(self, user: Viewer) -> Self:
        """Runs in collections that `user` has access to; all for a superuser, none for a stranger."""
        return only_readable(self, user, "collection_id")


class Run(models.Model):
    """One execution of a recipe. It holds its own copy of the compiled recipe and of the values it started with.

    `trigger` has the ruled keys: trigger_event, trigger_context.op, trigger_context.upstream_orchestration_id and
    cascade_chain. `chain` is what its jobs carry: that chain and the recipe itself.
    """

    id = models.UUIDField(primary_key=True, default=new_id, editable=False)
    orchestration = models.ForeignKey(
        Orchestration,
        verbose_name=_("recipe"),
        on_delete=models.DO_NOTHING,
        db_constraint=False,
        null=True,
        related_name="runs",
        db_index=False,
    )
    collection = models.ForeignKey(
        Node,
        verbose_name=_("collection"),
        on_delete=models.DO_NOTHING,
        db_constraint=False,
        related_name="+",
        db_index=False,
    )
    title = models.TextField(_("title"), default="", db_default="")
    version = models.IntegerField(_("version"), default=0, db_default=0)
    compiled: JsonObjectField = models.JSONField(_("compiled"))
    language = models.TextField(_("language"), default="nb", db_default=models.Value("nb"))
    trigger: JsonObjectField = models.JSONField(_("trigger"))
    variables: JsonObjectField = json_object(_("values"))
    event_id = models.BigIntegerField(_("event"), null=True)
    node_id = models.UUIDField(_("node"), null=True)
    tick_at = models.DateTimeField(_("tick"), null=True)
    upstream_run_id = models.UUIDField(_("started by run"), null=True)
    rerun_of = models.UUIDField(_("rerun of"), null=True)
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        verbose_name=_("started by"),
        on_delete=models.DO_NOTHING,
        db_constraint=False,
        null=True,
        related_name="+",
    )
    chain = ArrayField(models.UUIDField(), verbose_name=_("chain"), default=list)
    priority = models.SmallIntegerField(_("priority"), null=True)
    status = models.TextField(_("status"), choices=RunStatus.choices, default=RunStatus.RUNNING)
    handled = models.BooleanField(_("failure handled"), default=False, db_default=False)
    reason = ReasonField(_("reason"), default="", db_default="", blank=True)
    cancel_requested_at = models.DateTimeField(_("cancel asked for"), null=True)
    created_at = models.DateTimeField(_("started"), db_default=DatabaseNow())
    finished_at = models.DateTimeField(_("finished"), null=True)

    objects = RunQuerySet.as_manager()

    class Meta:
        db_table = "orchestration_runs"
        verbose_name = _("run")
        verbose_name_plural = _("runs")
        ordering = ("-created_at", "-id")
        permissions = [("cancel_run", _("Can cancel runs")), ("rerun_run", _("Can rerun runs"))]
        indexes = [
            models.Index(fields=["id"], name="runs_unfinished", condition=Q(status="running")),
            models.Index(fields=["orchestration", "-created_at", "-id"], name="runs_of_recipe"),
            models.Index(fields=["collection", "-created_at", "-id"], name="runs_of_collection"),
            models.Index(fields=["-created_at", "-id"], name="runs_newest"),
            models.Index(fields=["upstream_run_id"], name="runs_upstream", condition=Q(upstream_run_id__isnull=False)),
        ]
        constraints = [
            # The same event starts a recipe once, however often it is read; so does the same tick of a clock.
            models.UniqueConstraint(fields=["orchestration", "event_id"], name="runs_once_per_event"),
            models.UniqueConstraint(fields=["orchestration", "tick_at"], name="runs_once_per_tick"),
            models.UniqueConstraint(fields=["orchestration", "upstream_run_id"], name="runs_once_per_upstream"),
            models.CheckConstraint(condition=Q(status__in=RunStatus.values), name="runs_known_status"),
            models.CheckConstraint(
                condition=Q(status="running", finished_at__isnull=True)
                | (~Q(status="running") & Q(finished_at__isnull=False)),
                name="runs_finished_when",
            ),
            models.CheckConstraint(condition=Q(handled=False) | Q(status="failed"), name="runs_only_failures_handled"),
            models.CheckConstraint(
                condition=Q(priority__isnull=True) | Q(priority__range=(0, 10)), name="runs_priority_range"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.title} {str(self.id)[:8]}"


class RunStep(models.Model):
    """One alternative of one step of a run: what it was started with and how it ended.

    `step` counts the recipe's steps from 1; 0 is the recipe's own *ved feil*. `alternative` 0 is the step itself,
    the rest its fallbacks. It outlives its job, which retention deletes: params and result are copies.
    """

    id = models.BigAutoField(primary_key=True)
    run = models.ForeignKey(
        Run,
        verbose_name=_("run"),
        on_delete=models.DO_NOTHING,
        db_constraint=False,
        related_name="steps",
        db_index=False,
    )
    step = models.SmallIntegerField(_("step"))
    alternative = models.SmallIntegerField(_("alternative"), default=0)
    line = models.IntegerField(_("line"), default=0, db_default=0)
    text = models.TextField(_("text"), default="", db_default="")
    tool = models.TextField(_("tool"))
    job_type = models.TextField(_("job type"), default="", db_default="")
    params: JsonObjectField = json_object(_("params"))
    state = models.TextField(_("state"), choices=StepState.choices, default=StepState.STARTED)
    reason = ReasonField(_("reason"), default="", db_default="", blank=True)
    result: JsonField = models.JSONField(_("result"), null=True)
    error = models.TextField(_("error"), default="", db_default="")
    exit_code = models.IntegerField(_("exit code"), null=True)
    job_id = models.UUIDField(_("job"), null=True)
    copied = models.BooleanField(_("copied from an earlier run"), default=False, db_default=False)
    started_at = models.DateTimeField(_("started"), db_default=DatabaseNow())
    finished_at = models.DateTimeField(_("finished"), null=True)

    class Meta:
        db_table = "orchestration_run_steps"
        verbose_name = _("step")
        verbose_name_plural = _("steps")
        ordering = ("id",)
        indexes = [models.Index(fields=["job_id"], name="run_steps_job", condition=Q(job_id__isnull=False))]
        constraints = [
            models.UniqueConstraint(fields=["run", "step", "alternative"], name="run_steps_once"),
            models.CheckConstraint(condition=Q(step__gte=0, alternative__gte=0), name="run_steps_not_negative"),
            models.CheckConstraint(condition=Q(state__in=StepState.values), name="run_steps_known_state"),
            models.CheckConstraint(
                condition=Q(state="started", finished_at__isnull=True, job_id__isnull=False)
                | (~Q(state="started") & Q(finished_at__isnull=False)),
                name="run_steps_finished_when",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.run_id} {self.step}.{self.alternative}"

    @property
    def is_fallback(self) -> bool:
        return self.step == 0 or self.alternative > 0


class LogEntry(models.Model):
    """The spec's `orchestration_log`: one line for each thing that a run did or declined to do.

    Work items (`tool_binary` = work_item) and cascades (cascade) are lines too. `run` is empty for an event that was
    not followed because its chain was too long or went in a circle.
    """

    id = models.BigAutoField(primary_key=True)
    run = models.ForeignKey(
        Run,
        verbose_name=_("run"),
        on_delete=models.DO_NOTHING,
        db_constraint=False,
        null=True,
        related_name="log",
        db_index=False,
    )
    orchestration = models.ForeignKey(
        Orchestration,
        verbose_name=_("recipe"),
        on_delete=models.DO_NOTHING,
        db_constraint=False,
        null=True,
        related_name="log",
        db_index=False,
    )
    step = models.SmallIntegerField(_("step"), null=True)
    alternative = models.SmallIntegerField(_("alternative"), null=True)
    is_fallback = models.BooleanField(_("fallback"), default=False, db_default=False)
    tool_binary = models.TextField(_("tool"))
    argv: JsonField = models.JSONField(_("command"), null=True)
    status = models.TextField(_("status"), choices=LogStatus.choices)
    reason = ReasonField(_("reason"), default="", db_default="", blank=True)
    exit_code = models.IntegerField(_("exit code"), null=True)
    result: JsonField = models.JSONField(_("result"), null=True)
    error = models.TextField(_("error"), default="", db_default="")
    job_id = models.UUIDField(_("job"), null=True)
    started_at = models.DateTimeField(_("started"), null=True)
    finished_at = models.DateTimeField(_("finished"), db_default=DatabaseNow())

    class Meta:
        db_table = "orchestration_log"
        verbose_name = _("log entry")
        verbose_name_plural = _("log")
        ordering = ("id",)
        indexes = [
            models.Index(fields=["run", "id"], name="orchestration_log_run"),
            models.Index(fields=["orchestration", "-id"], name="orchestration_log_recipe"),
        ]
        constraints = [
            models.CheckConstraint(condition=Q(status__in=LogStatus.values), name="orchestration_log_status"),
        ]

    def __str__(self) -> str:
        return f"{self.tool_binary} {self.status}"
