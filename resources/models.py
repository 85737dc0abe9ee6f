"""What limits the work: the rules per job type, disk readings, and the workers that are alive. Never reads job_queue."""

from __future__ import annotations

from django.contrib.postgres.fields import ArrayField
from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models
from django.db.models import F, Q, Value
from django.utils.translation import gettext_lazy as _

from synops.graph.columns import DatabaseNow, new_id

DEFAULT_TIMEOUT_SECONDS = 600
"""What `timeout_seconds = 0` means (spec, jobbkø §4.4)."""


class PriorityRule(models.Model):
    """How jobs of one type are ranked and limited. The claim reads it fresh, so a change acts at once.

    A type without a rule has weight 1, no maximum and 600 s.
    """

    job_type = models.TextField(_("job type"), primary_key=True)
    base_priority = models.SmallIntegerField(
        _("base priority"),
        default=5,
        db_default=5,
        validators=[MinValueValidator(0), MaxValueValidator(10)],
        help_text=_("0–10, higher is more important. Used when the caller gives no priority."),
    )
    livekit_priority_adj = models.SmallIntegerField(
        _("adjustment during a live call"),
        default=0,
        db_default=0,
        validators=[MinValueValidator(-10), MaxValueValidator(10)],
        help_text=_("Added to the priority while a live call is on; usually negative."),
    )
    cpu_weight = models.SmallIntegerField(
        _("weight"),
        default=1,
        db_default=1,
        validators=[MinValueValidator(0), MaxValueValidator(5)],
        help_text=_("1–5, counted against the machine's budget. 0 only for types that run inside the worker."),
    )
    max_concurrent = models.SmallIntegerField(
        _("at the same time"),
        default=0,
        db_default=0,
        validators=[MinValueValidator(0)],
        help_text=_("How many may run at once over all workers; 0 = no limit."),
    )
    timeout_seconds = models.IntegerField(
        _("time limit"),
        default=0,
        db_default=0,
        validators=[MinValueValidator(0)],
        help_text=_("Seconds for one attempt; 0 = 600."),
    )
    block_during_livekit = models.BooleanField(_("waits during live calls"), default=False, db_default=False)
    paused = models.BooleanField(_("paused"), default=False, db_default=False)
    hold_when_disk_full = models.BooleanField(_("waits while the disk is full"), default=False, db_default=False)
    max_open_files = models.IntegerField(_("open files"), null=True, blank=True, validators=[MinValueValidator(16)])
    max_cpu_seconds = models.IntegerField(
        _("processor seconds"), null=True, blank=True, validators=[MinValueValidator(1)]
    )
    max_rss_mb = models.IntegerField(_("memory (MiB)"), null=True, blank=True, validators=[MinValueValidator(16)])
    updated_at = models.DateTimeField(_("changed"), db_default=DatabaseNow(), editable=False)

    class Meta:
        db_table = "job_priority_rules"
        verbose_name = _("priority rule")
        verbose_name_plural = _("priority rules")
        ordering = ("job_type",)
        permissions = [("switch_live_call", _("Can switch live calls on and off"))]
        constraints = [
            models.CheckConstraint(condition=~Q(job_type=""), name="rules_type_named"),
            models.CheckConstraint(condition=Q(base_priority__range=(0, 10)), name="rules_priority_range"),
            models.CheckConstraint(condition=Q(livekit_priority_adj__range=(-10, 10)), name="rules_adj_range"),
            models.CheckConstraint(condition=Q(cpu_weight__range=(0, 5)), name="rules_weight_range"),
            models.CheckConstraint(condition=Q(max_concurrent__gte=0), name="rules_max_not_negative"),
            models.CheckConstraint(condition=Q(timeout_seconds__gte=0), name="rules_timeout_not_negative"),
            models.CheckConstraint(
                condition=(Q(max_open_files__isnull=True) | Q(max_open_files__gte=16))
                & (Q(max_cpu_seconds__isnull=True) | Q(max_cpu_seconds__gte=1))
                & (Q(max_rss_mb__isnull=True) | Q(max_rss_mb__gte=16)),
                name="rules_limits_sane",
            ),
        ]

    def __str__(self) -> str:
        return self.job_type


