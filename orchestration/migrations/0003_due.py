"""How a planned time is read."""

from __future__ import annotations

from django.db import migrations

from synops.graph.sql_migration import RunSQLFile


class Migration(migrations.Migration):
    dependencies = [("orchestration", "0002_recipes")]
    operations = [RunSQLFile(__file__, "0003_due")]
