"""Processes that die in the middle of a transaction, a statement at a time."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from synops.store.sql import Cursor


class Killed(BaseException):
    """The process died here; nothing that code does about errors happens then."""


class Mortal:
    """A cursor whose process dies before its nth statement. Whatever the transaction has done is gone then."""

    def __init__(self, cursor: Cursor, lives: int) -> None:
        self._cursor = cursor
        self.lives = lives

    def execute(self, query: Any, params: Any = None, /) -> Any:
        if self.lives == 0:
            raise Killed
        self.lives -= 1
        return self._cursor.execute(query, params)

    @property
    def rowcount(self) -> int:
        return self._cursor.rowcount

    def fetchone(self) -> tuple[Any, ...] | None:
        return self._cursor.fetchone()

    def fetchall(self) -> Sequence[tuple[Any, ...]]:
        return self._cursor.fetchall()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._cursor, name)


def mortally(cursor: Cursor, lives: int, work: Callable[[Cursor], Any]) -> None:
    """Do `work` as a transaction of its own, by a process that dies before the statement with this number."""
    cursor.execute("SAVEPOINT process")
    try:
        work(Mortal(cursor, lives))
    except Killed:
        cursor.execute("ROLLBACK TO SAVEPOINT process")
    cursor.execute("RELEASE SAVEPOINT process")
