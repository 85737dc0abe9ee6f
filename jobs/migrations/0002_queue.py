"""Foreign keys, the wake-up of workers, and how the hot table is vacuumed."""

from __future__ import annotations

from django.db import migrations

from synops.graph.sql_migration import RunSQLFile


class Migration(migrations.Migration):
    dependencies = [("jobs", "0001_initial"), ("graph", "0003_outbox"), ("resources", "0001_initial")]
    operations = [RunSQLFile(__file__, "0002_queue")]
