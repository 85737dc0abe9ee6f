from __future__ import annotations

from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("orchestration", "0004_reasons"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.AlterModelOptions(
            name="workitem",
            options={
                "permissions": [
                    ("close_workitem", "Can close work items"),
                    ("answer_workitem", "Can take work items and answer them with a script"),
                ],
                "verbose_name": "work item",
                "verbose_name_plural": "work items",
            },
        ),
        migrations.AddField(
            model_name="version",
            name="item_id",
            field=models.UUIDField(null=True, verbose_name="answers work item"),
        ),
        migrations.AddField(
            model_name="version",
            name="status",
            field=models.TextField(
                choices=[("saved", "saved"), ("proposed", "proposed"), ("rejected", "sent back")],
                db_default=models.Value("saved"),
                default="saved",
                verbose_name="status",
            ),
        ),
        migrations.AddConstraint(
            model_name="version",
            constraint=models.CheckConstraint(
                condition=models.Q(("status__in", ["saved", "proposed", "rejected"])),
                name="orchestration_versions_status",
            ),
        ),
    ]