class DiskReading(models.Model):
    """How full a path of a machine was. The last 1,000 readings per machine are kept (spec, jobbkø §4.4)."""

    class Level(models.TextChoices):
        OK = "ok", _("normal")
        WARNING = "warning", _("filling up")
        CRITICAL = "critical", _("nearly full")
        EMERGENCY = "emergency", _("full")

    id = models.BigAutoField(primary_key=True)
    machine = models.TextField(_("machine"))
    path = models.TextField(_("path"))
    total_bytes = models.BigIntegerField(_("size"))
    used_bytes = models.BigIntegerField(_("used"))
    percent = models.FloatField(_("per cent"))
    level = models.TextField(_("level"), choices=Level.choices)
    measured_at = models.DateTimeField(_("measured"), db_default=DatabaseNow())

    class Meta:
        db_table = "disk_status_log"
        verbose_name = _("disk reading")
        verbose_name_plural = _("disk readings")
        ordering = ("-id",)
        indexes = [models.Index(fields=["machine", "-id"], name="disk_status_machine")]
        constraints = [
            models.CheckConstraint(
                condition=Q(level__in=["ok", "warning", "critical", "emergency"]), name="disk_known_level"
            ),
            models.CheckConstraint(
                condition=Q(total_bytes__gte=0, used_bytes__gte=0, used_bytes__lte=F("total_bytes")),
                name="disk_sizes_sane",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.machine} {self.path} {self.percent:.0f} %"


class Worker(models.Model):
    """One start of a worker process, under a fresh UUID: host names and process ids are used again, this is not."""

    class State(models.TextChoices):
        RUNNING = "running", _("running")
        DRAINING = "draining", _("draining")
        STOPPED = "stopped", _("stopped")
        LOST = "lost", _("lost")

    id = models.UUIDField(primary_key=True, default=new_id, editable=False)
    machine = models.TextField(_("machine"))
    pid = models.IntegerField(_("process"))
    version = models.TextField(_("version"), default="", db_default="")
    state = models.TextField(_("state"), choices=State.choices, default=State.RUNNING, db_default="running")
    governor = models.TextField(_("governor"), default="auto", db_default="auto")
    max_concurrent = models.SmallIntegerField(_("slots"))
    max_weight = models.SmallIntegerField(_("budget"))
    running = models.SmallIntegerField(_("running jobs"), default=0, db_default=0)
    load_1m = models.FloatField(_("load"), null=True)
    rss_bytes = models.BigIntegerField(_("memory"), null=True)
    listening = models.BooleanField(_("hears new work"), default=False, db_default=False)
    types = ArrayField(models.TextField(), verbose_name=_("types"), default=list, db_default=Value("{}"), blank=True)
    started_at = models.DateTimeField(_("started"), db_default=DatabaseNow())
    heartbeat_at = models.DateTimeField(_("last heartbeat"), db_default=DatabaseNow())
    stopped_at = models.DateTimeField(_("stopped"), null=True)
    drain_requested_at = models.DateTimeField(_("asked to take no more"), null=True)

    class Meta:
        db_table = "workers"
        verbose_name = _("worker")
        verbose_name_plural = _("workers")
        permissions = [("drain_worker", _("Can let workers take no more jobs"))]
        ordering = ("-started_at",)
        indexes = [
            models.Index(fields=["heartbeat_at"], name="workers_alive", condition=Q(state__in=["running", "draining"]))
        ]
        constraints = [
            models.CheckConstraint(
                condition=Q(state__in=["running", "draining", "stopped", "lost"]), name="workers_known_state"
            ),
            models.CheckConstraint(condition=Q(governor__in=["auto", "off"]), name="workers_known_governor"),
            models.CheckConstraint(
                condition=Q(state__in=["stopped", "lost"], stopped_at__isnull=False)
                | Q(state__in=["running", "draining"], stopped_at__isnull=True),
                name="workers_stopped_when",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.machine} {self.pid}"
