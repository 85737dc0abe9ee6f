"""A PostgreSQL that a test may end in the middle of everything and start again, on the same data and the same address."""

from __future__ import annotations

import signal
import subprocess
import sys
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from synops.database.address import server_address
from synops.database.binaries import binaries_in, find_binaries
from synops.database.cluster import create_data, create_database
from synops.database.home import prepare_home
from synops.database.server import Server
from tests.deadline import wait_until
from tests.web import PROJECT


class OwnServer:
    """One server in `root`. Started and restarted by the main thread: it dies with the thread that started it."""

    def __init__(self, root: Path, settings: Sequence[str] = (), programs: Path | None = None) -> None:
        root.chmod(0o711)  # as root the server runs as another user, who must be able to pass
        self._home = prepare_home(root, binaries_in(programs) if programs else find_binaries())
        create_data(self._home, unsynced=True)
        who = self._home.account
        self._server = Server(
            self._home.binaries.directory,
            self._home.data,
            self._home.sockets,
            who.uid,
            who.gid,
            settings,
            root / "server.log",
        )
        self.url = server_address(root)

    def start(self) -> None:
        self._ended = threading.Event()
        self._server.start(self._ended.set)
        wait_until(self._server.is_ready, "the server accepts connections")
        create_database(self._home)

    def restart_immediately(self) -> None:
        """As `pg_ctl restart -m immediate` does: every session is cut off, and the server recovers from its log."""
        assert self._server.process
        self._server.process.send_signal(signal.SIGQUIT)
        self._close()
        self.start()

    def stop(self) -> None:
        self._server.stop()
        self._close()

    def _close(self) -> None:
        """Wait until its log has been read to the end."""
        if self._server.process:
            assert self._ended.wait(60), "the server has ended"
            self._server.process.stdout.close()

    def migrate(self, environment: dict[str, str]) -> None:
        """Make the product's schema and seeds in it."""
        subprocess.run(
            [sys.executable, "manage.py", "migrate", "--verbosity=0"], cwd=PROJECT, env=environment, check=True
        )


@contextmanager
def own_server(root: Path, settings: Sequence[str] = (), programs: Path | None = None) -> Iterator[OwnServer]:
    """A running server that goes with the block."""
    server = OwnServer(root, settings, programs)
    try:
        server.start()
        yield server
    finally:
        server.stop()
