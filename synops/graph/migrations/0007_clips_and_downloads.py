"""Look-up of clipped pages, and what synops-stats keeps: downloads, open windows, and how far each log has been read."""

from __future__ import annotations

import django.db.models.deletion
from django.db import migrations, models

import synops.graph.columns
from synops.graph.sql_migration import RunSQLFile


class Migration(migrations.Migration):
    dependencies = [
        ("graph", "0006_embeddings"),
    ]

    operations = [
        migrations.CreateModel(
            name="DownloadWindow",
            fields=[
                ("id", models.BigAutoField(primary_key=True, serialize=False)),
                ("path", models.TextField(verbose_name="published file")),
                ("client", models.TextField(verbose_name="listener")),
                ("started_at", models.DateTimeField(verbose_name="first request")),
                ("last_at", models.DateTimeField(verbose_name="latest request")),
                ("spans", models.JSONField(verbose_name="bytes received")),
                ("counted", models.BooleanField(verbose_name="counted")),
            ],
            options={
                "verbose_name": "download window",
                "verbose_name_plural": "download windows",
                "db_table": "download_windows",
                "indexes": [models.Index(fields=["last_at"], name="download_windows_old")],
                "constraints": [
                    models.UniqueConstraint(fields=("path", "client", "started_at"), name="download_windows_once")
                ],
            },
        ),
        migrations.CreateModel(
            name="LogPosition",
            fields=[
                (
                    "first_line",
                    models.TextField(primary_key=True, serialize=False, verbose_name="digest of the first line"),
                ),
                ("name", models.TextField(verbose_name="file")),
                ("position", models.BigIntegerField(verbose_name="bytes read")),
                ("packed_size", models.BigIntegerField(db_default=0, default=0, verbose_name="size when it was read")),
                ("read_at", models.DateTimeField(db_default=synops.graph.columns.DatabaseNow(), verbose_name="read")),
            ],
            options={
                "verbose_name": "log position",
                "verbose_name_plural": "log positions",
                "db_table": "log_positions",
                "constraints": [
                    models.CheckConstraint(condition=models.Q(("position__gte", 0)), name="log_positions_positive")
                ],
            },
        ),
        migrations.CreateModel(
            name="DownloadCount",
            fields=[
                ("id", models.BigAutoField(primary_key=True, serialize=False)),
                ("day", models.DateField(verbose_name="day")),
                ("app", models.TextField(verbose_name="app")),
                ("downloads", models.IntegerField(verbose_name="downloads")),
                (
                    "collection",
                    models.ForeignKey(
                        db_constraint=False,
                        db_index=False,
                        on_delete=django.db.models.deletion.DO_NOTHING,
                        related_name="+",
                        to="graph.node",
                        verbose_name="collection",
                    ),
                ),
                (
                    "node",
                    models.ForeignKey(
                        db_constraint=False,
                        db_index=False,
                        on_delete=django.db.models.deletion.DO_NOTHING,
                        related_name="download_counts",
                        to="graph.node",
                        verbose_name="episode",
                    ),
                ),
            ],
            options={
                "verbose_name": "download count",
                "verbose_name_plural": "download counts",
                "db_table": "download_counts",
                "ordering": ("-day", "-id"),
                "indexes": [
                    models.Index(fields=["node", "day"], name="download_counts_node"),
                    models.Index(fields=["-day", "-id"], name="download_counts_day"),
                ],
                "constraints": [
                    models.UniqueConstraint(fields=("collection", "node", "day", "app"), name="download_counts_once"),
                    models.CheckConstraint(condition=models.Q(("downloads__gte", 1)), name="download_counts_positive"),
                ],
            },
        ),
        RunSQLFile(__file__, "0007_clips_and_downloads"),
    ]
