from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from synops.database.address import socket_directory
from tests.database.users import Place


@pytest.fixture
def open_directory() -> Iterator[Path]:
    """A directory that every user can pass; pytest's own are closed, which is a case of its own here."""
    directory = Path(tempfile.mkdtemp(prefix="synops-place-"))
    directory.chmod(0o755)
    yield directory
    shutil.rmtree(directory)


@pytest.fixture
def place(open_directory: Path) -> Iterator[Place]:
    """A place for an embedded server, with nothing in it."""
    place = Place(open_directory / "var")
    yield place
    clean(place)


def clean(place: Place) -> None:
    place.close()
    shutil.rmtree(place.home, ignore_errors=True)
    sockets = socket_directory(place.cluster)
    if sockets.parent == Path("/tmp"):
        shutil.rmtree(sockets, ignore_errors=True)
