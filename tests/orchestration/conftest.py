"""What tests of recipes begin with."""

from __future__ import annotations

import pytest

from tests.orchestration.arrange import add_tools
from tests.people import make_collection


@pytest.fixture
def collection():
    """A collection, and the tools that recipes of the tests use."""
    add_tools()
    return make_collection("Podcast")
