"""Entering and leaving the embedded server: the first one in starts it, the last one out lets it stop."""

from __future__ import annotations

import contextlib
import errno
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from synops.database.address import PROJECT, cluster_directory, is_embedded, server_address
from synops.database.binaries import Binaries, binaries_in, find_binaries, major_of
from synops.database.errors import DatabaseUnavailable
from synops.database.home import Home, name_of, prepare_home
from synops.database.keeper import READY, READY_SECONDS, Plan
from synops.database.locks import exclusive, is_held, shared
from synops.database.server import disk_full, environment, is_ready

#: Tells that the database was made, migrated and seeded, so that it is done once.
MARKER = "complete"


class Cluster:
    """One embedded server and this process's part in it."""

    def __init__(
        self,
        directory: Path,
        binaries: Binaries,
        settings: Sequence[str] = (),
        temporary: bool = False,
        furnish: Callable[[str], None] | None = None,
    ) -> None:
        """`furnish(url)` fills a new database; `temporary` data are not synced when made, and removed at the end."""
        self.directory, self.binaries, self.settings = directory, binaries, tuple(settings)
        self.temporary, self.furnish = temporary, furnish
        self.home: Home | None = None
        self._users: int | None = None

    @property
    def url(self) -> str:
        return server_address(self.directory)

    def enter(self) -> None:
        """Joins the running server or starts it, and holds it up until `leave` or the end of this process.

        Entering again is cheap and starts a server that has been lost. Raises `DatabaseUnavailable`.
        """
        with explained(self.directory):
            self.directory.mkdir(parents=True, exist_ok=True)
            with exclusive(self.directory / "launch.lock"):
                home = self.home = prepare_home(self.directory, self.binaries)
                if self._users is None:
                    self._users = shared(home.directory / "users.lock")  # waits for a keeper that is ending
                check_version(home)
                if not (home.data / "PG_VERSION").exists():
                    create_data(home, self.temporary)
                self._start(home)
                self._complete(home)

    def leave(self) -> None:
        """Gives up the server. It stops soon if nobody else holds it."""
        if self._users is not None:
            os.close(self._users)
            self._users = None

    def stop(self) -> None:
        """Leaves, and waits until the server has stopped, or somebody else keeps it."""
        self.leave()
        if self.home is None:
            return
        while self.home.directory.exists() and is_held(self.home.directory / "keeper.lock"):
            if not is_held(self.home.directory / "users.lock"):
                time.sleep(0.02)

    def _start(self, home: Home) -> None:
        deadline = time.monotonic() + READY_SECONDS
        while True:
            if not is_held(home.directory / "keeper.lock"):
                start_keeper(self._plan(home))
            elif is_ready(self.binaries.directory, home.sockets):
                return
            elif time.monotonic() > deadline:
                raise DatabaseUnavailable(f"PostgreSQL in {home.directory} is not ready after {READY_SECONDS} seconds.")
            else:
                time.sleep(0.05)

    def _plan(self, home: Home) -> Plan:
        return Plan(
            home=str(home.directory),
            binaries=str(home.binaries.directory),
            sockets=str(home.sockets),
            uid=home.account.uid,
            gid=home.account.gid,
            log=str(self.directory / "server.log"),
            settings=list(self.settings),
            remove=[str(home.directory), str(home.sockets), str(self.directory)] if self.temporary else [],
        )

    def _complete(self, home: Home) -> None:
        """Makes the database and fills it, once; what a crash left half done is done again."""
        marker = home.directory / MARKER
        if marker.exists():
            return
        command = [self.binaries.program("createdb"), "-h", str(home.sockets), "-p", "5432", "-U", "synops", "synops"]
        said = subprocess.run(command, capture_output=True, text=True, env=environment())
        if said.returncode and "already exists" not in said.stderr:
            raise DatabaseUnavailable(f"Creating the database failed: {said.stderr.strip()}")
        if self.furnish:
            self.furnish(self.url)
        marker.touch()


def start_keeper(plan: Plan) -> None:
    """Starts the detached keeper and waits for its word."""
    command = [sys.executable, "-m", "synops.database.keeper", plan.to_json()]
    said = subprocess.run(
        command,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
        cwd=PROJECT,
    )
    word = said.stdout.decode()
    if word not in (READY, ""):
        raise DatabaseUnavailable(word)


