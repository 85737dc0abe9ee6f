"""Foreign keys, and the triggers that keep `node_access` right."""

from __future__ import annotations

from django.conf import settings
from django.db import migrations

from synops.graph.sql_migration import RunSQLFile


class Migration(migrations.Migration):
    dependencies = [("graph", "0001_initial"), migrations.swappable_dependency(settings.AUTH_USER_MODEL)]
    operations = [RunSQLFile(__file__, "0002_access")]
