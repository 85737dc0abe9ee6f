"""The index by which the guards count the replies of agents."""

from __future__ import annotations

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("jobs", "0005_pipelines"),
    ]

    operations = [
        migrations.AddIndex(
            model_name="job",
            index=models.Index(
                condition=models.Q(("job_type", "agent_respond")),
                fields=["collection_node", "completed_at"],
                name="job_queue_agents",
            ),
        ),
    ]
