"""What holds for all tests."""

from __future__ import annotations

from collections.abc import Iterator

import pytest


def pytest_collection_finish() -> None:
    """Tests that commit leave an empty database behind, without the second that Django's own way takes.

    Here and not at import: Django's apps must be there first.
    """
    from tests import emptying

    emptying.install()


@pytest.fixture(autouse=True)
def no_announcer_is_left() -> Iterator[None]:
    """The process's announcer goes with the test that made it: its connection would keep the test database."""
    yield
    from jobs.live.announcer import process_announcer

    if process_announcer.cache_info().currsize:
        process_announcer().close()
        process_announcer.cache_clear()
