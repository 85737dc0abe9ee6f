"""An event when something published is withdrawn, whoever does it: a job, the admin, a tool, or a person in psql."""

from __future__ import annotations

from django.db import migrations

from synops.graph.sql_migration import RunSQLFile


class Migration(migrations.Migration):
    dependencies = [("graph", "0007_clips_and_downloads")]
    operations = [RunSQLFile(__file__, "0008_withdrawals")]
