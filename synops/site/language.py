"""The language of a person: chosen once, kept with the login, the same on every machine."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from django.conf import settings
from django.contrib.auth.signals import user_logged_in
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.utils import translation
from django.views.i18n import set_language

from synops.site.models import Preference

SESSION_KEY = "language"
PAGES = "/admin/"


def choose_language(request: HttpRequest) -> HttpResponseBase:
    """Django's switch, which sets a cookie; besides, a person who is logged in is remembered by it."""
    answer = set_language(request)
    wanted = request.POST.get("language", "")
    if request.method == "POST" and wanted in dict(settings.LANGUAGES) and request.user.is_authenticated:
        Preference.objects.update_or_create(user_id=request.user.pk, defaults={"language": wanted})
        request.session[SESSION_KEY] = wanted
    return answer


def remember(request: HttpRequest, user: Any, **_: Any) -> None:
    """At login the session learns what the person has chosen before; after that no page asks the database for it."""
    kept = Preference.objects.filter(user_id=user.pk).first()
    if kept and hasattr(request, "session"):
        request.session[SESSION_KEY] = kept.language


def connect() -> None:
    """Once the apps are ready."""
    user_logged_in.connect(remember, dispatch_uid="synops.language")


class PersonsLanguageMiddleware:
    """The person's own language before the browser's. Only on pages with a login: others never read the session."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        if request.path.startswith(PAGES) and (wanted := request.session.get(SESSION_KEY)) in dict(settings.LANGUAGES):
            translation.activate(wanted)
            request.LANGUAGE_CODE = translation.get_language() or wanted
        return self.get_response(request)
