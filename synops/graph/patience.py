"""How long a page may ask the database: a filter that would read five million rows ends with a sentence, not a stall."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from django.db import OperationalError, connection, transaction
from psycopg.errors import QueryCanceled

PAGE_SECONDS = 5.0


class TookTooLong(Exception):
    """A statement of the page was stopped at its time limit."""


@contextmanager
def patience(seconds: float | None = None) -> Iterator[None]:
    """Statements within may take this long each (None = PAGE_SECONDS); then TookTooLong is raised, and nothing has changed."""
    try:
        with transaction.atomic(), connection.cursor() as cursor:
            cursor.execute(
                "SELECT set_config('statement_timeout', %s, true)", [f"{int((seconds or PAGE_SECONDS) * 1000)}ms"]
            )
            yield
            # Inside a longer transaction the limit would hold for what follows.
            cursor.execute("SET LOCAL statement_timeout TO DEFAULT")
    except OperationalError as error:
        if isinstance(error.__cause__, QueryCanceled):
            raise TookTooLong from error
        raise
