"""App configuration of recipes."""

from __future__ import annotations

from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class OrchestrationConfig(AppConfig):
    """Recipes, their triggers, runs and cascades."""

    name = "orchestration"
    verbose_name = _("Recipes")
