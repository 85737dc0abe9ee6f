"""The replica of cases, their documents, facts and verdicts."""

from __future__ import annotations

import django.db.models.deletion
from django.db import migrations, models

import synops.graph.columns
from synops.graph.sql_migration import RunSQLFile


class Migration(migrations.Migration):
    initial = True

    dependencies = []

    operations = [
        migrations.CreateModel(
            name="CaseStatus",
            fields=[
                ("key", models.TextField(primary_key=True, serialize=False, verbose_name="key")),
                ("name", models.TextField(verbose_name="name")),
                (
                    "qualifying",
                    models.BooleanField(
                        db_default=False,
                        default=False,
                        help_text="Cases with this status are selected.",
                        verbose_name="qualifying",
                    ),
                ),
            ],
            options={
                "verbose_name": "case status",
                "verbose_name_plural": "case statuses",
                "db_table": "case_statuses",
                "ordering": ("name",),
            },
        ),
        migrations.CreateModel(
            name="Scheme",
            fields=[
                ("key", models.TextField(primary_key=True, serialize=False, verbose_name="key")),
                ("name", models.TextField(verbose_name="name")),
                (
                    "active",
                    models.BooleanField(
                        db_default=False,
                        default=False,
                        help_text="Cases of active schemes are selected.",
                        verbose_name="active",
                    ),
                ),
            ],
            options={
                "verbose_name": "scheme",
                "verbose_name_plural": "schemes",
                "db_table": "case_schemes",
                "ordering": ("name",),
            },
        ),
        migrations.CreateModel(
            name="Sync",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("generated_at", models.DateTimeField(verbose_name="as of")),
                (
                    "synced_at",
                    models.DateTimeField(db_default=synops.graph.columns.DatabaseNow(), verbose_name="synchronised"),
                ),
                ("counts", models.JSONField(db_default=models.Value({}, models.JSONField()), verbose_name="rows")),
            ],
            options={
                "verbose_name": "synchronisation",
                "verbose_name_plural": "synchronisations",
                "db_table": "case_syncs",
                "ordering": ("-id",),
            },
        ),
        migrations.CreateModel(
            name="CaseFile",
            fields=[
                ("number", models.TextField(primary_key=True, serialize=False, verbose_name="case number")),
                ("title", models.TextField(verbose_name="title")),
                ("applicant", models.TextField(db_default="", default="", verbose_name="applicant")),
                ("received_on", models.DateField(verbose_name="received")),
                ("state", models.TextField(db_default="", default="", verbose_name="state")),
                ("reason", models.TextField(db_default="", default="", verbose_name="reason")),
                ("generation", models.IntegerField(db_default=0, default=0, verbose_name="run")),
                (
                    "decision",
                    models.TextField(
                        choices=[("approved", "approved"), ("rejected", "not approved"), ("unclear", "unclear")],
                        db_default="",
                        default="",
                        verbose_name="decision",
                    ),
                ),
                (
                    "status",
                    models.ForeignKey(
                        db_constraint=False,
                        db_index=False,
                        on_delete=django.db.models.deletion.DO_NOTHING,
                        to="cases.casestatus",
                        verbose_name="status",
                    ),
                ),
                (
                    "scheme",
                    models.ForeignKey(
                        db_constraint=False,
                        db_index=False,
                        on_delete=django.db.models.deletion.DO_NOTHING,
                        to="cases.scheme",
                        verbose_name="scheme",
                    ),
                ),
            ],
            options={
                "verbose_name": "case",
                "verbose_name_plural": "cases",
                "db_table": "case_files",
                "ordering": ("received_on", "number"),
                "permissions": [("reanalyse_casefile", "Can analyse cases again")],
            },
        ),
        migrations.CreateModel(
            name="Evaluation",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("generation", models.IntegerField(verbose_name="run")),
                ("rule_set", models.TextField(verbose_name="rule set")),
                (
                    "decision",
                    models.TextField(
                        choices=[("approved", "approved"), ("rejected", "not approved"), ("unclear", "unclear")],
                        verbose_name="decision",
                    ),
                ),
                (
                    "evaluated_at",
                    models.DateTimeField(db_default=synops.graph.columns.DatabaseNow(), verbose_name="evaluated"),
                ),
                (
                    "case",
                    models.ForeignKey(
                        db_constraint=False,
                        db_index=False,
                        on_delete=django.db.models.deletion.DO_NOTHING,
                        related_name="evaluations",
                        to="cases.casefile",
                    ),
                ),
            ],
            options={
                "verbose_name": "evaluation",
                "verbose_name_plural": "evaluations",
                "db_table": "case_evaluations",
                "ordering": ("-generation",),
            },
        ),
        migrations.CreateModel(
            name="Facts",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("cas_hash", models.CharField(max_length=64, verbose_name="digest")),
                ("extractor", models.TextField(verbose_name="extractor")),
                ("found", models.JSONField(db_default=models.Value({}, models.JSONField()), verbose_name="facts")),
                ("read_at", models.DateTimeField(db_default=synops.graph.columns.DatabaseNow(), verbose_name="read")),
            ],
            options={
                "verbose_name": "facts of a document",
                "verbose_name_plural": "facts of documents",
                "db_table": "case_facts",
                "constraints": [models.UniqueConstraint(fields=("cas_hash", "extractor"), name="case_facts_once")],
            },
        ),
        migrations.CreateModel(
            name="RuleVerdict",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("position", models.IntegerField(verbose_name="position")),
                ("rule", models.TextField(verbose_name="rule")),
                (
                    "verdict",
                    models.TextField(
                        choices=[
                            ("met", "met"),
                            ("not_met", "not met"),
                            ("unknown", "unknown"),
                            ("error", "error in the rule"),
                            ("timed_out", "timed out"),
                        ],
                        verbose_name="verdict",
                    ),
                ),
                ("required", models.BooleanField(verbose_name="required")),
                ("document", models.TextField(db_default="", default="", verbose_name="document")),
                ("evidence", models.JSONField(default=list, verbose_name="evidence")),
                ("note", models.TextField(db_default="", default="", verbose_name="note")),
                (
                    "evaluation",
                    models.ForeignKey(
                        db_constraint=False,
                        db_index=False,
                        on_delete=django.db.models.deletion.DO_NOTHING,
                        related_name="verdicts",
                        to="cases.evaluation",
                    ),
                ),
            ],
            options={
                "verbose_name": "verdict",
                "verbose_name_plural": "verdicts",
                "db_table": "case_verdicts",
                "ordering": ("position",),
            },
        ),
        migrations.CreateModel(
            name="Assessment",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("key", models.TextField(verbose_name="key")),
                ("kind", models.TextField(verbose_name="kind")),
                ("outcome", models.TextField(verbose_name="outcome")),
                ("assessed_on", models.DateField(null=True, verbose_name="date")),
                (
                    "case",
                    models.ForeignKey(
                        db_constraint=False,
                        db_index=False,
                        on_delete=django.db.models.deletion.DO_NOTHING,
                        related_name="assessments",
                        to="cases.casefile",
                    ),
                ),
            ],
            options={
                "verbose_name": "assessment",
                "verbose_name_plural": "assessments",
                "db_table": "case_assessments",
                "constraints": [models.UniqueConstraint(fields=("case", "key"), name="case_assessments_once")],
            },
        ),
        migrations.CreateModel(
            name="Certificate",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("number", models.TextField(verbose_name="certificate number")),
                ("address", models.TextField(db_default="", default="", verbose_name="address")),
                ("grade", models.TextField(db_default="", default="", verbose_name="energy grade")),
                ("issued_on", models.DateField(null=True, verbose_name="issued")),
                (
                    "case",
                    models.ForeignKey(
                        db_constraint=False,
                        db_index=False,
                        on_delete=django.db.models.deletion.DO_NOTHING,
                        related_name="certificates",
                        to="cases.casefile",
                    ),
                ),
            ],
            options={
                "verbose_name": "energy certificate",
                "verbose_name_plural": "energy certificates",
                "db_table": "case_certificates",
                "constraints": [models.UniqueConstraint(fields=("case", "number"), name="case_certificates_once")],
            },
        ),
        migrations.CreateModel(
            name="Cost",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("key", models.TextField(verbose_name="key")),
                ("label", models.TextField(verbose_name="label")),
                ("amount", models.DecimalField(decimal_places=2, max_digits=14, verbose_name="amount")),
                (
                    "case",
                    models.ForeignKey(
                        db_constraint=False,
                        db_index=False,
                        on_delete=django.db.models.deletion.DO_NOTHING,
                        related_name="costs",
                        to="cases.casefile",
                    ),
                ),
            ],
            options={
                "verbose_name": "cost",
                "verbose_name_plural": "costs",
                "db_table": "case_costs",
                "constraints": [models.UniqueConstraint(fields=("case", "key"), name="case_costs_once")],
            },
        ),
        migrations.CreateModel(
            name="Document",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("key", models.TextField(verbose_name="key")),
                ("position", models.IntegerField(verbose_name="position")),
                ("name", models.TextField(verbose_name="name")),
                ("size", models.BigIntegerField(verbose_name="size")),
                ("changed_at", models.TextField(db_default="", default="", verbose_name="changed")),
                ("cas_hash", models.CharField(max_length=64, verbose_name="digest")),
                ("extractor", models.TextField(verbose_name="extractor")),
                ("kind", models.TextField(db_default="", default="", verbose_name="kind")),
                ("warning", models.TextField(db_default="", default="", verbose_name="warning")),
                (
                    "fetched_at",
                    models.DateTimeField(db_default=synops.graph.columns.DatabaseNow(), verbose_name="fetched"),
                ),
                (
                    "case",
                    models.ForeignKey(
                        db_constraint=False,
                        db_index=False,
                        on_delete=django.db.models.deletion.DO_NOTHING,
                        related_name="documents",
                        to="cases.casefile",
                    ),
                ),
            ],
            options={
                "verbose_name": "document",
                "verbose_name_plural": "documents",
                "db_table": "case_documents",
                "ordering": ("position", "id"),
                "indexes": [models.Index(fields=["kind", "id"], name="case_documents_kind")],
                "constraints": [models.UniqueConstraint(fields=("case", "key"), name="case_documents_once")],
            },
        ),
        migrations.AddConstraint(
            model_name="evaluation",
            constraint=models.UniqueConstraint(fields=("case", "generation"), name="case_evaluations_once"),
        ),
        migrations.AddConstraint(
            model_name="ruleverdict",
            constraint=models.UniqueConstraint(fields=("evaluation", "position"), name="case_verdicts_once"),
        ),
        migrations.AddConstraint(
            model_name="ruleverdict",
            constraint=models.CheckConstraint(
                condition=models.Q(("verdict__in", ["met", "not_met", "unknown", "error", "timed_out"])),
                name="case_verdicts_known",
            ),
        ),
        migrations.AddIndex(
            model_name="casefile",
            index=models.Index(
                condition=models.Q(("state", "")), fields=["received_on", "number"], name="case_files_selection"
            ),
        ),
        migrations.AddIndex(
            model_name="casefile",
            index=models.Index(fields=["received_on", "number"], name="case_files_oldest"),
        ),
        migrations.AddIndex(
            model_name="casefile",
            index=models.Index(fields=["state", "number"], name="case_files_state"),
        ),
        RunSQLFile(__file__, "0001_initial"),
    ]
