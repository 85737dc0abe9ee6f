"""The table of bulk operations: who wants what done to which jobs, how far it has come, and what came of it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

from django.conf import settings
from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from synops.graph.access import only_own
from synops.graph.columns import DatabaseNow, new_id

if TYPE_CHECKING:
    from django.contrib.auth.models import User
    from django.db.models.expressions import Combinable

    from synops.graph.access import Viewer


class BulkOperationQuerySet(models.QuerySet["BulkOperation"]):
    """Bulk operations, and which of them a person may see."""

    def visible_to(self, user: Viewer) -> Self:
        """A person's own; all for a superuser."""
        return only_own(self, user, "user_id")


class BulkOperation(models.Model):
    """One operation (`jobs.operations`) on all jobs that `filters` find, or on `job_ids`, made before `created_at`.

    Workers go through them from the newest to the oldest; `place` is the last one that is done (`jobs.keyset.Place`).
    """

    id = models.UUIDField(primary_key=True, default=new_id, editable=False)
    user: models.ForeignKey[User | Combinable, User] = models.ForeignKey(
        settings.AUTH_USER_MODEL, verbose_name=_("asked for by"), on_delete=models.CASCADE, related_name="+"
    )
    operation = models.TextField(_("operation"))
    value: models.Field[Any, Any] = models.JSONField(_("value"), null=True)
    filters: models.Field[dict[str, str] | Combinable, dict[str, str]] = models.JSONField(_("filters"), default=dict)
    job_ids = ArrayField(models.UUIDField(), verbose_name=_("jobs"), null=True)
    created_at = models.DateTimeField(_("asked for"), db_default=DatabaseNow(), editable=False)
    total = models.BigIntegerField(_("chosen jobs"))
    place = models.TextField(_("place"), default="")
    seen = models.BigIntegerField(_("jobs gone through"), default=0)
    changed = models.BigIntegerField(_("changed"), default=0)
    skipped: models.Field[dict[str, int] | Combinable, dict[str, int]] = models.JSONField(_("skipped"), default=dict)
    started_at = models.DateTimeField(_("begun"), null=True)
    stop_requested_at = models.DateTimeField(_("stop asked for"), null=True)
    finished_at = models.DateTimeField(_("ended"), null=True)
    error = models.TextField(_("error"), default="")

    objects = BulkOperationQuerySet.as_manager()

    class Meta:
        db_table = "job_bulk_operations"
        verbose_name = _("bulk operation")
        verbose_name_plural = _("bulk operations")
        ordering = ("-created_at", "-id")
        indexes = [
            # What workers look for every two seconds: it holds nothing but what is under way.
            models.Index(fields=["created_at"], name="bulk_operations_open", condition=Q(finished_at__isnull=True)),
            models.Index(fields=["user", "-created_at"], name="bulk_operations_of_user"),
        ]

    def __str__(self) -> str:
        return f"{self.operation} {str(self.id)[:8]}"
