"""What holds for all tests."""

from __future__ import annotations


def pytest_collection_finish() -> None:
    """Tests that commit leave an empty database behind, without the second that Django's own way takes.

    Here and not at import: Django's apps must be there first.
    """
    from tests import emptying

    emptying.install()
