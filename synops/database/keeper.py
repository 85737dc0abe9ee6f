"""The detached process that owns the embedded server: parent of postgres, gone soon after its last user.

It waits for an exclusive lock on the users' lock file, which each user holds shared: getting it means that the last one
is gone, killed ones included. It restarts a server that dies before that.
"""

from __future__ import annotations

import fcntl
import json
import os
import queue
import shutil
import signal
import sys
import threading
import time
import traceback
from dataclasses import asdict, dataclass, field
from enum import Enum
from pathlib import Path

from synops.database.errors import DatabaseUnavailable
from synops.database.locks import open_lock
from synops.database.server import Server, write_log

READY = "ready"
#: Recovery after a crash reads all of the log since the last checkpoint; ten seconds are often not enough.
READY_SECONDS = 120
MOST_RESTARTS_A_MINUTE = 5


@dataclass(frozen=True)
class Plan:
    """All that a keeper must know; the process that starts it has worked it out."""

    home: str
    binaries: str
    sockets: str
    uid: int
    gid: int
    log: str
    settings: list[str] = field(default_factory=list)
    remove: list[str] = field(default_factory=list)

    def to_json(self) -> str:
        return json.dumps(asdict(self))


class Event(Enum):
    EXITED = "the server has ended"
    UNUSED = "its last user is gone"
    TERMINATED = "somebody asked the keeper to end"


class Keeper:
    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self.home, self.log = Path(plan.home), Path(plan.log)
        self.events: queue.SimpleQueue[Event] = queue.SimpleQueue()
        self.server = Server(
            Path(plan.binaries), self.home / "data", Path(plan.sockets), plan.uid, plan.gid, plan.settings, self.log
        )

    def run(self) -> None:
        """Starts the server, tells the starter on standard output, and stays until an event says to end."""
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
            signal.signal(number, lambda *_: self.events.put(Event.TERMINATED))
        users = open_lock(self.home / "users.lock")
        threading.Thread(target=self._await_last_user, args=(users,), daemon=True).start()
        try:
            if self._start():
                report(READY)
                self._stay()
        finally:
            self.server.stop()
            for path in self.plan.remove:
                shutil.rmtree(path, ignore_errors=True)

    def _await_last_user(self, users: int) -> None:
        fcntl.flock(users, fcntl.LOCK_EX)  # kept until the end: a newcomer waits here until the server has stopped
        self.events.put(Event.UNUSED)

    def _start(self) -> bool:
        """Starts the server and waits until it is ready; False when the wait was ended by an event."""
        deadline = time.monotonic() + READY_SECONDS
        self.server.start(lambda: self.events.put(Event.EXITED))
        while not self.server.is_ready():
            try:
                event = self.events.get(timeout=0.03)
            except queue.Empty:
                event = None
            if event in (Event.UNUSED, Event.TERMINATED):
                return False
            if event is Event.EXITED:
                if not self.server.is_held_up or time.monotonic() > deadline:
                    raise DatabaseUnavailable(self.server.last_words())
                time.sleep(0.2)
                self.server.start(lambda: self.events.put(Event.EXITED))
            elif time.monotonic() > deadline:
                raise DatabaseUnavailable(f"PostgreSQL was not ready after {READY_SECONDS} seconds (log: {self.log})")
        return True

    def _stay(self) -> None:
        restarts: list[float] = []
        while self.events.get() is Event.EXITED:
            restarts = [at for at in restarts if at > time.monotonic() - 60] + [time.monotonic()]
            self.note("the server ended by itself: " + self.server.last_words())
            if len(restarts) > MOST_RESTARTS_A_MINUTE or not self._start():
                return

    def note(self, text: str) -> None:
        write_log(self.log, f"keeper: {text}\n".encode())


def report(text: str) -> None:
    """Tells the starter how it went, once; it may be dead already."""
    try:
        os.write(1, text.encode())
        with open(os.devnull, "wb") as nowhere:  # noqa: PTH123
            os.dup2(nowhere.fileno(), 1)
    except OSError:
        pass


def main(plan_json: str) -> None:
    if os.fork():
        os._exit(0)  # an orphan, so that nobody else has to reap it or counts it among their children
    signal.signal(signal.SIGPIPE, signal.SIG_IGN)
    plan = Plan(**json.loads(plan_json))
    keeper_lock = open_lock(Path(plan.home) / "keeper.lock")
    try:
        fcntl.flock(keeper_lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return  # another keeper was quicker; the starter looks again
    keeper = Keeper(plan)
    try:
        keeper.run()
    except DatabaseUnavailable as error:
        keeper.note(str(error))
        report(str(error))
    except Exception:  # noqa: BLE001 - nobody sees a detached process's traceback otherwise
        keeper.note(traceback.format_exc())
        report(f"The keeper of the embedded PostgreSQL failed; see {plan.log}")


if __name__ == "__main__":
    main(sys.argv[1])
