"""An index from a file's hash to the nodes that hold it: every job that names a file asks for them."""

from __future__ import annotations

from django.db import migrations

from synops.graph.sql_migration import RunSQLFile


class Migration(migrations.Migration):
    dependencies = [("graph", "0004_transcription_segments")]
    operations = [RunSQLFile(__file__, "0005_files")]
