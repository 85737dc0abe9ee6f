"""App configuration of the case pipeline."""

from __future__ import annotations

from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class CasesConfig(AppConfig):
    """Cases: their replica, their documents, and what the rules say about them."""

    name = "jobs.pipelines.cases"
    label = "cases"
    verbose_name = _("Cases")
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        from jobs import unreferenced
        from jobs.pipelines import register
        from jobs.pipelines.cases import after_sync, checks, schedules  # noqa: F401 (checks register themselves)
        from jobs.pipelines.cases.pipeline import case_pipeline
        from jobs.registries import registries

        register(case_pipeline())
        schedules.register()
        registries.register_on_finished(after_sync.on_finished)
        unreferenced.register(
            "SELECT cas_hash FROM case_documents UNION "
            "SELECT found ->> 'text_hash' FROM case_facts WHERE found ->> 'text_hash' IS NOT NULL"
        )
