"""A headless Chromium for tests, and what it complains about: console, foreign requests, accessibility (axe-core)."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from django.db import connections

CHROMIUM = Path("/usr/bin/chromium")
FLAGS = (
    "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync",
)  # fmt: skip
AXE = (Path(__file__).parent / "vendor" / "axe.min.js").read_text(encoding="utf-8")
RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]
SEEN_RULES = [
    "color-contrast", "target-size", "scrollable-region-focusable", "link-in-text-block", "avoid-inline-spacing",
    "html-has-lang", "html-lang-valid", "label", "button-name", "link-name",
]  # fmt: skip
"""What depends on scheme, width and language; the others look at the document, which these leave as it is."""
WAIT = 60_000


@contextmanager
def chromium() -> Iterator[Any]:
    """A started browser, or a skip that names the package."""
    playwright = pytest.importorskip("playwright.sync_api")
    if not CHROMIUM.exists():
        pytest.skip("the Debian package chromium is not installed")
    with playwright.sync_playwright() as running:
        browser = running.chromium.launch(executable_path=str(CHROMIUM), args=FLAGS)
        try:
            yield browser
        finally:
            browser.close()
            connections.close_all()  # while playwright's loop runs, Django keeps a connection apart from the usual one


class Watched:
    """A page of which everything is noted that a visitor should never meet."""

    def __init__(self, browser: Any, origin: str, **context: Any) -> None:
        self.context = browser.new_context(**context)
        self.page = self.context.new_page()
        self.page.set_default_timeout(WAIT)
        self.complaints: list[str] = []
        self.foreign: list[str] = []
        self.page.on("console", self._heard)
        self.page.on("pageerror", lambda error: self.complaints.append(str(error)))
        self.page.on("request", lambda request: self._asked(request.url, origin))

    def _heard(self, message: Any) -> None:
        if message.type in ("error", "warning"):
            self.complaints.append(f"{self.page.url}: {message.text}")

    def _asked(self, url: str, origin: str) -> None:
        if not url.startswith((origin, "data:", "blob:", origin.replace("http", "ws", 1))):
            self.foreign.append(url)

    def log_in(self, url: str, name: str, password: str) -> None:
        self.page.goto(f"{url}/admin/login/")
        self.page.fill("#id_username", name)
        self.page.fill("#id_password", password)
        self.page.click(".submit-row [type=submit]")

    def axe(self, rules: list[str] | None = None) -> list[str]:
        """Serious and critical findings on this page, of all WCAG rules or of some.

        Evaluated by the debugger, which no content policy stops.
        """
        self.page.evaluate(AXE)
        chosen = {"type": "rule", "values": rules} if rules else {"type": "tag", "values": RULES}
        # Without preloading: for a shadow root axe would add style elements to the page, of which its policy complains.
        options = {"runOnly": chosen, "resultTypes": ["violations"], "preload": False}
        found = self.page.evaluate("options => axe.run(document, options)", options)
        return [
            f"{self.page.url} {one['id']}: {one['help']}: {[node['html'][:160] for node in one['nodes'][:3]]}"
            for one in found["violations"]
            if one["impact"] in ("serious", "critical")
        ]
