"""The queue's tables as the admin and the API read them. Only jobs/queue changes a job's state."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

from django.contrib.postgres.fields import ArrayField
from django.contrib.postgres.indexes import BrinIndex
from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from jobs.attempts import Attempt, LogChunk
from jobs.bulk.models import BulkOperation
from jobs.pipelines.models import Generation, PipelineStep, Repair
from jobs.schedules.models import Schedule
from jobs.states import Outcome, Status
from jobs.status_field import StatusField
from synops.graph.access import only_in_readable_collections
from synops.graph.columns import DatabaseNow, RandomUUID, new_id
from synops.graph.models import Node

__all__ = [
    "Attempt",
    "BulkOperation",
    "Generation",
    "Job",
    "JobCount",
    "LogChunk",
    "PipelineStep",
    "Repair",
    "Schedule",
]

if TYPE_CHECKING:
    from django.db.models.expressions import Combinable

    from synops.graph.access import Viewer


class JobQuerySet(models.QuerySet["Job"]):
    """Jobs, and which of them a person may see (spec, jobbkø §6)."""

    def visible_to(self, user: Viewer) -> Self:
        """Jobs of collections that `user` has access to; all for a superuser, none for a stranger."""
        return only_in_readable_collections(self, user, "collection_node_id")


class Job(models.Model):
    """One piece of work: the spec's `job_queue` row and the columns that make it safe (docs/job-lifecycle.md)."""

    class RetryOn(models.TextChoices):
        ANY = "any", _("any failure")
        TRANSIENT = "transient", _("passing failures only")

    id = models.UUIDField(primary_key=True, default=new_id, db_default=RandomUUID(), editable=False)
    collection_node = models.ForeignKey(
        Node,
        verbose_name=_("collection"),
        on_delete=models.DO_NOTHING,
        db_constraint=False,
        related_name="jobs",
        db_index=False,
    )
    job_type = models.TextField(_("type"))
    payload: models.Field[dict[str, Any] | Combinable, dict[str, Any]] = models.JSONField(_("payload"))
    status = StatusField(_("status"), default=Status.PENDING, db_default=models.Value("pending"))
    priority = models.SmallIntegerField(
        _("priority"), default=0, db_default=0, validators=[MinValueValidator(0), MaxValueValidator(10)]
    )
    result: models.Field[Any, Any] = models.JSONField(_("result"), null=True)
    error_msg = models.TextField(_("error"), null=True)  # noqa: DJ001 (the spec's column)
    attempts = models.SmallIntegerField(_("attempts"), default=0, db_default=0)
    max_attempts = models.SmallIntegerField(_("attempts at most"), default=3, db_default=3)
    created_at = models.DateTimeField(_("created"), db_default=DatabaseNow())
    started_at = models.DateTimeField(_("started"), null=True)
    completed_at = models.DateTimeField(_("finished"), null=True)
    scheduled_for = models.DateTimeField(_("due"), db_default=DatabaseNow())

    # Ours: fencing, ownership and how it ended.
    lease = models.IntegerField(_("lease"), default=0, db_default=0)
    worker_id = models.UUIDField(_("worker"), null=True)
    claim_no = models.BigIntegerField(_("claim number"), default=0, db_default=0, editable=False)
    outcome = models.TextField(_("outcome"), choices=Outcome.choices, null=True)  # noqa: DJ001
    dedupe_key = models.TextField(_("dedupe key"), null=True)  # noqa: DJ001
    order_key = models.TextField(_("order key"), null=True)  # noqa: DJ001
    cancel_requested_at = models.DateTimeField(_("cancel asked for"), null=True)
    interruptions = models.SmallIntegerField(_("interruptions"), default=0, db_default=0)
    run_id = models.UUIDField(_("run"), null=True)
    chain = ArrayField(models.UUIDField(), verbose_name=_("chain"), null=True)
    retry_on = models.TextField(
        _("retry on"), choices=RetryOn.choices, default=RetryOn.ANY, db_default=models.Value("any")
    )

    objects = JobQuerySet.as_manager()

    class Meta:
        db_table = "job_queue"
        verbose_name = _("job")
        verbose_name_plural = _("jobs")
        ordering = ("-created_at", "-id")
        permissions = [
            ("enqueue_job", _("Can enqueue jobs")),
            ("retry_job", _("Can retry jobs")),
            ("cancel_job", _("Can cancel jobs")),
            ("run_now_job", _("Can make jobs due now")),
            ("defer_job", _("Can defer jobs")),
            ("prioritise_job", _("Can change the priority of jobs")),
        ]
        indexes = [
            # Replaces the spec's partial index, which costs 30 ms behind 200,000 rows of a saturated type.
            models.Index(
                models.F("job_type"),
                models.F("priority").desc(),
                models.F("scheduled_for"),
                models.F("id"),
                name="job_queue_claim",
                condition=Q(status__in=["pending", "retry"]),
            ),
            # By number and not by type: a claim begins behind what finished long ago (jobs/queue/claiming.py).
            models.Index(fields=["claim_no"], name="job_queue_running", condition=Q(status="running")),
            models.Index(
                models.F("collection_node"),
                models.F("created_at").desc(),
                models.F("id").desc(),
                name="job_queue_collection",
            ),
            models.Index(models.F("created_at").desc(), models.F("id").desc(), name="job_queue_created"),
            models.Index(
                models.F("status"),
                models.F("created_at").desc(),
                models.F("id").desc(),
                name="job_queue_status_created",
            ),
            models.Index(
                fields=["order_key", "created_at", "id"],
                name="job_queue_order",
                condition=Q(order_key__isnull=False) & Q(status__in=["pending", "retry", "running"]),
            ),
            models.Index(fields=["run_id"], name="job_queue_run", condition=Q(run_id__isnull=False)),
            # The guards count replies; rows of other types do not enter it.
            models.Index(
                fields=["collection_node", "completed_at"],
                name="job_queue_agents",
                condition=Q(job_type="agent_respond"),
            ),
            # What ended lately lies together in the heap, so a summary of each range is enough and costs writers nothing.
            BrinIndex(fields=["completed_at"], name="job_queue_completed", autosummarize=True, pages_per_range=32),
            # A rare type among millions: which ranges of the heap may hold it. A range has few types, whence the 64.
            BrinIndex(
                fields=["job_type"],
                name="job_queue_type",
                opclasses=["text_bloom_ops(n_distinct_per_range=64)"],
                autosummarize=True,
                pages_per_range=128,
            ),
        ]
        constraints = [
            models.CheckConstraint(condition=~Q(job_type=""), name="job_type_named"),
            models.CheckConstraint(condition=Q(priority__range=(0, 10)), name="job_priority_range"),
            models.CheckConstraint(
                condition=Q(attempts__gte=0, max_attempts__gte=1, lease__gte=0, interruptions__gte=0),
                name="job_counters_not_negative",
            ),
            models.CheckConstraint(
                condition=Q(outcome__isnull=True)
                | Q(outcome__in=["succeeded", "failed", "timed_out", "cancelled", "excluded", "lost"]),
                name="job_known_outcome",
            ),
            models.CheckConstraint(condition=Q(retry_on__in=["any", "transient"]), name="job_known_retry_on"),
            # A row is owned exactly while it runs, and has ended exactly when it says how.
            models.CheckConstraint(
                condition=Q(status="running", worker_id__isnull=False, started_at__isnull=False)
                | (~Q(status="running") & Q(worker_id__isnull=True)),
                name="job_owned_while_running",
            ),
            models.CheckConstraint(
                condition=Q(status="completed", completed_at__isnull=False, outcome__in=["succeeded", "excluded"])
                | Q(
                    status="error",
                    completed_at__isnull=False,
                    outcome__in=["failed", "timed_out", "cancelled", "lost"],
                )
                | Q(
                    status__in=["pending", "retry", "running"],
                    completed_at__isnull=True,
                    outcome__isnull=True,
                ),
                name="job_ended_says_how",
            ),
            models.CheckConstraint(
                condition=Q(cancel_requested_at__isnull=True) | Q(status__in=["running", "error"]),
                name="job_cancel_only_running",
            ),
            models.UniqueConstraint(
                fields=["job_type", "dedupe_key"],
                name="job_dedupe_unfinished",
                condition=Q(dedupe_key__isnull=False) & Q(status__in=["pending", "retry", "running"]),
            ),
        ]

    def __str__(self) -> str:
        return f"{self.job_type} {str(self.id)[:8]}"


class JobCount(models.Model):
    """How many jobs of a type ended how on a day (UTC), of those that have been pruned."""

    id = models.BigAutoField(primary_key=True)
    day = models.DateField(_("day"))
    job_type = models.TextField(_("job type"))
    outcome = models.TextField(_("outcome"), choices=Outcome.choices)
    jobs = models.BigIntegerField(_("jobs"))

    class Meta:
        db_table = "job_counts"
        verbose_name = _("job count")
        verbose_name_plural = _("job counts")
        ordering = ("-day", "job_type", "outcome")
        constraints = [models.UniqueConstraint(fields=["day", "job_type", "outcome"], name="job_counts_once")]

    def __str__(self) -> str:
        return f"{self.day} {self.job_type} {self.outcome} {self.jobs}"
