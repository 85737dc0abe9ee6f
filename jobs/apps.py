"""App configuration of the job queue."""

from __future__ import annotations

from django.apps import AppConfig
from django.db.models.signals import post_migrate
from django.utils.translation import gettext_lazy as _


class JobsConfig(AppConfig):
    """The queue, its worker and what runs in it."""

    name = "jobs"
    verbose_name = _("Jobs")

    def ready(self) -> None:
        from jobs import graph_writes
        from jobs.pipelines import claims, keeper
        from jobs.registries import registries
        from jobs.seeds import seed_pipelines

        graph_writes.register(registries)
        registries.register_before_run(claims.before_run)
        registries.register_on_finished(keeper.on_finished)
        registries.register_side_task(keeper.Keeper)
        post_migrate.connect(seed_pipelines, sender=self)
