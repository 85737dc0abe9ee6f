# What operators may do to workers and live calls.

from __future__ import annotations

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("resources", "0001_initial"),
    ]

    operations = [
        migrations.AlterModelOptions(
            name="priorityrule",
            options={
                "ordering": ("job_type",),
                "permissions": [("switch_live_call", "Can switch live calls on and off")],
                "verbose_name": "priority rule",
                "verbose_name_plural": "priority rules",
            },
        ),
        migrations.AlterModelOptions(
            name="worker",
            options={
                "ordering": ("-started_at",),
                "permissions": [("drain_worker", "Can let workers take no more jobs")],
                "verbose_name": "worker",
                "verbose_name_plural": "workers",
            },
        ),
        migrations.AddField(
            model_name="worker",
            name="drain_requested_at",
            field=models.DateTimeField(null=True, verbose_name="asked to take no more"),
        ),
    ]
