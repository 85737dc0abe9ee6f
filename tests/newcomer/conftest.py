from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.database.conftest import clean
from tests.database.users import Place
from tests.newcomer.house import House


@pytest.fixture(scope="module")
def house() -> Iterator[House]:
    """One installation for all tests of a module: each leaves it stopped and its data in place, as a user does.

    It lies where life is hard: in a directory closed to everybody else, with a path too long for a socket.
    """
    outer = Path(tempfile.mkdtemp(prefix="synops-house-"))
    directory = outer / ("d" * (96 - len(str(outer)) - 1))
    directory.mkdir()
    house = House(directory)
    yield house
    house.close()
    clean(Place(house.var))
    shutil.rmtree(outer)


@pytest.fixture(autouse=True)
def _closed_afterwards(request: pytest.FixtureRequest) -> Iterator[None]:
    yield
    if "house" in request.fixturenames:
        request.getfixturevalue("house").close()
