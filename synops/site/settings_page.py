"""The page that lists every setting with its value and where the value comes from."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from django.conf import settings
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.template.response import TemplateResponse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

if TYPE_CHECKING:
    from django.contrib.admin import AdminSite

EXAMPLE = settings.BASE_DIR / ".env.example"
SECRET = re.compile(r"SECRET|PASSWORD|TOKEN|API_KEY|_DSN")
MASK = "••••••"
SOURCES = {
    "environment": gettext_lazy("environment"),
    ".env": gettext_lazy(".env"),
    "default": gettext_lazy("default"),
}


@dataclass(frozen=True)
class Documented:
    """A setting as `.env.example` explains it."""

    name: str
    explanation: str
    default: str


@dataclass(frozen=True)
class Setting:
    """A setting as it is now. `source` is `environment`, `.env` or `default`."""

    name: str
    explanation: str
    value: str
    source: str

    @property
    def source_label(self) -> Any:
        return SOURCES[self.source]


def documented_settings(text: str) -> Iterator[Documented]:
    """The settings of `.env.example`: comment lines, then `# NAME=default`."""
    explanation: list[str] = []
    for line in text.splitlines():
        found = re.match(r"#? ?([A-Z][A-Z0-9_]*)=(.*)$", line)
        if found:
            yield Documented(found[1], " ".join(explanation), found[2].strip())
            explanation = []
        elif line.startswith("#"):
            explanation.append(line.lstrip("# ").strip())
        else:
            explanation = []


def current_settings() -> list[Setting]:
    """Every documented setting with its value; secrets are masked."""
    documented = documented_settings(EXAMPLE.read_text(encoding="utf-8"))
    return [Setting(one.name, one.explanation, *value_and_source(one)) for one in documented]


def value_and_source(one: Documented) -> tuple[str, str]:
    if one.name in settings.ENVIRONMENT_NAMES:
        return masked(one.name, os.environ.get(one.name, "")), "environment"
    if one.name in settings.ENV_FILE_NAMES:
        return masked(one.name, os.environ.get(one.name, "")), ".env"
    # A default may be computed (a directory below SYNOPS_VAR), so what the program uses is shown.
    return masked(one.name, shown(getattr(settings, one.name, one.default))), "default"


def shown(value: Any) -> str:
    return ", ".join(map(str, value)) if isinstance(value, list | tuple) else str(value)


def masked(name: str, value: str) -> str:
    """Nothing of a secret, not even its length; of a URL everything but the password."""
    if value and SECRET.search(name) and not name.endswith("_FILE"):
        return MASK
    if "://" in value and (password := urlsplit(value).password):
        return value.replace(f":{password}@", f":{MASK}@")
    return value


def settings_view(site: AdminSite) -> Callable[[HttpRequest], HttpResponse]:
    """The page, for superusers: addresses and directories are nobody else's business."""

    def view(request: HttpRequest) -> HttpResponse:
        if not getattr(request.user, "is_superuser", False):
            raise PermissionDenied
        context = {**site.each_context(request), "title": _("Settings"), "rows": current_settings()}
        return TemplateResponse(request, "admin/settings.html", context)

    return view
