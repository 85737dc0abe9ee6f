"""The triggers that fill the outbox of events."""

from __future__ import annotations

from django.db import migrations

from synops.graph.sql_migration import RunSQLFile


class Migration(migrations.Migration):
    dependencies = [("graph", "0002_access")]
    operations = [RunSQLFile(__file__, "0003_outbox")]
