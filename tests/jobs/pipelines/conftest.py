"""What tests of the engine begin with: a worker's kind of cursor, and the library pipeline, inline or as programs."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from synops.store.sql import Cursor
from tests.jobs.arrange import psycopg_cursor
from tests.jobs.pipelines.making import Script, library


@pytest.fixture
def cursor() -> Iterator[Cursor]:
    with psycopg_cursor() as cursor:
        yield cursor


@pytest.fixture
def inline() -> Iterator[Script]:
    with library() as script:
        yield script


@pytest.fixture
def programs() -> Iterator[Script]:
    with library(by_program=True) as script:
        yield script
