"""What synops-stats has counted, and what it keeps to count on: downloads, open windows, and how far each log is read."""

from __future__ import annotations

from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from synops.graph.columns import DatabaseNow


class DownloadCount(models.Model):
    """How often an episode was downloaded on a day with an app, by the IAB's rules. Written by synops-stats."""

    id = models.BigAutoField(primary_key=True)
    node = models.ForeignKey(
        "graph.Node",
        verbose_name=_("episode"),
        on_delete=models.DO_NOTHING,
        db_constraint=False,
        db_index=False,
        related_name="download_counts",
    )
    collection = models.ForeignKey(
        "graph.Node",
        verbose_name=_("collection"),
        on_delete=models.DO_NOTHING,
        db_constraint=False,
        db_index=False,
        related_name="+",
    )
    day = models.DateField(_("day"))
    app = models.TextField(_("app"))
    downloads = models.IntegerField(_("downloads"))

    class Meta:
        db_table = "download_counts"
        verbose_name = _("download count")
        verbose_name_plural = _("download counts")
        ordering = ("-day", "-id")
        indexes = [
            models.Index(fields=["node", "day"], name="download_counts_node"),
            models.Index(fields=["-day", "-id"], name="download_counts_day"),
        ]
        constraints = [
            models.UniqueConstraint(fields=["collection", "node", "day", "app"], name="download_counts_once"),
            models.CheckConstraint(condition=Q(downloads__gte=1), name="download_counts_positive"),
        ]

    def __str__(self) -> str:
        return f"{self.node_id} {self.day} {self.downloads}"


class DownloadWindow(models.Model):
    """What one listener has got of one file within the window that counts as one download. Kept for two days.

    `client` is a keyed hash of address and app: who listened can't be read from it.
    """

    id = models.BigAutoField(primary_key=True)
    path = models.TextField(_("published file"))
    client = models.TextField(_("listener"))
    started_at = models.DateTimeField(_("first request"))
    last_at = models.DateTimeField(_("latest request"))
    spans: models.Field[list[list[int]], list[list[int]]] = models.JSONField(_("bytes received"))
    counted = models.BooleanField(_("counted"))

    class Meta:
        db_table = "download_windows"
        verbose_name = _("download window")
        verbose_name_plural = _("download windows")
        indexes = [models.Index(fields=["last_at"], name="download_windows_old")]
        constraints = [
            models.UniqueConstraint(fields=["path", "client", "started_at"], name="download_windows_once"),
        ]

    def __str__(self) -> str:
        return f"{self.path} {self.started_at}"


class LogPosition(models.Model):
    """How far an access log has been read. A log is known by its first line, which survives renaming and packing."""

    first_line = models.TextField(_("digest of the first line"), primary_key=True)
    name = models.TextField(_("file"))
    position = models.BigIntegerField(_("bytes read"))
    packed_size = models.BigIntegerField(_("size when it was read"), default=0, db_default=0)
    read_at = models.DateTimeField(_("read"), db_default=DatabaseNow())

    class Meta:
        db_table = "log_positions"
        verbose_name = _("log position")
        verbose_name_plural = _("log positions")
        constraints = [
            models.CheckConstraint(condition=Q(position__gte=0), name="log_positions_positive"),
        ]

    def __str__(self) -> str:
        return f"{self.name} {self.position}"
