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
        from jobs import graph_writes, guards, housekeeping  # noqa: F401 (declares schedules)
        from jobs.bulk.loop import BulkOperations
        from jobs.pipelines import checks, claims, keeper, reconciling  # noqa: F401 (registers checks)
        from jobs.registries import registries
        from jobs.schedules.clock import Clock
        from jobs.schedules.seeding import seed_schedules
        from jobs.seeds import seed_pipelines
        from synops.graph.vector_index import ensure_vector_index

        graph_writes.register(registries)
        registries.register_before_run(guards.before_run)
        registries.register_before_run(claims.before_run)
        registries.register_on_finished(keeper.on_finished)
        registries.register_side_task(keeper.Keeper)
        registries.register_before_work(reconciling.reconcile)
        registries.register_side_task(Clock)
        registries.register_side_task(BulkOperations)
        registries.register_on_tools_changed(ensure_vector_index)
        post_migrate.connect(seed_pipelines, sender=self)
        post_migrate.connect(seed_schedules, sender=self)
