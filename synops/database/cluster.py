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
from synops.database.home import Home, name_of, prepare_home, remove_old_copies
from synops.database.keeper import READY, READY_SECONDS, Plan
from synops.database.locks import exclusive, is_held, is_shared, shared
from synops.database.server import disk_full, environment, is_ready

#: Files in the home that tell what is done; what a crash left half done is done again.
CREATED, FURNISHED = "created", "furnished"


class Cluster:
    """One embedded server and this process's part in it."""

    def __init__(
        self,
        directory: Path,
        binaries: Binaries,
        settings: Sequence[str] = (),
        temporary: bool = False,
    ) -> None:
        """`temporary` data are not synced when made, and removed when the last user is gone."""
        self.directory, self.binaries = directory, binaries
        self.settings, self.temporary = tuple(settings), temporary
        self.home: Home | None = None
        self.furnished_here = False
        self._users: int | None = None

    @property
    def url(self) -> str:
        return server_address(self.directory)

    def enter(self, furnish: Callable[[str], None] | None = None) -> None:
        """Joins the running server or starts it, and holds it up until `leave` or the end of this process.

        `furnish(url)` fills a database that has not been filled before. Entering again is cheap and starts a server
        that has been lost. Raises `DatabaseUnavailable`.
        """
        with explained(self.directory):
            self.directory.mkdir(mode=0o711, parents=True, exist_ok=True)
            with exclusive(self.directory / "launch.lock"):
                home = self.home = prepare_home(self.directory, self.binaries)
                if self._users is None:
                    self._users = shared(home.directory / "users.lock")  # waits for a keeper that is ending
                check_version(home)
                if not (home.data / "PG_VERSION").exists():
                    create_data(home, self.temporary)
                self._start(home)
                create_database(home)
                if furnish and not (home.directory / FURNISHED).exists():
                    furnish(self.url)
                    (home.directory / FURNISHED).touch()
                    self.furnished_here = True

    def leave(self) -> None:
        """Gives up the server. It stops soon if nobody else holds it."""
        if self._users is not None:
            os.close(self._users)
            self._users = None

    def stop(self) -> None:
        """Leaves, and waits until the server has stopped, or is seen to have another user."""
        self.leave()
        while self.home and is_held(self.home.directory / "keeper.lock"):
            if is_shared(self.home.directory / "users.lock"):
                return
            time.sleep(0.02)

    def _start(self, home: Home) -> None:
        deadline = time.monotonic() + READY_SECONDS
        while True:
            if not is_held(home.directory / "keeper.lock"):
                remove_old_copies(home)
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


HALF = "data.new."


def create_data(home: Home, unsynced: bool) -> None:
    """Runs initdb. The data appear whole or not at all.

    Into a directory of its own each time: of an initdb whose caller was killed, the rest may still be writing.
    """
    half = home.directory / f"{HALF}{os.getpid()}"
    _clear_halves(home)
    command = [home.binaries.program("initdb"), "-D", str(half), "-U", "synops", "-A", "trust"]
    command += ["-E", "UTF8", "--locale=C.UTF-8", *(["--no-sync"] if unsynced else [])]
    account = home.account
    who = {} if os.geteuid() == account.uid else {"user": account.uid, "group": account.gid, "extra_groups": []}
    said = subprocess.run(command, capture_output=True, text=True, cwd=home.directory, env=environment(), **who)  # type: ignore[call-overload]
    if said.returncode:
        _clear_halves(home)
        raise failure("initdb", said.stderr, home.directory)
    half.rename(home.data)
    _clear_halves(home)


def _clear_halves(home: Home) -> None:
    for half in home.directory.glob(f"{HALF}*"):
        shutil.rmtree(half, ignore_errors=True)


def create_database(home: Home) -> None:
    """Makes the database `synops` in a new server."""
    if (home.directory / CREATED).exists():
        return
    command = [home.binaries.program("createdb"), "-h", str(home.sockets), "-p", "5432", "-U", "synops", "synops"]
    said = subprocess.run(command, capture_output=True, text=True, env=environment())
    if said.returncode and "already exists" not in said.stderr:
        raise failure("createdb", said.stderr, home.directory)
    (home.directory / CREATED).touch()


def failure(what: str, said: str, directory: Path) -> DatabaseUnavailable:
    """The error for a program that failed on its way to a new database."""
    if "No space left on device" in said:
        return DatabaseUnavailable(disk_full(directory))
    return DatabaseUnavailable(f"{what} failed for the embedded PostgreSQL in {directory}:\n{said.strip()}")


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


def enter(furnished: bool = True) -> None:
    """Makes sure that the embedded server runs as long as this process does; nothing to do with `DATABASE_URL` set.

    A new server's database is migrated, seeded and told of the tools first, unless the caller is what repairs a
    database that cannot be. Entering again is cheap. Raises `DatabaseUnavailable`.
    """
    if not is_embedded(os.environ):
        return
    directory = cluster_directory(os.environ)
    if directory not in _entered:
        _entered[directory] = Cluster(directory, find_binaries())
    _entered[directory].enter(furnish if furnished else None)


def just_furnished() -> bool:
    """True when this process has made and filled the database itself, so that nothing can be out of date."""
    return any(cluster.furnished_here for cluster in _entered.values())


def leave() -> None:
    """Gives up the embedded server and, where nobody else uses it, waits until it has stopped."""
    if cluster := _entered.pop(cluster_directory(os.environ), None):
        cluster.stop()


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
            raise failure(f"`manage.py {command[0]}`", said.stderr, cluster_directory(os.environ))


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
