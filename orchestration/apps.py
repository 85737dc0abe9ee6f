"""App configuration of recipes."""

from __future__ import annotations

from django.apps import AppConfig
from django.db.models.signals import post_migrate
from django.utils.translation import gettext_lazy as _


class OrchestrationConfig(AppConfig):
    """Recipes, their triggers, runs and cascades."""

    name = "orchestration"
    verbose_name = _("Recipes")

    def ready(self) -> None:
        from jobs.registries import registries
        from orchestration import circles, clock
        from orchestration.seeds import seed_recipes
        from orchestration.steward import Steward, on_finished
        from orchestration.upkeep import on_tools_changed
        from synops.graph import edge_checks

        clock.register(registries)
        registries.register_side_task(Steward)
        registries.register_on_finished(on_finished)
        registries.register_on_tools_changed(on_tools_changed)
        edge_checks.register("triggers", circles.refusal)
        post_migrate.connect(seed_recipes, sender=self)
