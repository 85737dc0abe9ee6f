"""An index by which facts of documents that no case has are found."""

from __future__ import annotations

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("cases", "0001_initial")]

    operations = [
        migrations.AddIndex(
            model_name="document", index=models.Index(fields=["cas_hash"], name="case_documents_digest")
        ),
    ]
