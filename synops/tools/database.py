"""A tool's connection: one short read-only transaction to read from, one fenced transaction to write in.

Two, and not one across the work: a transaction that stays open while a model computes holds back VACUUM and dies with
every restart of the server.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from synops.tools import fence
from synops.tools.call import Call
from synops.tools.failures import NotConfigured, TryAgain, Unavailable

if TYPE_CHECKING:
    import psycopg

LOCK_TIMEOUT = "10s"


@contextlib.contextmanager
def reading(call: Call) -> Iterator[psycopg.Cursor[Any]]:
    """A cursor on one consistent snapshot that can't write."""
    import psycopg

    with _connection(call) as connection:
        connection.read_only = True
        connection.isolation_level = psycopg.IsolationLevel.REPEATABLE_READ
        with connection.cursor() as cur:
            yield cur


@contextlib.contextmanager
def writing(call: Call) -> Iterator[psycopg.Cursor[Any]]:
    """A cursor in the one transaction that writes; it ends with the fence and COMMIT, or leaves nothing behind."""
    with _connection(call) as connection, connection.cursor() as cur:
        cur.execute(
            "SELECT set_config('lock_timeout', %(lock)s, true), set_config('synops.chain', %(chain)s, true)",
            {"lock": LOCK_TIMEOUT, "chain": call.environ.get("SYNOPS_CHAIN", "")},  # a uuid[] literal: {…,…}
        )
        yield cur
        if call.job:
            fence.hold(cur, call.job)


@contextlib.contextmanager
def _connection(call: Call) -> Iterator[psycopg.Connection[Any]]:
    """A connection that commits when the block ends and rolls back when it raises; database trouble is transient."""
    import psycopg

    try:
        connection = psycopg.connect(address(call), application_name=call.console.name, connect_timeout=10)
    except psycopg.OperationalError as error:
        raise Unavailable(f"the database does not answer: {str(error).strip()}") from error
    try:
        with connection:
            yield connection
    except psycopg.OperationalError as error:
        raise TryAgain(f"the database ended the transaction: {str(error).strip()}") from error


def address(call: Call) -> str:
    """DATABASE_URL; by hand also the embedded server, which is started or joined. Raises NotConfigured, Unavailable."""
    if url := call.environ.get("DATABASE_URL", "").strip():
        return url
    if call.job:
        raise NotConfigured("the worker gave no DATABASE_URL; does the description say database: read or write?")
    from synops import database

    try:
        database.enter()
    except database.DatabaseUnavailable as error:
        raise Unavailable(str(error)) from error
    return database.address(call.environ)
