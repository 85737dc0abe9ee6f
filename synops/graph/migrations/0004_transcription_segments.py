"""Transcripts, which synops-transcribe fills, and the look-up of a recording by its file."""

from __future__ import annotations

import django.db.models.deletion
from django.db import migrations, models

from synops.graph.sql_migration import RunSQLFile


class Migration(migrations.Migration):
    dependencies = [("graph", "0003_outbox")]

    operations = [
        migrations.CreateModel(
            name="TranscriptionSegment",
            fields=[
                ("id", models.BigAutoField(primary_key=True, serialize=False)),
                ("seq", models.IntegerField(verbose_name="number")),
                ("start_ms", models.IntegerField(verbose_name="start (ms)")),
                ("end_ms", models.IntegerField(verbose_name="end (ms)")),
                ("content", models.TextField(verbose_name="text")),
                (
                    "node",
                    models.ForeignKey(
                        db_constraint=False,
                        db_index=False,
                        on_delete=django.db.models.deletion.DO_NOTHING,
                        related_name="segments",
                        to="graph.node",
                        verbose_name="recording",
                    ),
                ),
            ],
            options={
                "verbose_name": "transcript sentence",
                "verbose_name_plural": "transcript sentences",
                "db_table": "transcription_segments",
                "ordering": ("node", "seq"),
                "constraints": [
                    models.UniqueConstraint(fields=("node", "seq"), name="transcription_segments_once"),
                    models.CheckConstraint(
                        condition=models.Q(("end_ms__gte", models.F("start_ms")), ("start_ms__gte", 0)),
                        name="transcription_segments_in_time",
                    ),
                ],
            },
        ),
        RunSQLFile(__file__, "0004_transcription_segments"),
    ]
