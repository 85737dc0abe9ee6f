"""Foreign keys with their ON DELETE, the indexes on nodes that recipes need, and the tombstones of `observes`."""

from __future__ import annotations

from django.conf import settings
from django.db import migrations

from synops.graph.sql_migration import RunSQLFile


class Migration(migrations.Migration):
    dependencies = [
        ("orchestration", "0001_initial"),
        ("graph", "0003_outbox"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]
    operations = [RunSQLFile(__file__, "0002_recipes")]
