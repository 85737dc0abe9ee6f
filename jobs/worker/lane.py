"""A database connection in a thread of its own: what runs in one lane never waits for another lane's statement.

psycopg's synchronous cursor is used, so that jobs/queue has one form for Django, tests and the worker.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import random
import socket
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Concatenate, ParamSpec, Self, TypeVar

import psycopg
from psycopg import errors
from psycopg.pq import TransactionStatus

from synops.store.pooling import PREPARE_AFTER, is_pooled
from synops.store.sql import Cursor

Arguments = ParamSpec("Arguments")
Answer = TypeVar("Answer")

# The timeout is for the transaction and not for the session: behind PgBouncer the session is somebody else's a moment
# later.
BEGIN = "BEGIN; SET LOCAL statement_timeout = '30s'"
DEADLINE_SECONDS = 40.0
"""No answer for so long, the server's own timeout included, means that nobody is there any more."""

TRIES = 5


class DatabaseAway(Exception):
    """The database can't be reached right now; the work is undone and may be tried again."""


class Lane:
    """Runs functions that take a cursor, one transaction each, one after another."""

    def __init__(self, name: str, address: str, deadline_seconds: float = DEADLINE_SECONDS) -> None:
        self.name = name
        self._address = address
        self._deadline = deadline_seconds
        self._began: float | None = None
        self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix=name)
        self._connection: psycopg.Connection[Any] | None = None

    async def call(
        self,
        function: Callable[Concatenate[Cursor, Arguments], Answer],
        *args: Arguments.args,
        **kwargs: Arguments.kwargs,
    ) -> Answer:
        """`function(cursor, …)` in a transaction. Raises DatabaseAway when there is no connection to be had, or no answer.

        Serialization failures and deadlocks are tried again: their transaction has left nothing behind.
        """
        work = asyncio.get_running_loop().run_in_executor(
            self._thread, lambda: self._transaction(lambda cur: function(cur, *args, **kwargs))
        )
        while not work.done():
            await asyncio.wait([work], timeout=self._deadline)
            if not work.done() and self._hangs():
                self._hang_up()
        return work.result()

    def _hangs(self) -> bool:
        return self._began is not None and time.monotonic() - self._began >= self._deadline

    def _hang_up(self) -> None:
        """End a wait for an answer that never comes: a half-open connection, on which no timeout of the server helps."""
        connection = self._connection
        with contextlib.suppress(OSError, psycopg.Error):
            if connection is not None and not connection.closed:
                with socket.socket(fileno=os.dup(connection.fileno())) as wire:
                    wire.shutdown(socket.SHUT_RDWR)  # the thread that waits gets an error

    def _transaction(self, function: Callable[[Cursor], Answer]) -> Answer:
        self._began = time.monotonic()
        try:
            return self._try_transaction(function)
        finally:
            self._began = None

    def _try_transaction(self, function: Callable[[Cursor], Answer]) -> Answer:
        for left in reversed(range(TRIES)):
            try:
                with _transaction(self._connected()) as cursor:
                    return function(cursor)
            except (errors.SerializationFailure, errors.DeadlockDetected):
                if not left:
                    raise
                time.sleep(random.uniform(0.01, 0.1))  # noqa: S311 (spreads the losers of a deadlock)
            except (psycopg.OperationalError, psycopg.InterfaceError) as error:
                self._drop()
                raise DatabaseAway(str(error).strip()) from error
        raise AssertionError("unreachable")

    def _connected(self) -> psycopg.Connection[Any]:
        if self._connection is None or self._connection.closed:
            self._connection = connect(self._address, f"synops-worker-{self.name}")
        return self._connection

    def _drop(self) -> None:
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    async def close(self) -> None:
        """Close the connection and end the thread."""
        await asyncio.get_running_loop().run_in_executor(self._thread, self._drop)
        self._thread.shutdown()


class BeginningCursor(psycopg.Cursor[Any]):
    """Begins the transaction along with its first statement: at an idle worker, round trips are most of what a job takes.

    Only a statement without parameters can be sent along; before any other BEGIN goes by itself. Never prepared: several
    statements at once can't be.
    """

    def execute(self, query: Any, params: Any = None, **options: Any) -> Self:
        """As psycopg's."""
        if self.connection.info.transaction_status != TransactionStatus.IDLE:
            return super().execute(query, params, **options)
        if params is not None or not isinstance(query, str):
            super().execute(BEGIN, prepare=False)
            return super().execute(query, params, **options)
        super().execute(f"{BEGIN}; {query}", prepare=False)
        while self.nextset():  # to the last answer, which is the query's
            pass
        return self


@contextlib.contextmanager
def _transaction(connection: psycopg.Connection[Any]) -> Iterator[psycopg.Cursor[Any]]:
    """A transaction: committed at the end of the block, rolled back by an exception."""
    try:
        with BeginningCursor(connection) as cursor:
            yield cursor
        status = connection.info.transaction_status
        if status == TransactionStatus.INERROR:  # its COMMIT would be a ROLLBACK that nobody hears of
            raise errors.InFailedSqlTransaction("an error in the transaction was not handled")
        if status != TransactionStatus.IDLE:
            connection.execute("COMMIT", prepare=False)
    except BaseException:
        if not connection.closed and connection.info.transaction_status != TransactionStatus.IDLE:
            with contextlib.suppress(psycopg.Error):
                connection.execute("ROLLBACK", prepare=False)
        raise


def connect(address: str, name: str) -> psycopg.Connection[Any]:
    """A connection for a long-lived process: READ COMMITTED, noticing a peer that is gone.

    No startup options: PgBouncer refuses them. It also loses prepared statements, so there are none behind it; without
    it they are worth two thirds of a claim, most of which is planning.
    """
    connection: psycopg.Connection[Any] = psycopg.connect(
        address,
        autocommit=True,
        prepare_threshold=None,
        application_name=name,
        connect_timeout=10,
        keepalives_idle=30,
        keepalives_interval=10,
        keepalives_count=3,
        tcp_user_timeout=30_000,
    )
    if not is_pooled(connection):
        connection.prepare_threshold = PREPARE_AFTER
    return connection
