"""Help beside the editor: the language reference itself, and the page of one error code, in the reader's language."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from django.conf import settings
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse
from django.template.response import TemplateResponse
from django.utils.safestring import mark_safe
from django.utils.translation import get_language
from django.utils.translation import gettext as _

from orchestration.language.messages import codes, shown
from synops.tools.markdown import to_html

if TYPE_CHECKING:
    from django.contrib.admin import AdminSite

PAGES = {"nb": "language.nb.md", "en": "language.md"}
MAY_READ = "orchestration.view_orchestration"


def language_help(site: AdminSite) -> Callable[[HttpRequest], HttpResponse]:
    """`docs/language.md` as a page. It is our own text, and sanitised like anybody's."""

    def view(request: HttpRequest) -> HttpResponse:
        _require_reader(request)
        text = (settings.BASE_DIR / "docs" / PAGES[shown(get_language() or "nb")]).read_text(encoding="utf-8")
        body = mark_safe(to_html(text.partition("\n")[2]))  # noqa: S308 (sanitised by to_html)
        context = {**site.each_context(request), "title": _("The recipe language"), "body": body}
        return TemplateResponse(request, "admin/orchestration/help.html", context)

    return view


def code_help(site: AdminSite) -> Callable[[HttpRequest, str], HttpResponse]:
    """What a code means, how to put it right, and a recipe before and after."""

    def view(request: HttpRequest, code: str) -> HttpResponse:
        _require_reader(request)
        found = codes().get(code.upper())
        if found is None:
            raise Http404
        language = shown(get_language() or "nb")
        context = {
            **site.each_context(request),
            "title": f"{found.code} {found.slug}",
            "code": found,
            "message": found.message[language],
            "help": found.help[language],
        }
        return TemplateResponse(request, "admin/orchestration/code.html", context)

    return view


def _require_reader(request: HttpRequest) -> None:
    if not request.user.has_perm(MAY_READ):
        raise PermissionDenied
