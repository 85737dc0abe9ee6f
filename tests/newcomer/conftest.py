from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.newcomer.house import House


@pytest.fixture(scope="module")
def house() -> Iterator[House]:
    """One installation for all tests of a module: each leaves it stopped and its data in place, as a user does."""
    directory = Path(tempfile.mkdtemp(prefix="synops-house-"))
    directory.chmod(0o711)
    house = House(directory)
    yield house
    house.close()
    shutil.rmtree(directory)


@pytest.fixture(autouse=True)
def _closed_afterwards(request: pytest.FixtureRequest) -> Iterator[None]:
    yield
    if "house" in request.fixturenames:
        request.getfixturevalue("house").close()
