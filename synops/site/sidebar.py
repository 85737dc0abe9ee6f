"""Pages of ours that show no table of their own, beside the models of the app that they belong to."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from django.http import HttpRequest
from django.urls import reverse
from django.utils.translation import gettext_lazy as _


@dataclass(frozen=True)
class OwnPage:
    """A page in the list of pages, for those who have the right."""

    app: str
    name: Any
    url: str
    permission: str


PAGES = (
    OwnPage("jobs", _("Job types"), "admin:job_types", "jobs.view_job"),
    OwnPage("jobs", _("Failures"), "admin:failures", "jobs.view_job"),
    OwnPage("jobs", _("Pipelines"), "admin:pipelines", "jobs.view_generation"),
    OwnPage("orchestration", _("Cascade map"), "admin:cascade_map", "orchestration.view_orchestration"),
    OwnPage("orchestration", _("The recipe language"), "admin:recipe_language", "orchestration.view_orchestration"),
    OwnPage("jobs", _("Agents: switches and limits"), "admin:switches", "jobs.view_job"),
)


def with_own_pages(request: HttpRequest, apps: list[Any]) -> list[Any]:
    """The list of apps with our pages at the end of each; one that shows nothing is not there."""
    for app in apps:
        app["models"] += [
            entry(page) for page in PAGES if page.app == app["app_label"] and request.user.has_perm(page.permission)
        ]
    return apps


def entry(page: OwnPage) -> dict[str, Any]:
    """As Django's template wants a model that can only be looked at."""
    address = reverse(page.url)
    return {
        "name": page.name,
        "object_name": page.url.rpartition(":")[2],
        "admin_url": address,
        "add_url": None,
        "perms": {"view": True, "add": False, "change": False, "delete": False},
        "view_only": True,
    }
