"""Generations and items of pipelines, repairs, and what a schedule belongs to."""

from __future__ import annotations

import django.core.validators
import django.db.models.deletion
from django.db import migrations, models

import synops.graph.columns
from synops.graph.sql_migration import RunSQLFile


class Migration(migrations.Migration):
    dependencies = [
        ("graph", "0003_outbox"),
        ("jobs", "0004_operations"),
    ]

    operations = [
        migrations.CreateModel(
            name="Generation",
            fields=[
                ("id", models.BigAutoField(primary_key=True, serialize=False)),
                ("pipeline", models.TextField(verbose_name="pipeline")),
                ("unit", models.TextField(verbose_name="unit")),
                ("generation", models.IntegerField(verbose_name="generation")),
                (
                    "cause",
                    models.TextField(
                        choices=[("selected", "selected"), ("manual", "by hand"), ("bulk", "in bulk")],
                        verbose_name="cause",
                    ),
                ),
                ("priority", models.SmallIntegerField(null=True, verbose_name="priority")),
                (
                    "state",
                    models.TextField(
                        choices=[
                            ("running", "running"),
                            ("succeeded", "succeeded"),
                            ("permanently_failed", "permanently failed"),
                            ("excluded", "excluded"),
                            ("superseded", "superseded"),
                        ],
                        db_default=models.Value("running"),
                        default="running",
                        verbose_name="state",
                    ),
                ),
                ("reason", models.TextField(blank=True, db_default="", default="", verbose_name="reason")),
                (
                    "created_at",
                    models.DateTimeField(db_default=synops.graph.columns.DatabaseNow(), verbose_name="created"),
                ),
                ("finished_at", models.DateTimeField(null=True, verbose_name="finished")),
            ],
            options={
                "verbose_name": "pipeline run",
                "verbose_name_plural": "pipeline runs",
                "db_table": "pipeline_generations",
                "ordering": ("-id",),
                "permissions": [("reanalyse_unit", "Can run units of a pipeline again")],
            },
        ),
        migrations.CreateModel(
            name="Repair",
            fields=[
                ("id", models.BigAutoField(primary_key=True, serialize=False)),
                ("pipeline", models.TextField(verbose_name="pipeline")),
                ("kind", models.TextField(verbose_name="kind")),
                ("repaired", models.IntegerField(verbose_name="repaired")),
                ("created_at", models.DateTimeField(db_default=synops.graph.columns.DatabaseNow(), verbose_name="at")),
            ],
            options={
                "verbose_name": "repair",
                "verbose_name_plural": "repairs",
                "db_table": "pipeline_repairs",
                "ordering": ("-id",),
            },
        ),
        migrations.AlterModelOptions(
            name="pipelinestep",
            options={"ordering": ("-id",), "verbose_name": "pipeline step", "verbose_name_plural": "pipeline steps"},
        ),
        migrations.AlterModelOptions(
            name="schedule",
            options={
                "ordering": ("name",),
                "permissions": [("run_schedule", "Can run schedules by hand")],
                "verbose_name": "schedule",
                "verbose_name_plural": "schedules",
            },
        ),
        migrations.RemoveConstraint(
            model_name="pipelinestep",
            name="pipeline_steps_once",
        ),
        migrations.RemoveConstraint(
            model_name="pipelinestep",
            name="pipeline_steps_known_state",
        ),
        migrations.RemoveIndex(
            model_name="pipelinestep",
            name="pipeline_steps_state",
        ),
        migrations.AddField(
            model_name="pipelinestep",
            name="collection_node",
            field=models.ForeignKey(
                db_constraint=False,
                db_index=False,
                null=True,
                on_delete=django.db.models.deletion.DO_NOTHING,
                related_name="+",
                to="graph.node",
                verbose_name="collection",
            ),
        ),
        migrations.AddField(
            model_name="pipelinestep",
            name="item",
            field=models.TextField(blank=True, db_default="", default="", verbose_name="item"),
        ),
        migrations.AddField(
            model_name="schedule",
            name="last_job_id",
            field=models.UUIDField(editable=False, null=True, verbose_name="last job"),
        ),
        migrations.AddField(
            model_name="schedule",
            name="max_concurrency",
            field=models.SmallIntegerField(
                db_default=1,
                default=1,
                help_text="A tick is left out when this many of its jobs are unfinished.",
                validators=[django.core.validators.MinValueValidator(1), django.core.validators.MaxValueValidator(100)],
                verbose_name="at once",
            ),
        ),
        migrations.AddField(
            model_name="schedule",
            name="owner",
            field=models.TextField(blank=True, db_default="", db_index=True, default="", verbose_name="belongs to"),
        ),
        migrations.AddField(
            model_name="schedule",
            name="skipped",
            field=models.IntegerField(db_default=0, default=0, verbose_name="ticks left out"),
        ),
        migrations.AlterField(
            model_name="pipelinestep",
            name="attempt",
            field=models.SmallIntegerField(db_default=0, default=0, verbose_name="attempt"),
        ),
        migrations.AlterField(
            model_name="pipelinestep",
            name="state",
            field=models.TextField(
                choices=[
                    ("pending", "waiting"),
                    ("running", "running"),
                    ("succeeded", "succeeded"),
                    ("failed", "failed, to be tried again"),
                    ("permanently_failed", "permanently failed"),
                    ("excluded", "excluded"),
                    ("superseded", "superseded"),
                ],
                verbose_name="state",
            ),
        ),
        migrations.AlterField(
            model_name="schedule",
            name="priority",
            field=models.SmallIntegerField(
                db_default=1,
                default=1,
                validators=[django.core.validators.MinValueValidator(0), django.core.validators.MaxValueValidator(10)],
                verbose_name="priority",
            ),
        ),
        migrations.AddIndex(
            model_name="pipelinestep",
            index=models.Index(
                condition=models.Q(("state__in", ["pending", "running", "failed"])),
                fields=["pipeline", "unit", "generation", "step"],
                name="pipeline_steps_open",
            ),
        ),
        migrations.AddIndex(
            model_name="pipelinestep",
            index=models.Index(
                condition=models.Q(("job_id__isnull", False)), fields=["job_id"], name="pipeline_steps_job"
            ),
        ),
        migrations.AddIndex(
            model_name="pipelinestep",
            index=models.Index(
                condition=models.Q(("finished_at__isnull", False)),
                fields=["pipeline", "state", "finished_at"],
                include=("step", "collection_node"),
                name="pipeline_steps_finished",
            ),
        ),
        migrations.AddConstraint(
            model_name="pipelinestep",
            constraint=models.UniqueConstraint(
                fields=("pipeline", "unit", "generation", "step", "item"), name="pipeline_steps_once"
            ),
        ),
        migrations.AddConstraint(
            model_name="pipelinestep",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    (
                        "state__in",
                        ["pending", "running", "succeeded", "failed", "permanently_failed", "excluded", "superseded"],
                    )
                ),
                name="pipeline_steps_known_state",
            ),
        ),
        migrations.AddConstraint(
            model_name="schedule",
            constraint=models.CheckConstraint(
                condition=models.Q(("max_concurrency__range", (1, 100))), name="schedules_concurrency_range"
            ),
        ),
        migrations.AddField(
            model_name="generation",
            name="collection_node",
            field=models.ForeignKey(
                db_constraint=False,
                on_delete=django.db.models.deletion.DO_NOTHING,
                related_name="+",
                to="graph.node",
                verbose_name="collection",
            ),
        ),
        migrations.AddIndex(
            model_name="repair",
            index=models.Index(fields=["created_at"], name="pipeline_repairs_at"),
        ),
        migrations.AddIndex(
            model_name="generation",
            index=models.Index(fields=["pipeline", "state", "-id"], name="pipeline_generations_state"),
        ),
        migrations.AddIndex(
            model_name="generation",
            index=models.Index(fields=["pipeline", "-id"], name="pipeline_generations_newest"),
        ),
        migrations.AddConstraint(
            model_name="generation",
            constraint=models.UniqueConstraint(
                fields=("pipeline", "unit", "generation"), name="pipeline_generations_once"
            ),
        ),
        migrations.AddConstraint(
            model_name="generation",
            constraint=models.UniqueConstraint(
                condition=models.Q(("state", "running")),
                fields=("pipeline", "unit"),
                name="pipeline_generations_one_running",
            ),
        ),
        migrations.AddConstraint(
            model_name="generation",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    ("state__in", ["running", "succeeded", "permanently_failed", "excluded", "superseded"])
                ),
                name="pipeline_generations_known_state",
            ),
        ),
        migrations.AddConstraint(
            model_name="generation",
            constraint=models.CheckConstraint(
                condition=models.Q(("cause__in", ["selected", "manual", "bulk"])),
                name="pipeline_generations_known_cause",
            ),
        ),
        migrations.AddConstraint(
            model_name="generation",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("finished_at__isnull", True), ("state", "running")),
                    models.Q(models.Q(("state", "running"), _negated=True), ("finished_at__isnull", False)),
                    _connector="OR",
                ),
                name="pipeline_generations_finished",
            ),
        ),
        RunSQLFile(__file__, "0005_pipelines"),
    ]
