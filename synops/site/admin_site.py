"""The admin site: the product's face. Its own pages stand here; each app's pages stand with the app."""

from __future__ import annotations

from typing import Any

from django.contrib.admin import AdminSite
from django.http import HttpRequest
from django.urls import URLPattern, URLResolver, path
from django.utils.translation import gettext_lazy as _

from synops.site.live_view import live_view
from synops.site.settings_page import settings_view

APP_ORDER = ("jobs", "orchestration", "resources", "graph", "auth")


class SynopsAdminSite(AdminSite):
    """The stock admin with our name, our order and our pages."""

    site_header = _("Synops")
    site_title = _("Synops")
    index_title = _("Overview")
    site_url = None
    enable_nav_sidebar = True

    def get_urls(self) -> list[URLResolver | URLPattern]:
        own = [
            path("live/", self.admin_view(live_view), name="live"),
            path("settings/", self.admin_view(settings_view(self)), name="settings"),
        ]
        return [*own, *super().get_urls()]

    def get_app_list(self, request: HttpRequest, app_label: str | None = None) -> list[Any]:
        """In the order of how often a person needs them; anything else comes after."""
        apps = super().get_app_list(request, app_label)
        order = {label: place for place, label in enumerate(APP_ORDER)}
        return sorted(apps, key=lambda app: order.get(app["app_label"], len(order)))
