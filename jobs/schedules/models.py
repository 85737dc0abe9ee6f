"""The table of schedules. Seeding owns what a schedule does; cron, zone and whether it is on are the operator's."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from synops.graph.access import only_readable
from synops.graph.columns import DatabaseNow
from synops.graph.models import Node

if TYPE_CHECKING:
    from synops.graph.access import Viewer


class ScheduleQuerySet(models.QuerySet["Schedule"]):
    """Schedules, and which of them a person may see."""

    def visible_to(self, user: Viewer) -> Self:
        """Those in collections that `user` has access to; all for a superuser, none for a stranger."""
        return only_readable(self, user, "collection_node_id")


class Schedule(models.Model):
    """A cron entry: when it ticks, a job of `job_type` is enqueued."""

    name = models.TextField(_("name"), primary_key=True)
    description = models.TextField(_("description"), default="", db_default="", blank=True)
    cron = models.TextField(_("cron"))
    timezone = models.TextField(_("time zone"), default="Europe/Oslo", db_default=models.Value("Europe/Oslo"))
    job_type = models.TextField(_("job type"))
    payload: models.Field[Any, Any] = models.JSONField(
        _("payload"), default=dict, db_default=models.Value({}, models.JSONField()), blank=True
    )
    priority = models.SmallIntegerField(
        _("priority"), default=1, db_default=1, validators=[MinValueValidator(0), MaxValueValidator(10)]
    )
    max_concurrency = models.SmallIntegerField(
        _("at once"),
        default=1,
        db_default=1,
        validators=[MinValueValidator(1), MaxValueValidator(100)],
        help_text=_("A tick is left out when this many of its jobs are unfinished."),
    )
    collection_node = models.ForeignKey(
        Node, verbose_name=_("collection"), on_delete=models.DO_NOTHING, db_constraint=False, related_name="schedules"
    )
    # "code" = registered in code, "" = made by a person; else what it belongs to and goes with, such as recipe:<id>.
    owner = models.TextField(_("belongs to"), default="", db_default="", blank=True, db_index=True)
    enabled = models.BooleanField(_("enabled"), default=True, db_default=True)
    dormant = models.BooleanField(_("dormant"), default=False, db_default=False)
    orphaned = models.BooleanField(_("orphaned"), default=False, db_default=False)
    last_tick_at = models.DateTimeField(_("last tick"), db_default=DatabaseNow())
    last_job_id = models.UUIDField(_("last job"), null=True, editable=False)
    skipped = models.IntegerField(_("ticks left out"), default=0, db_default=0)
    created_at = models.DateTimeField(_("created"), db_default=DatabaseNow())

    objects = ScheduleQuerySet.as_manager()

    class Meta:
        app_label = "jobs"
        db_table = "job_schedules"
        verbose_name = _("schedule")
        verbose_name_plural = _("schedules")
        ordering = ("name",)
        permissions = [("run_schedule", _("Can run schedules by hand"))]
        constraints = [
            models.CheckConstraint(condition=~Q(name=""), name="schedules_named"),
            models.CheckConstraint(condition=Q(priority__range=(0, 10)), name="schedules_priority_range"),
            models.CheckConstraint(condition=Q(max_concurrency__range=(1, 100)), name="schedules_concurrency_range"),
        ]

    def __str__(self) -> str:
        return self.name
