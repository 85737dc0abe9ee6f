"""Every statement of the store runs through both cursors that use it: Django's and psycopg's own."""

from __future__ import annotations

from collections.abc import Iterator

import psycopg
import pytest
from django.db import connection

from synops.store.sql import Cursor


@pytest.fixture(params=["django", "psycopg"])
def cur(request: pytest.FixtureRequest, db: None) -> Iterator[Cursor]:
    if request.param == "django":
        with connection.cursor() as cursor:
            yield cursor
        return
    with psycopg.connect(**connection.get_connection_params() | {"cursor_factory": psycopg.Cursor}) as own:
        with own.cursor() as cursor:
            yield cursor
        own.rollback()
