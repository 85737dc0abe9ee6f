"""A real browser for tests: system chromium under playwright, signed in without a form, whose complaints are collected."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from django.conf import settings
from django.contrib.auth.models import User
from django.test import Client

from tests.site.browser import AXE, RULES, WAIT, chromium
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

    def axe(self) -> list[str]:
        """Serious and critical findings on this page, and whether it is wider than the window.

        Without preloading: for a shadow root axe would add style elements to the page, of which its policy complains.
        """
        self.page.evaluate(AXE)
        found = self.page.evaluate("rules => axe.run(document, {runOnly: rules, preload: false})", RULES)
        wide = self.page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
        return [
            f"{self.page.url} {one['id']}: {[node['html'][:160] for node in one['nodes'][:3]]}"
            for one in found["violations"]
            if one["impact"] in ("serious", "critical")
        ] + ([f"{self.page.url} is {wide} px wider than the window"] if wide > 1 else [])

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
    with chromium() as started, signed_in(started, server, user, language=language, **context) as browsing:
        yield browsing


@contextlib.contextmanager
def signed_in(
    started: Any, server: WebServer, user: User, *, language: str = "nb", **context: Any
) -> Iterator[Browsing]:
    """The same in a browser that several tests share: its cookies and pages are this test's own."""
    client = Client()
    client.force_login(user)
    cookie = {"name": settings.SESSION_COOKIE_NAME, "value": client.cookies[settings.SESSION_COOKIE_NAME].value}
    opened = started.new_context(locale=language, **context)
    opened.set_default_timeout(WAIT)
    opened.add_cookies([{**cookie, "url": server.url}])
    browsing = Browsing(opened.new_page(), server)
    browsing.watch()
    yield browsing
    browsing.page.goto("about:blank")
    opened.close()
