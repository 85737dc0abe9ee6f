"""The pipelines' two tables as pages and the API read them. Only this package's SQL changes them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from synops.graph.access import only_readable
from synops.graph.columns import DatabaseNow
from synops.graph.models import Node

if TYPE_CHECKING:
    from synops.graph.access import Viewer


class GenerationQuerySet(models.QuerySet["Generation"]):
    """Runs of units, and which of them a person may see."""

    def visible_to(self, user: Viewer) -> Self:
        """Those in collections that `user` has access to; all for a superuser, none for a stranger."""
        return only_readable(self, user, "collection_node_id")


class Generation(models.Model):
    """One run of one unit through a pipeline. Every run by hand is a new one; a unit has at most one that is running."""

    class Cause(models.TextChoices):
        SELECTED = "selected", _("selected")
        MANUAL = "manual", _("by hand")
        BULK = "bulk", _("in bulk")

    class State(models.TextChoices):
        RUNNING = "running", _("running")
        SUCCEEDED = "succeeded", _("succeeded")
        PERMANENTLY_FAILED = "permanently_failed", _("permanently failed")
        EXCLUDED = "excluded", _("excluded")
        SUPERSEDED = "superseded", _("superseded")

    id = models.BigAutoField(primary_key=True)
    pipeline = models.TextField(_("pipeline"))
    unit = models.TextField(_("unit"))
    generation = models.IntegerField(_("generation"))
    collection_node = models.ForeignKey(
        Node, verbose_name=_("collection"), on_delete=models.DO_NOTHING, db_constraint=False, related_name="+"
    )
    cause = models.TextField(_("cause"), choices=Cause.choices)
    priority = models.SmallIntegerField(_("priority"), null=True)
    state = models.TextField(
        _("state"), choices=State.choices, default=State.RUNNING, db_default=models.Value("running")
    )
    reason = models.TextField(_("reason"), default="", db_default="", blank=True)
    created_at = models.DateTimeField(_("created"), db_default=DatabaseNow())
    finished_at = models.DateTimeField(_("finished"), null=True)

    objects = GenerationQuerySet.as_manager()

    class Meta:
        app_label = "jobs"
        db_table = "pipeline_generations"
        verbose_name = _("pipeline run")
        verbose_name_plural = _("pipeline runs")
        ordering = ("-id",)
        permissions = [("reanalyse_unit", _("Can run units of a pipeline again"))]
        indexes = [
            models.Index(fields=["pipeline", "state", "-id"], name="pipeline_generations_state"),
            models.Index(fields=["pipeline", "-id"], name="pipeline_generations_newest"),
        ]
        constraints = [
            models.UniqueConstraint(fields=["pipeline", "unit", "generation"], name="pipeline_generations_once"),
            models.UniqueConstraint(
                fields=["pipeline", "unit"], name="pipeline_generations_one_running", condition=Q(state="running")
            ),
            models.CheckConstraint(
                condition=Q(state__in=["running", "succeeded", "permanently_failed", "excluded", "superseded"]),
                name="pipeline_generations_known_state",
            ),
            models.CheckConstraint(
                condition=Q(cause__in=["selected", "manual", "bulk"]), name="pipeline_generations_known_cause"
            ),
            models.CheckConstraint(
                condition=Q(state="running", finished_at__isnull=True)
                | (~Q(state="running") & Q(finished_at__isnull=False)),
                name="pipeline_generations_finished",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.pipeline} {self.unit} #{self.generation}"


class PipelineStepQuerySet(models.QuerySet["PipelineStep"]):
    """Steps, and which of them a person may see."""

    def visible_to(self, user: Viewer) -> Self:
        """Those in collections that `user` has access to; all for a superuser, none for a stranger."""
        return only_readable(self, user, "collection_node_id")


class PipelineStep(models.Model):
    """The claim of one step over one unit of work, in one generation; of one item, where the step is fanned out."""

    class State(models.TextChoices):
        PENDING = "pending", _("waiting")
        RUNNING = "running", _("running")
        SUCCEEDED = "succeeded", _("succeeded")
        FAILED = "failed", _("failed, to be tried again")
        PERMANENTLY_FAILED = "permanently_failed", _("permanently failed")
        EXCLUDED = "excluded", _("excluded")
        SUPERSEDED = "superseded", _("superseded")

    id = models.BigAutoField(primary_key=True)
    pipeline = models.TextField(_("pipeline"))
    unit = models.TextField(_("unit"))
    generation = models.IntegerField(_("generation"), default=1, db_default=1)
    step = models.TextField(_("step"))
    item = models.TextField(_("item"), default="", db_default="", blank=True)
    # A copy of the generation's, so that counts need no join; no foreign key: it goes with its generation.
    collection_node = models.ForeignKey(
        Node,
        verbose_name=_("collection"),
        on_delete=models.DO_NOTHING,
        db_constraint=False,
        db_index=False,
        related_name="+",
        null=True,
    )
    state = models.TextField(_("state"), choices=State.choices)
    attempt = models.SmallIntegerField(_("attempt"), default=0, db_default=0)
    payload: models.Field[Any, Any] = models.JSONField(
        _("payload"), default=dict, db_default=models.Value({}, models.JSONField())
    )
    result: models.Field[Any, Any] = models.JSONField(_("result"), null=True)
    error = models.TextField(_("error"), null=True)  # noqa: DJ001
    job_id = models.UUIDField(_("job"), null=True)
    created_at = models.DateTimeField(_("created"), db_default=DatabaseNow())
    updated_at = models.DateTimeField(_("changed"), db_default=DatabaseNow())
    finished_at = models.DateTimeField(_("finished"), null=True)

    objects = PipelineStepQuerySet.as_manager()

    class Meta:
        app_label = "jobs"
        db_table = "pipeline_steps"
        verbose_name = _("pipeline step")
        verbose_name_plural = _("pipeline steps")
        ordering = ("-id",)
        indexes = [
            # What is not over: for fan-in, the sweep and reconciliation. Small, however many steps have ended.
            models.Index(
                fields=["pipeline", "unit", "generation", "step"],
                name="pipeline_steps_open",
                condition=Q(state__in=["pending", "running", "failed"]),
            ),
            models.Index(fields=["job_id"], name="pipeline_steps_job", condition=Q(job_id__isnull=False)),
            # The newest of what did not succeed. A step that goes well never enters it.
            models.Index(
                fields=["pipeline", "state", "-id"],
                name="pipeline_steps_unsuccessful",
                condition=Q(state__in=["permanently_failed", "excluded", "superseded"]),
            ),
            # Counts of a span of time read this index alone.
            models.Index(
                fields=["pipeline", "state", "finished_at"],
                name="pipeline_steps_finished",
                condition=Q(finished_at__isnull=False),
                include=["step", "collection_node"],
            ),
        ]
        constraints = [
            models.UniqueConstraint(
                fields=["pipeline", "unit", "generation", "step", "item"], name="pipeline_steps_once"
            ),
            models.CheckConstraint(
                condition=Q(
                    state__in=[
                        "pending",
                        "running",
                        "succeeded",
                        "failed",
                        "permanently_failed",
                        "excluded",
                        "superseded",
                    ]
                ),
                name="pipeline_steps_known_state",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.pipeline} {self.unit} {self.step} {self.item}".strip()


class Repair(models.Model):
    """What one reconciliation put right, of one kind in one pipeline; nothing is written when nothing was wrong."""

    id = models.BigAutoField(primary_key=True)
    pipeline = models.TextField(_("pipeline"))
    kind = models.TextField(_("kind"))
    repaired = models.IntegerField(_("repaired"))
    created_at = models.DateTimeField(_("at"), db_default=DatabaseNow())

    class Meta:
        app_label = "jobs"
        db_table = "pipeline_repairs"
        verbose_name = _("repair")
        verbose_name_plural = _("repairs")
        ordering = ("-id",)
        indexes = [models.Index(fields=["created_at"], name="pipeline_repairs_at")]

    def __str__(self) -> str:
        return f"{self.pipeline} {self.kind} {self.repaired}"
