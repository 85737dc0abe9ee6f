"""Foreign keys with their ON DELETE, which Django can't say."""

from __future__ import annotations

from django.conf import settings
from django.db import migrations

from synops.graph.sql_migration import RunSQLFile


class Migration(migrations.Migration):
    dependencies = [
        ("site", "0001_initial"),
        ("graph", "0001_initial"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]
    operations = [RunSQLFile(__file__, "0002_foreign_keys")]
