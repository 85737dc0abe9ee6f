"""Revoking API tokens has a right of its own."""

from __future__ import annotations

from django.db import migrations


class Migration(migrations.Migration):
    dependencies = [("site", "0004_token_words")]
    operations = [
        migrations.AlterModelOptions(
            name="apitoken",
            options={
                "ordering": ("-created_at",),
                "permissions": [("revoke_apitoken", "Can revoke API tokens")],
                "verbose_name": "API token",
                "verbose_name_plural": "API tokens",
            },
        ),
    ]
