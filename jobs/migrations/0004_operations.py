# What people may do to jobs, and an index for what ended lately.

from __future__ import annotations

from django.contrib.postgres.indexes import BrinIndex
from django.db import migrations


class Migration(migrations.Migration):
    dependencies = [
        ("graph", "0005_files"),
        ("jobs", "0003_job_counts"),
    ]

    operations = [
        migrations.AlterModelOptions(
            name="job",
            options={
                "ordering": ("-created_at", "-id"),
                "permissions": [
                    ("enqueue_job", "Can enqueue jobs"),
                    ("retry_job", "Can retry jobs"),
                    ("cancel_job", "Can cancel jobs"),
                    ("run_now_job", "Can make jobs due now"),
                    ("defer_job", "Can defer jobs"),
                    ("prioritise_job", "Can change the priority of jobs"),
                ],
                "verbose_name": "job",
                "verbose_name_plural": "jobs",
            },
        ),
        migrations.AddIndex(
            model_name="job",
            index=BrinIndex(
                autosummarize=True, fields=["completed_at"], name="job_queue_completed", pages_per_range=32
            ),
        ),
    ]
