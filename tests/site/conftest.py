"""One web server and one browser a file: each takes longer to start than most of what is looked at."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from tests.site.browser import chromium
from tests.web import WebServer, web_server


@pytest.fixture(scope="module")
def site(django_db_setup: None) -> Iterator[WebServer]:
    """The web server. It outlives what a test commits, like any other that is restored from a backup under it."""
    with web_server() as server:
        yield server


@pytest.fixture(scope="module")
def shared_browser() -> Iterator[Any]:
    """A started Chromium; each test opens contexts of its own in it, and closes them."""
    with pytest.MonkeyPatch.context() as patched:
        # Playwright's loop runs in this thread, and Django takes that for an async view.
        patched.setenv("DJANGO_ALLOW_ASYNC_UNSAFE", "true")
        with chromium() as browser:
            yield browser
