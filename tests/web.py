"""The real web server as a process: started for a test on a free port, with the test's database."""

from __future__ import annotations

import contextlib
import os
import re
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlsplit

from django.db import connection

PROJECT = Path(__file__).resolve().parent.parent
LISTENING = re.compile(r"Listening on TCP address 127\.0\.0\.1:(\d+)")


def database_url() -> str:
    """The URL of the database that the running test uses."""
    parts = urlsplit(os.environ["DATABASE_URL"])
    return parts._replace(path=f"/{connection.settings_dict['NAME']}").geturl()


@dataclass
class WebServer:
    """A daphne process and what it has written."""

    process: subprocess.Popen[str]
    port: int = 0
    lines: list[str] = field(default_factory=list)
    ready: threading.Event = field(default_factory=threading.Event)

    @property
    def address(self) -> str:
        return f"127.0.0.1:{self.port}"

    @property
    def url(self) -> str:
        return f"http://{self.address}"

    def read(self) -> None:
        assert self.process.stdout
        for line in self.process.stdout:
            self.lines.append(line)
            if found := LISTENING.search(line):
                self.port = int(found[1])
                self.ready.set()
        self.ready.set()

    def stop(self, with_signal: signal.Signals = signal.SIGTERM, seconds: float = 30) -> int:
        self.process.send_signal(with_signal)
        return self.process.wait(seconds)

    def log(self) -> str:
        return "".join(self.lines)


@contextlib.contextmanager
def web_server(**environ: str) -> Iterator[WebServer]:
    """Daphne on a free port; stopped at the end if the test has not done it, so that no connection is left."""
    settings = {**os.environ, "DATABASE_URL": database_url(), "SYNOPS_ENV_FILE": "none", **environ}
    process = subprocess.Popen(
        [sys.executable, "-m", "daphne", "-e", "tcp:0:interface=127.0.0.1", "synops.asgi:application"],
        cwd=PROJECT,
        env=settings,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    server = WebServer(process)
    reader = threading.Thread(target=server.read)
    reader.start()
    try:
        assert server.ready.wait(60), "daphne did not start in a minute"
        assert server.port, server.log()
        yield server
    finally:
        if process.poll() is None:
            process.terminate()
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(60)
        process.kill()
        process.wait()
        reader.join()
        if process.stdout:
            process.stdout.close()
