"""A real browser for tests: system chromium under playwright, signed in without a form, whose complaints are collected."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from django.conf import settings
from django.contrib.auth.models import User
from django.test import Client

from tests.site.browser import WAIT, chromium
from tests.web import WebServer


@dataclass
class Browsing:
    """One open page. `complaints`: console errors and warnings, uncaught errors, requests that went elsewhere."""

    page: Any
    server: WebServer
    complaints: list[str] = field(default_factory=list)

    def open(self, path: str) -> Any:
        self.page.goto(self.server.url + path)
        return self.page

    def watch(self) -> None:
        self.page.on("console", lambda said: self._note(said.text, said.type in ("error", "warning")))
        self.page.on("pageerror", lambda error: self.complaints.append(str(error)))
        self.page.on("request", lambda request: self._note(request.url, not self._is_own(request.url)))

    def _note(self, text: str, is_wrong: bool) -> None:
        if is_wrong:
            self.complaints.append(text)

    def _is_own(self, url: str) -> bool:
        return url.startswith((self.server.url, "data:", "blob:"))


@contextlib.contextmanager
def browser(server: WebServer, user: User, *, language: str = "nb", **context: Any) -> Iterator[Browsing]:
    """A page in a fresh browser, signed in as `user`. The caller sets DJANGO_ALLOW_ASYNC_UNSAFE: playwright's loop runs here."""
    client = Client()
    client.force_login(user)
    cookie = {"name": settings.SESSION_COOKIE_NAME, "value": client.cookies[settings.SESSION_COOKIE_NAME].value}
    with chromium() as started:
        opened = started.new_context(locale=language, **context)
        opened.set_default_timeout(WAIT)
        opened.add_cookies([{**cookie, "url": server.url}])
        browsing = Browsing(opened.new_page(), server)
        browsing.watch()
        yield browsing
        browsing.page.goto("about:blank")
