"""App configuration of what limits the work."""

from __future__ import annotations

from django.apps import AppConfig
from django.db.models.signals import post_migrate
from django.utils.translation import gettext_lazy as _


class ResourcesConfig(AppConfig):
    """Priority rules, governor, disk and workers."""

    name = "resources"
    verbose_name = _("Resources")

    def ready(self) -> None:
        from resources.seeds import seed_rules

        post_migrate.connect(seed_rules, sender=self)
