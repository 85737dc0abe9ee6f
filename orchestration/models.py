"""What recipes leave in the database: versions, runs, steps, the spec's log, and what did not run and why.

Rows are written by orchestration.recipes, .events and .runs; the admin and the API only read them here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from orchestration.nodes import Orchestration, Tool, WorkItem
from orchestration.reason_field import ReasonField
from orchestration.run_models import LogEntry, Run, RunStep
from orchestration.states import Layer, VersionStatus
from synops.graph.columns import DatabaseNow
from synops.graph.models import Node

if TYPE_CHECKING:
    JsonField = models.Field[Any, Any]

__all__ = ["Considered", "LogEntry", "Orchestration", "Run", "RunStep", "Tombstone", "Tool", "Version", "WorkItem"]


class Version(models.Model):
    """A recipe's text as it once was: who saved it, when, and what the compiler made of it."""

    id = models.BigAutoField(primary_key=True)
    orchestration = models.ForeignKey(
        Orchestration,
        verbose_name=_("recipe"),
        on_delete=models.DO_NOTHING,
        db_constraint=False,
        related_name="versions",
        db_index=False,
    )
    number = models.IntegerField(_("version"))
    title = models.TextField(_("title"), default="", db_default="", blank=True)
    source = models.TextField(_("text"))
    source_layer = models.TextField(_("layer"), choices=Layer.choices, default=Layer.HUMAN)
    compiled: JsonField = models.JSONField(_("compiled"), null=True)
    diagnostics: JsonField = models.JSONField(
        _("diagnostics"), default=list, db_default=models.Value([], models.JSONField())
    )
    author = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        verbose_name=_("saved by"),
        on_delete=models.DO_NOTHING,
        db_constraint=False,
        null=True,
        related_name="+",
    )
    note = models.TextField(_("note"), default="", db_default="", blank=True)
    status = models.TextField(
        _("status"), choices=VersionStatus.choices, default=VersionStatus.SAVED, db_default=models.Value("saved")
    )
    item_id = models.UUIDField(_("answers work item"), null=True)
    created_at = models.DateTimeField(_("saved"), db_default=DatabaseNow())

    class Meta:
        db_table = "orchestration_versions"
        verbose_name = _("version")
        verbose_name_plural = _("versions")
        ordering = ("-number",)
        constraints = [
            models.UniqueConstraint(fields=["orchestration", "number"], name="orchestration_versions_once"),
            models.CheckConstraint(condition=Q(number__gte=1), name="orchestration_versions_from_one"),
            models.CheckConstraint(condition=Q(source_layer__in=Layer.values), name="orchestration_versions_layer"),
            models.CheckConstraint(condition=Q(status__in=VersionStatus.values), name="orchestration_versions_status"),
        ]

    def __str__(self) -> str:
        return f"{self.title} ({self.number})"


class Considered(models.Model):
    """“Why didn't it run?”: how often a recipe saw an event of its kind and did not start, per reason."""

    id = models.BigAutoField(primary_key=True)
    orchestration = models.ForeignKey(
        Orchestration,
        verbose_name=_("recipe"),
        on_delete=models.DO_NOTHING,
        db_constraint=False,
        related_name="considered",
        db_index=False,
    )
    reason = ReasonField(_("reason"))
    times = models.BigIntegerField(_("times"), default=1)
    last_event_id = models.BigIntegerField(_("last event"), null=True)
    last_at = models.DateTimeField(_("last time"), db_default=DatabaseNow())

    class Meta:
        db_table = "orchestration_considered"
        verbose_name = _("event not followed")
        verbose_name_plural = _("events not followed")
        ordering = ("-last_at",)
        constraints = [models.UniqueConstraint(fields=["orchestration", "reason"], name="considered_once")]

    def __str__(self) -> str:
        return f"{self.reason} × {self.times}"


class Tombstone(models.Model):
    """A removed `observes` edge: this recipe never reacts to this node, whatever its conditions say.

    Written and removed by database triggers on `edges`, so that it holds whoever removes or draws the edge.
    """

    id = models.BigAutoField(primary_key=True)
    orchestration = models.ForeignKey(
        Orchestration,
        verbose_name=_("recipe"),
        on_delete=models.DO_NOTHING,
        db_constraint=False,
        related_name="tombstones",
        db_index=False,
    )
    node = models.ForeignKey(
        Node, verbose_name=_("node"), on_delete=models.DO_NOTHING, db_constraint=False, related_name="+"
    )
    created_at = models.DateTimeField(_("removed"), db_default=DatabaseNow())

    class Meta:
        db_table = "orchestration_tombstones"
        verbose_name = _("node not watched")
        verbose_name_plural = _("nodes not watched")
        constraints = [models.UniqueConstraint(fields=["orchestration", "node"], name="tombstones_once")]

    def __str__(self) -> str:
        return f"{self.orchestration_id} never {self.node_id}"
