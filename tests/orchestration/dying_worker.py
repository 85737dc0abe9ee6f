"""A worker that kills itself at a statement: fault points in the SQL layer, for test_crashes.py. Not imported by anything.

    python dying_worker.py STATEMENT runworker …

Counts what is sent to the database about runs, in all threads, commits included, and dies by SIGKILL in place of the n-th.
"""

from __future__ import annotations

import os
import re
import signal
import sys
import threading
from typing import Any

import psycopg

MINE = re.compile(
    r"orchestration_|INSERT INTO job_queue|Records how a batch of attempts ended|graph_events SET done_at",
    re.IGNORECASE,
)
IDLE = re.compile(r"Unfinished runs without a live job|Recipes whose text|SELECT EXISTS", re.IGNORECASE)
"""What a steward without work asks all the time."""


class FaultPoint:
    """Statements about runs, and the commit after each."""

    def __init__(self, statements: int) -> None:
        self.left = statements
        self.lock = threading.Lock()
        self.open = threading.local()

    def statement(self, query: Any) -> None:
        text = query if isinstance(query, str) else str(query)
        if text == "COMMIT":
            self.commit()
        elif MINE.search(text) and not IDLE.search(text):
            self.open.mine = True
            self.count()

    def commit(self) -> None:
        if getattr(self.open, "mine", False):
            self.open.mine = False
            self.count()

    def count(self) -> None:
        with self.lock:
            self.left -= 1
            if self.left == 0:
                os.kill(os.getpid(), signal.SIGKILL)


def install(point: FaultPoint) -> None:
    """Put the fault point before every statement and every commit of psycopg."""
    execute, commit = psycopg.Cursor.execute, psycopg.Connection.commit

    def counted_execute(self: Any, query: Any, *args: Any, **kwargs: Any) -> Any:
        point.statement(query)
        return execute(self, query, *args, **kwargs)

    def counted_commit(self: Any) -> None:
        point.commit()
        commit(self)

    psycopg.Cursor.execute = counted_execute  # type: ignore[method-assign]
    psycopg.Connection.commit = counted_commit  # type: ignore[method-assign]


if __name__ == "__main__":
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "synops.settings")
    install(FaultPoint(int(sys.argv[1])))
    from synops.command_line import main

    main(["manage.py", *sys.argv[2:]])
