"""The admin site: the product's face. Its own pages stand here; each app's pages stand with the app."""

from __future__ import annotations

from typing import Any

from django.apps import apps
from django.contrib.admin import AdminSite
from django.http import HttpRequest
from django.template.response import TemplateResponse
from django.urls import URLPattern, URLResolver, path
from django.utils.translation import gettext_lazy as _
from django.views.decorators.http import require_POST

from jobs.admin.failures_page import failures_view
from jobs.admin.types_page import types_view
from jobs.models import Job
from orchestration.pages.cascade_map import map_view
from orchestration.pages.help import code_help, language_help
from synops.site.dashboard.page import dashboard
from synops.site.live_view import live_view
from synops.site.notices import notices_view, unread_count
from synops.site.resources_page import resources_page, switch_view
from synops.site.settings_page import settings_view
from synops.site.sidebar import with_own_pages
from synops.site.switches import switches_view

APP_ORDER = ("jobs", "orchestration", "cases", "resources", "graph", "auth", "site")


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
            path("job-types/", self.admin_view(types_view(self.get_model_admin(Job))), name="job_types"),
            path("failures/", self.admin_view(failures_view(self.get_model_admin(Job))), name="failures"),
            path("notices/", self.admin_view(notices_view(self)), name="notices"),
            path("live-call/", self.admin_view(require_POST(switch_view)), name="live_call"),
            path("switches/", self.admin_view(switches_view(self)), name="switches"),
            path("recipe-language/", self.admin_view(language_help(self)), name="recipe_language"),
            path("ork/feil/<str:code>", self.admin_view(code_help(self)), name="recipe_code"),
            path("cascade-map/", self.admin_view(map_view(self)), name="cascade_map"),
            path("settings/", self.admin_view(settings_view(self)), name="settings"),
        ]
        return [*own, *super().get_urls()]

    def each_context(self, request: HttpRequest) -> dict[str, Any]:
        """On every page of a person who is logged in: the number of unread notices."""
        context = super().each_context(request)
        if context["has_permission"]:
            context["unread_notices"] = unread_count(request.user)
        return context

    def index(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> TemplateResponse:
        """The front page, above the list of everything that there is."""
        return super().index(request, {**dashboard(request), **(extra_context or {})})

    def app_index(
        self, request: HttpRequest, app_label: str, extra_context: dict[str, Any] | None = None
    ) -> TemplateResponse:
        """The page of one app; that of the resources shows how they are."""
        own: dict[str, Any] = {"title": apps.get_app_config(app_label).verbose_name}
        if app_label == "resources":
            own |= resources_page(request)
        return super().app_index(request, app_label, {**own, **(extra_context or {})})

    def get_app_list(self, request: HttpRequest, app_label: str | None = None) -> list[Any]:
        """In the order of how often a person needs them; anything else comes after."""
        apps = with_own_pages(request, super().get_app_list(request, app_label))
        order = {label: place for place, label in enumerate(APP_ORDER)}
        return sorted(apps, key=lambda app: order.get(app["app_label"], len(order)))
