"""What every test of recipes needs: no connection left open by what this process announces."""

from __future__ import annotations

import pytest

from jobs.live.announcer import process_announcer


@pytest.fixture(autouse=True)
def no_announcer_left():
    """The announcer's thread holds a connection to the test's database, which could then not be dropped."""
    yield
    if process_announcer.cache_info().currsize:
        process_announcer().close()
        process_announcer.cache_clear()
