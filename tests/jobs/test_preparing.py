"""The cursor for what runs all the time: planned once a connection, and otherwise as Django's."""

from __future__ import annotations

from typing import Any

import pytest
from django.db import DataError, connection, transaction

from jobs.preparing import preparing_cursor

pytestmark = pytest.mark.django_db
ASK = "SELECT %(number)s::int, %(ids)s::uuid[], now(), '{}'::jsonb::text"


def test_a_statement_that_runs_often_is_planned_once_whatever_its_values() -> None:
    with preparing_cursor() as cursor:
        for number in range(10):
            cursor.execute(ASK, {"number": number, "ids": []})
            found = cursor.fetchone()
            assert found[0] == number
            assert found[2].tzinfo is not None
        cursor.execute("SELECT count(*) FROM pg_prepared_statements WHERE statement LIKE 'SELECT $1::int, $2%%'", {})
        assert cursor.fetchone() == (1,)


def make_and_fail() -> None:
    with transaction.atomic(), preparing_cursor() as cursor:
        cursor.execute("CREATE TEMPORARY TABLE gone (n int)", {})
        cursor.execute(ASK, {"number": "ten", "ids": []})


def test_it_is_in_djangos_transaction_and_raises_djangos_errors() -> None:
    with pytest.raises(DataError):
        make_and_fail()
    with connection.cursor() as other:
        other.execute("SELECT to_regclass('gone')")
        assert other.fetchone() == (None,)


def test_wrappers_of_djangos_connection_see_what_it_runs() -> None:
    """The crash tests put their fault points there."""
    seen = []

    def wrapper(run: Any, statement: str, *told: Any) -> Any:
        seen.append(statement)
        return run(statement, *told)

    with connection.execute_wrapper(wrapper), preparing_cursor() as cursor:
        cursor.execute(ASK, {"number": 1, "ids": []})
    assert seen == [ASK]