def check_version(home: Home) -> None:
    """Raises when the data are of another major version than the programs: PostgreSQL cannot open those."""
    with contextlib.suppress(FileNotFoundError):
        found = (home.data / "PG_VERSION").read_text().strip()
        if major_of(found) != home.binaries.major:
            raise DatabaseUnavailable(
                f"The data in {home.data} are PostgreSQL {found}'s, but the programs found are version "
                f"{home.binaries.version} ({home.binaries.directory}). Set SYNOPS_POSTGRES_BIN to the directory of "
                f"PostgreSQL {found}'s programs to go on with these data, or move {home.directory} away to begin anew."
            )


def create_data(home: Home, unsynced: bool) -> None:
    """Runs initdb. The data appear whole or not at all."""
    half = home.directory / "data.new"
    shutil.rmtree(half, ignore_errors=True)
    command = [home.binaries.program("initdb"), "-D", str(half), "-U", "synops", "-A", "trust"]
    command += ["-E", "UTF8", "--locale=C.UTF-8", *(["--no-sync"] if unsynced else [])]
    account = home.account
    who = {} if os.geteuid() == account.uid else {"user": account.uid, "group": account.gid, "extra_groups": []}
    said = subprocess.run(command, capture_output=True, text=True, cwd=home.directory, env=environment(), **who)  # type: ignore[call-overload]
    if said.returncode:
        shutil.rmtree(half, ignore_errors=True)
        if "No space left on device" in said.stderr:
            raise DatabaseUnavailable(disk_full(home.directory))
        raise DatabaseUnavailable(f"Creating a PostgreSQL in {home.directory} failed: {said.stderr.strip()}")
    half.rename(home.data)


@contextlib.contextmanager
def explained(directory: Path) -> Iterator[None]:
    """Turns what the file system says into a sentence."""
    try:
        yield
    except PermissionError as error:
        raise DatabaseUnavailable(
            f"No right to use {error.filename or directory} as user {name_of(os.geteuid())}. "
            "It may have been made by another user: run Synops as that one, or set SYNOPS_VAR to a place of your own."
        ) from error
    except OSError as error:
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            raise DatabaseUnavailable(disk_full(directory)) from error
        raise DatabaseUnavailable(f"The embedded PostgreSQL in {directory} cannot be used: {error}") from error


_entered: dict[Path, Cluster] = {}


def enter() -> None:
    """Makes sure that the embedded server runs as long as this process does; nothing to do with `DATABASE_URL` set.

    A new server's database is migrated, seeded and told of the tools first. Raises `DatabaseUnavailable`.
    """
    if not is_embedded(os.environ):
        return
    directory = cluster_directory(os.environ)
    if directory not in _entered:
        _entered[directory] = Cluster(directory, find_binaries(), furnish=furnish)
    _entered[directory].enter()


def furnish(url: str) -> None:
    """Migrates and seeds a new database and stores what the tools describe."""
    print(  # noqa: T201
        "Creating an embedded PostgreSQL: fine for development and a small newsroom; set DATABASE_URL to use your own.",
        file=sys.stderr,
    )
    for command in (["migrate", "--verbosity=0"], ["sync_tools"]):
        said = subprocess.run(
            [sys.executable, str(PROJECT / "manage.py"), *command],
            env={**os.environ, "DATABASE_URL": url},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
        )
        if said.returncode:
            raise DatabaseUnavailable(f"`manage.py {command[0]}` failed on the new database:\n{said.stderr.strip()}")


@contextlib.contextmanager
def temporary_cluster(root: Path, bin_dir: Path | None = None, settings: Sequence[str] = ()) -> Iterator[str]:
    """A private, empty server in `root`, for tests, faults and benchmarks; yields its URL.

    It stops and its files go when the block or the process ends, `kill -9` included. `settings` are "name=value".
    """
    cluster = Cluster(root, binaries_in(bin_dir) if bin_dir else find_binaries(), settings, temporary=True)
    try:
        cluster.enter()
        yield cluster.url
    finally:
        cluster.stop()
