"""A queue that several connections share: what they do is committed, and swept away after the test."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from typing import Any

import psycopg
import pytest

from synops.store.sql import Cursor
from tests.jobs.arrange import TYPES, committing_connection, django_cursor, psycopg_cursor

SWEEP = """
DELETE FROM job_queue;
DELETE FROM workers;
"""


@pytest.fixture
def connect(db: None) -> Iterator[Callable[[], psycopg.Connection[Any]]]:
    """Makes connections, each committing what it does. A flush of all tables after each test would take seconds."""
    with ExitStack() as stack:
        yield lambda: stack.enter_context(committing_connection())
    with committing_connection() as sweeper:
        sweeper.execute(SWEEP)
        sweeper.execute("DELETE FROM job_priority_rules WHERE job_type = ANY(%s)", [[*TYPES, "inline"]])


@pytest.fixture
def cursor(connect: Callable[[], psycopg.Connection[Any]]) -> psycopg.Cursor[Any]:
    """The cursor of one such connection."""
    return connect().cursor()


@pytest.fixture(params=[django_cursor, psycopg_cursor], ids=["django", "psycopg"])
def each_cursor(request: pytest.FixtureRequest) -> Iterator[Cursor]:
    """The admin's cursor and the worker's, one after the other; what the test does is rolled back."""
    with request.param() as cursor:
        yield cursor
