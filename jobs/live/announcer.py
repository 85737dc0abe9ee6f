"""Says what has changed, after commit, from a thread and a database connection of its own.

NOTIFY takes a database-wide lock at commit, so a state change never notifies in its own transaction: ids are collected
here and sent at most ten times a second. Losing one costs a late update of a page, never data.
"""

from __future__ import annotations

import atexit
import logging
import threading
import time
from collections.abc import Iterable
from functools import lru_cache
from uuid import UUID

import psycopg
from django.db import transaction

from jobs.live.address import direct_conninfo
from jobs.live.messages import CHANNEL, RESYNC, encode

logger = logging.getLogger(__name__)

MAX_PENDING = 5_000
"""More ids than this between two messages (an outage, a mass change) are sent as one `resync`."""

SEND = "SELECT pg_notify(%(channel)s, message) FROM unnest(%(messages)s::text[]) AS message"


class Announcer:
    """Collects changed ids and sends them; every method is thread-safe, returns at once and never raises.

    `conninfo` must bypass a pooler in transaction mode only for listeners; a sender may use either.
    """

    def __init__(self, conninfo: str, interval_seconds: float = 0.1, longest_pause_seconds: float = 5.0) -> None:
        self.conninfo = conninfo
        self.interval = interval_seconds
        self.longest_pause = longest_pause_seconds
        self._pending: dict[str, set[UUID]] = {}
        self._resync = False
        self._closing = False
        self._changed = threading.Condition()
        self._thread: threading.Thread | None = None
        self._connection: psycopg.Connection | None = None
        self._failing = False

    def changed(self, kind: str, ids: Iterable[UUID]) -> None:
        """Rows of `kind` ("job", "run" …) that have just been committed."""
        named = set(ids)
        if not named:
            return
        with self._changed:
            self._pending.setdefault(kind, set()).update(named)
            self._wake()

    def resync(self) -> None:
        """More changed than can be named (a dead worker's jobs, a mass change): listeners read anew."""
        with self._changed:
            self._resync = True
            self._wake()

    def close(self, timeout_seconds: float = 2.0) -> None:
        """Send what is left, if that is possible within the time, and stop the thread."""
        with self._changed:
            self._closing = True
            self._changed.notify()
            thread = self._thread
        if thread is not None:
            thread.join(timeout_seconds)

    def _wake(self) -> None:
        """Start the thread with the first change: a process that changes nothing needs none. Lock held."""
        if sum(map(len, self._pending.values())) > MAX_PENDING:
            self._pending.clear()
            self._resync = True
        if self._thread is None and not self._closing:
            self._thread = threading.Thread(target=self._run, name="announcer", daemon=True)
            self._thread.start()
        self._changed.notify()

    def _run(self) -> None:
        pause = self.interval
        while messages := self._take():
            if self._send(messages):
                pause = self.interval
            elif self._is_closing():
                break
            else:
                self._give_back()
                pause = min(pause * 2, self.longest_pause)
            self._rest(pause)
        self._hang_up()

    def _take(self) -> list[str]:
        """What is to be said now; waits until there is something. Empty = closing and nothing left."""
        with self._changed:
            self._changed.wait_for(lambda: self._pending or self._resync or self._closing)
            messages = [RESYNC] if self._resync else list(encode(self._pending))
            self._pending, self._resync = {}, False
            return messages

    def _give_back(self) -> None:
        """After a failed send nobody knows what arrived, and naming it again would be as much: say resync."""
        with self._changed:
            self._pending.clear()
            self._resync = True

    def _send(self, messages: list[str]) -> bool:
        try:
            if self._connection is None or self._connection.closed:
                self._connection = self._connect()
            self._connection.execute(SEND, {"channel": CHANNEL, "messages": messages})
        except psycopg.Error as error:
            if not self._failing:  # one line an outage, however long it is
                logger.warning("announcing changes failed, will say resync when the database answers: %s", error)
            self._failing = True
            self._hang_up()
            return False
        self._failing = False
        return True

    def _connect(self) -> psycopg.Connection:
        connection = psycopg.connect(
            self.conninfo, autocommit=True, application_name="synops announcer", connect_timeout=5
        )
        connection.prepare_threshold = None
        # Nothing is written: without this the commit would still wait for the disk.
        connection.execute("SET synchronous_commit = off")
        return connection

    def _rest(self, seconds: float) -> None:
        """The pause between two sends; closing cuts it short."""
        deadline = time.monotonic() + seconds
        with self._changed:
            self._changed.wait_for(lambda: self._closing, timeout=deadline - time.monotonic())

    def _is_closing(self) -> bool:
        with self._changed:
            return self._closing

    def _hang_up(self) -> None:
        if self._connection is not None:
            self._connection.close()
            self._connection = None


@lru_cache(maxsize=1)
def process_announcer() -> Announcer:
    """The one announcer of this process; what it still holds is sent when the process ends."""
    announcer = Announcer(direct_conninfo())
    atexit.register(announcer.close)
    return announcer


def announce(kind: str, ids: Iterable[UUID]) -> None:
    """For web and commands: say that rows changed, once Django's current transaction has committed."""
    named = tuple(ids)
    if named:
        transaction.on_commit(lambda: process_announcer().changed(kind, named))
