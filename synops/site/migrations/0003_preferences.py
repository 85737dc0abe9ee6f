# What people prefer.

from __future__ import annotations

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("auth", "0012_alter_user_first_name_max_length"),
        ("site", "0002_foreign_keys"),
    ]

    operations = [
        migrations.CreateModel(
            name="Preference",
            fields=[
                (
                    "user",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE,
                        primary_key=True,
                        related_name="+",
                        serialize=False,
                        to=settings.AUTH_USER_MODEL,
                        verbose_name="user",
                    ),
                ),
                ("language", models.CharField(max_length=10, verbose_name="language")),
            ],
            options={
                "verbose_name": "preference",
                "verbose_name_plural": "preferences",
                "db_table": "user_preferences",
            },
        ),
    ]
