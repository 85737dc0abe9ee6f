"""The jobs of a rare type are found among millions."""

from __future__ import annotations

import django.contrib.postgres.indexes
from django.db import migrations


class Migration(migrations.Migration):
    dependencies = [
        ("jobs", "0009_bulk_operations"),
    ]

    operations = [
        migrations.AddIndex(
            model_name="job",
            index=django.contrib.postgres.indexes.BrinIndex(
                autosummarize=True,
                fields=["job_type"],
                name="job_queue_type",
                opclasses=["text_bloom_ops(n_distinct_per_range=64)"],
                pages_per_range=128,
            ),
        ),
    ]
