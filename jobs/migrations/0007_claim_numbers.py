"""Claims are numbered, so that counting what runs begins at the oldest and not at what an old snapshot keeps alive."""

from __future__ import annotations

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("jobs", "0006_agents")]
    operations = [
        migrations.RunSQL("CREATE SEQUENCE job_claims", "DROP SEQUENCE job_claims"),
        migrations.AddField(
            model_name="job",
            name="claim_no",
            field=models.BigIntegerField(db_default=0, default=0, editable=False, verbose_name="claim number"),
        ),
        migrations.RemoveIndex(model_name="job", name="job_queue_running"),
        migrations.AddIndex(
            model_name="job",
            index=models.Index(
                condition=models.Q(("status", "running")), fields=["claim_no"], name="job_queue_running"
            ),
        ),
    ]
