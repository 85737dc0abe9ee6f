"""The tables of what happened when jobs were run: attempts, and what their programs wrote to stderr."""

from __future__ import annotations

from typing import Any

from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from jobs.states import Outcome
from synops.graph.columns import DatabaseNow


class Attempt(models.Model):
    """One try at a job, by one worker under one lease."""

    id = models.BigAutoField(primary_key=True)
    job = models.ForeignKey(
        "jobs.Job",
        verbose_name=_("job"),
        on_delete=models.DO_NOTHING,
        db_constraint=False,
        related_name="attempt_rows",
        db_index=False,
    )
    lease = models.IntegerField(_("lease"))
    attempt = models.SmallIntegerField(_("attempt"))
    worker_id = models.UUIDField(_("worker"))
    machine = models.TextField(_("machine"), default="", db_default="")
    argv: models.Field[Any, Any] = models.JSONField(_("command"), null=True)
    due_at = models.DateTimeField(_("due"), null=True)
    started_at = models.DateTimeField(_("started"), db_default=DatabaseNow())
    finished_at = models.DateTimeField(_("finished"), null=True)
    outcome = models.TextField(_("outcome"), choices=Outcome.choices, null=True)  # noqa: DJ001
    reason = models.TextField(_("reason"), default="", db_default="")
    exit_code = models.IntegerField(_("exit code"), null=True)
    signal = models.SmallIntegerField(_("signal"), null=True)
    error = models.TextField(_("error"), null=True)  # noqa: DJ001
    progress = models.FloatField(_("progress"), null=True)
    message = models.TextField(_("message"), null=True)  # noqa: DJ001
    killed = models.IntegerField(_("processes killed"), default=0, db_default=0)
    cpu_seconds = models.FloatField(_("processor seconds"), null=True)
    max_rss_kb = models.BigIntegerField(_("memory (KiB)"), null=True)
    log_dropped_bytes = models.BigIntegerField(_("log bytes dropped"), default=0, db_default=0)

    class Meta:
        db_table = "job_attempts"
        verbose_name = _("attempt")
        verbose_name_plural = _("attempts")
        ordering = ("job", "lease")
        indexes = [
            models.Index(fields=["worker_id", "started_at"], name="job_attempts_worker"),
            models.Index(fields=["machine", "started_at"], name="job_attempts_machine"),
        ]
        constraints = [
            models.UniqueConstraint(fields=["job", "lease"], name="job_attempts_once"),
            models.CheckConstraint(
                condition=Q(progress__isnull=True) | Q(progress__range=(0, 1)), name="job_attempts_progress"
            ),
            models.CheckConstraint(
                condition=Q(outcome__isnull=True)
                | Q(outcome__in=["succeeded", "failed", "timed_out", "cancelled", "excluded", "lost"]),
                name="job_attempts_known_outcome",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.job_id} #{self.attempt}"


class LogChunk(models.Model):
    """A piece of one attempt's stderr, in order. The head is kept as it came, the tail as last seen."""

    class Part(models.TextChoices):
        HEAD = "head", _("beginning")
        TAIL = "tail", _("end")

    id = models.BigAutoField(primary_key=True)
    job = models.ForeignKey(
        "jobs.Job",
        verbose_name=_("job"),
        on_delete=models.DO_NOTHING,
        db_constraint=False,
        related_name="log_chunks",
        db_index=False,
    )
    lease = models.IntegerField(_("lease"))
    seq = models.IntegerField(_("number"))
    part = models.TextField(_("part"), choices=Part.choices, default=Part.HEAD, db_default=models.Value("head"))
    text = models.TextField(_("text"))
    created_at = models.DateTimeField(_("created"), db_default=DatabaseNow())

    class Meta:
        db_table = "job_log"
        verbose_name = _("log chunk")
        verbose_name_plural = _("log")
        ordering = ("job", "lease", "seq")
        constraints = [
            models.UniqueConstraint(fields=["job", "lease", "seq"], name="job_log_once"),
            models.CheckConstraint(condition=Q(part__in=["head", "tail"]), name="job_log_known_part"),
        ]

    def __str__(self) -> str:
        return f"{self.job_id} {self.lease}/{self.seq}"
