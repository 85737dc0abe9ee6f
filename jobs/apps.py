"""App configuration of the job queue."""

from __future__ import annotations

from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class JobsConfig(AppConfig):
    """The queue, its worker and what runs in it."""

    name = "jobs"
    verbose_name = _("Jobs")

    def ready(self) -> None:
        from jobs import graph_writes
        from jobs.registries import registries

        graph_writes.register(registries)
