"""The top layer: admin site, health, cross-app pages. It may import every app; nothing imports it."""

from __future__ import annotations

from django.apps import AppConfig
from django.contrib.admin.apps import AdminConfig
from django.db.models.signals import post_migrate
from django.utils.translation import gettext_lazy as _


class SiteConfig(AppConfig):
    """Cross-app pages, commands and checks."""

    name = "synops.site"
    label = "site"
    verbose_name = _("Site")

    def ready(self) -> None:
        from jobs.live.job_topic import JOB_TOPIC
        from jobs.live.topics import topics
        from orchestration.live_topics import RUN_TOPIC
        from synops.site import (
            checks,  # noqa: F401 - registers them
            language,
        )
        from synops.site.job_filters import add_recipe_filter
        from synops.site.nodes.registering import register_panels
        from synops.site.roles import seed_roles

        for topic in (JOB_TOPIC, RUN_TOPIC):
            topics.register(topic)
        add_recipe_filter()
        register_panels()
        language.connect()
        post_migrate.connect(seed_roles, dispatch_uid="synops.roles")


class SynopsAdminConfig(AdminConfig):
    """The stock admin with our own site class."""

    default_site = "synops.site.admin_site.SynopsAdminSite"
