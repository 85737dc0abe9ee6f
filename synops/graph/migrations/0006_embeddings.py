"""Passages of texts as vectors, which synops-embed fills."""

from __future__ import annotations

import django.contrib.postgres.fields
import django.db.models.deletion
from django.db import migrations, models

import synops.graph.columns
from synops.graph.sql_migration import RunSQLFile


class Migration(migrations.Migration):
    dependencies = [("graph", "0005_files")]

    operations = [
        migrations.CreateModel(
            name="Embedding",
            fields=[
                ("id", models.BigAutoField(primary_key=True, serialize=False)),
                ("model", models.TextField(verbose_name="model")),
                ("seq", models.IntegerField(verbose_name="number")),
                ("content", models.TextField(verbose_name="passage")),
                ("source_hash", models.TextField(verbose_name="hash of the whole text")),
                ("dimensions", models.IntegerField(verbose_name="dimensions")),
                (
                    "vector",
                    django.contrib.postgres.fields.ArrayField(
                        base_field=synops.graph.columns.RealField(), size=None, verbose_name="vector"
                    ),
                ),
                (
                    "created_at",
                    models.DateTimeField(
                        db_default=synops.graph.columns.DatabaseNow(), editable=False, verbose_name="created"
                    ),
                ),
                (
                    "node",
                    models.ForeignKey(
                        db_constraint=False,
                        db_index=False,
                        on_delete=django.db.models.deletion.DO_NOTHING,
                        related_name="embeddings",
                        to="graph.node",
                        verbose_name="node",
                    ),
                ),
            ],
            options={
                "verbose_name": "passage vector",
                "verbose_name_plural": "passage vectors",
                "db_table": "embeddings",
                "ordering": ("node", "model", "seq"),
                "constraints": [
                    models.UniqueConstraint(fields=("node", "model", "seq"), name="embeddings_once"),
                    models.CheckConstraint(
                        condition=models.Q(("dimensions__gte", 1), ("seq__gte", 1)), name="embeddings_positive"
                    ),
                ],
            },
        ),
        RunSQLFile(__file__, "0006_embeddings"),
    ]
