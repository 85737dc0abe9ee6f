"""Real processes that use an embedded server, for tests: each enters, says so, and stays until told to go."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import psycopg

from synops.database.address import PROJECT, server_address
from synops.database.server import is_server_of, locked_by
from tests.deadline import wait_until

ENTER = """
import sys
from synops.database import DatabaseUnavailable, enter
try:
    enter(furnished=False)
except DatabaseUnavailable as error:
    sys.exit(f"synops: {error}")
print("in", flush=True)
"""
STAY = ENTER + "sys.stdin.read()"


def environment(var: Path, **more: str) -> dict[str, str]:
    """The tests' own environment with the embedded server of `var` as its database."""
    mine = {name: value for name, value in os.environ.items() if not name.startswith("DATABASE_")}
    return {**mine, "SYNOPS_ENV_FILE": "none", "SYNOPS_VAR": str(var), "PYTHONPATH": str(PROJECT), **more}


def processes() -> list[int]:
    return [int(entry.name) for entry in Path("/proc").iterdir() if entry.name.isdigit()]


class User:
    """A process in the server of `var`."""

    def __init__(self, var: Path, program: str = STAY, command: Sequence[str] = (sys.executable,), **env: str) -> None:
        self.process = subprocess.Popen(
            [*command, "-c", program],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env=environment(var, **env),
            cwd="/",
        )

    def entered(self) -> User:
        """Waits until it is in; fails the test with what it said when it is not let in."""
        assert self.process.stdout
        assert self.process.stderr
        if self.process.stdout.readline() != "in\n":
            raise AssertionError(self.process.stderr.read())
        return self

    def refusal(self) -> str:
        """Waits for its end and returns what it said; fails the test when it was let in."""
        out, err = self.process.communicate(timeout=60)
        assert (out, self.process.returncode) == ("", 1), err
        return err

    def go(self) -> None:
        self.process.communicate(timeout=30)

    def kill(self) -> None:
        self.process.kill()
        self.process.communicate()

    def last_words(self) -> str:
        """What it has said on standard error, after its end."""
        return self.process.communicate(timeout=30)[1]


class Place:
    """A `SYNOPS_VAR` and what can be seen of the server in it from outside."""

    def __init__(self, var: Path) -> None:
        self.var = var
        self.cluster = var / "postgres"
        self.users: list[User] = []

    def user(self, **more: object) -> User:
        """A new process that has entered."""
        return self.newcomer(**more).entered()

    def newcomer(self, **more: object) -> User:
        """A new process on its way in."""
        self.users.append(User(self.var, **more))  # type: ignore[arg-type]
        return self.users[-1]

    @property
    def home(self) -> Path:
        return (self.cluster / "server").resolve()

    @property
    def url(self) -> str:
        return server_address(self.cluster)

    def postmaster(self) -> int | None:
        """The pid of the running server."""
        pid = locked_by(self.home / "data")
        return pid if pid and is_server_of(self.home / "data", pid) else None

    def servers(self) -> list[int]:
        """Every process of the server: postmaster and backends."""
        return [pid for pid in processes() if is_server_of(self.home / "data", pid)]

    def keepers(self) -> list[int]:
        return [pid for pid in processes() if self._is_keeper(pid)]

    def _is_keeper(self, pid: int) -> bool:
        try:
            said = Path(f"/proc/{pid}/cmdline").read_bytes()
        except OSError:
            return False
        return b"synops.database.keeper" in said and os.fsencode(self.home) in said

    def query(self, sql: str) -> object:
        with psycopg.connect(self.url, autocommit=True) as connection:
            cursor = connection.execute(sql.encode())
            row = cursor.fetchone() if cursor.description else None
            return row[0] if row else None

    def wait_stopped(self) -> None:
        wait_until(lambda: not self.servers() and not self.keepers(), "server and keeper are gone")

    def close(self) -> None:
        """Ends every user, waits for the server's end, and removes what lies outside of `var`."""
        for user in self.users:
            user.kill()
        for pid in self.keepers():
            os.kill(pid, signal.SIGTERM)
        self.wait_stopped()
