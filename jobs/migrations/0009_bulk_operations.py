"""Bulk operations; and the attempts of a worker or a machine are found among millions."""

from __future__ import annotations

import django.contrib.postgres.fields
import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models

import synops.graph.columns


class Migration(migrations.Migration):
    dependencies = [
        ("jobs", "0008_newest_unsuccessful_steps"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="BulkOperation",
            fields=[
                (
                    "id",
                    models.UUIDField(
                        default=synops.graph.columns.new_id, editable=False, primary_key=True, serialize=False
                    ),
                ),
                ("operation", models.TextField(verbose_name="operation")),
                ("value", models.JSONField(null=True, verbose_name="value")),
                ("filters", models.JSONField(default=dict, verbose_name="filters")),
                (
                    "job_ids",
                    django.contrib.postgres.fields.ArrayField(
                        base_field=models.UUIDField(), null=True, size=None, verbose_name="jobs"
                    ),
                ),
                (
                    "created_at",
                    models.DateTimeField(
                        db_default=synops.graph.columns.DatabaseNow(), editable=False, verbose_name="asked for"
                    ),
                ),
                ("total", models.BigIntegerField(verbose_name="chosen jobs")),
                ("place", models.TextField(default="", verbose_name="place")),
                ("seen", models.BigIntegerField(default=0, verbose_name="jobs gone through")),
                ("changed", models.BigIntegerField(default=0, verbose_name="changed")),
                ("skipped", models.JSONField(default=dict, verbose_name="skipped")),
                ("started_at", models.DateTimeField(null=True, verbose_name="begun")),
                ("stop_requested_at", models.DateTimeField(null=True, verbose_name="stop asked for")),
                ("finished_at", models.DateTimeField(null=True, verbose_name="ended")),
                ("error", models.TextField(default="", verbose_name="error")),
            ],
            options={
                "verbose_name": "bulk operation",
                "verbose_name_plural": "bulk operations",
                "db_table": "job_bulk_operations",
                "ordering": ("-created_at", "-id"),
            },
        ),
        migrations.AddIndex(
            model_name="attempt",
            index=models.Index(fields=["worker_id", "started_at"], name="job_attempts_worker"),
        ),
        migrations.AddIndex(
            model_name="attempt",
            index=models.Index(fields=["machine", "started_at"], name="job_attempts_machine"),
        ),
        migrations.AddField(
            model_name="bulkoperation",
            name="user",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.CASCADE,
                related_name="+",
                to=settings.AUTH_USER_MODEL,
                verbose_name="asked for by",
            ),
        ),
        migrations.AddIndex(
            model_name="bulkoperation",
            index=models.Index(
                condition=models.Q(("finished_at__isnull", True)), fields=["created_at"], name="bulk_operations_open"
            ),
        ),
        migrations.AddIndex(
            model_name="bulkoperation",
            index=models.Index(fields=["user", "-created_at"], name="bulk_operations_of_user"),
        ),
    ]
