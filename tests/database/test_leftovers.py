"""What crashes and other people leave in the way of a start."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from pathlib import Path

import psycopg
import pytest

from synops.database import server
from synops.database.home import server_account
from synops.database.server import locked_by
from tests.database.users import Place
from tests.deadline import wait_until


def account_options() -> dict[str, object]:
    """Starts a process as the user of the server: only such a pid is in a new server's way."""
    if os.geteuid() != 0:
        return {}
    account = server_account()
    return {"user": account.uid, "group": account.gid, "extra_groups": []}


def leave_lock(place: Place, pid: int) -> None:
    """Makes the lock file that a server of this pid leaves when the machine goes down."""
    place.user().go()
    place.wait_stopped()
    lock = place.home / "data" / "postmaster.pid"
    lock.write_text(f"{pid}\n{place.home / 'data'}\n1700000000\n5432\n{place.home}\n\n  5432001         0\nready   \n")
    owner = (place.home / "data").stat()
    os.chown(lock, owner.st_uid, owner.st_gid)


@contextmanager
def zombie() -> Iterator[int]:
    """A dead process that its parent never waits for, as in a container without an init."""
    program = "import os, sys\npid = os.fork()\nif not pid: os._exit(0)\nprint(pid, flush=True)\nsys.stdin.read()"
    command = [sys.executable, "-c", program]
    if os.geteuid() == 0:  # the parent must be root's to be able to run this Python; the child takes the user's id
        account = server_account()
        command[2] = program.replace("os._exit", f"os.setgid({account.gid}) or os.setuid({account.uid}) or os._exit")
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as parent:
        assert parent.stdin
        assert parent.stdout
        pid = int(parent.stdout.readline())
        wait_until(lambda: ") Z " in Path(f"/proc/{pid}/stat").read_text(), "the child is a zombie")
        yield pid
        parent.stdin.close()


@contextmanager
def stranger() -> Iterator[int]:
    """A living process of another program."""
    with subprocess.Popen(["sleep", "600"], cwd="/", **account_options()) as process:  # type: ignore[call-overload]
        yield process.pid
        assert process.poll() is None, "it was not left alone"
        process.kill()


@contextmanager
def another_server() -> Iterator[int]:
    """A living PostgreSQL of other data, such as the tests' own."""
    with psycopg.connect(os.environ["DATABASE_URL"]) as connection:
        row = connection.execute("SHOW data_directory").fetchone()
    pid = locked_by(Path(row[0])) if row else None
    if pid is None:
        pytest.skip("the tests' own server runs on another machine")
    yield pid
    psycopg.connect(os.environ["DATABASE_URL"]).close()


@pytest.mark.parametrize("who", [stranger, another_server, zombie])
def test_an_old_pid_that_is_somebody_elses_now(place: Place, who: Callable[[], AbstractContextManager[int]]) -> None:
    with who() as pid:
        leave_lock(place, pid)

        place.user()

        assert place.query("SELECT 1") == 1


def test_everything_killed_at_once(place: Place) -> None:
    user = place.user()
    place.query("CREATE TABLE kept AS SELECT 42 AS answer")
    doomed = [*place.keepers(), *place.servers()]

    for pid in doomed:
        with suppress(ProcessLookupError):  # a backend whose work was done meanwhile
            os.kill(pid, signal.SIGKILL)
    user.kill()

    place.user()
    assert place.query("SELECT answer FROM kept") == 42


def test_initdb_killed_half_way(place: Place) -> None:
    first = place.newcomer()
    wait_until(lambda: list((place.cluster / "server").glob("data.new.*/global")), "initdb is at work")

    first.kill()

    place.user()
    assert place.query("SELECT 1") == 1


def test_data_that_cannot_be_opened_are_explained_and_kept(place: Place) -> None:
    place.user().go()
    place.wait_stopped()
    version = place.home / "data" / "PG_VERSION"
    right = version.read_text()

    version.write_text("14\n")
    said = place.newcomer().refusal()
    assert "PostgreSQL 14's" in said
    assert "SYNOPS_POSTGRES_BIN" in said
    assert version.read_text() == "14\n"

    version.write_text(right)
    (place.home / "data" / "global" / "pg_control").unlink()
    said = place.newcomer().refusal()
    assert "pg_control" in said  # the server's own words
    assert str(place.cluster / "server.log") in said
    place.wait_stopped()


@pytest.fixture
def small_disk(open_directory: Path) -> Iterator[Path]:
    if os.geteuid() != 0:
        pytest.skip("only root can mount a small disk")
    disk = open_directory / "disk"
    disk.mkdir()
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=12m,mode=755", "synops-test", disk], check=True)
    yield disk
    subprocess.run(["umount", disk], check=True)


def test_a_full_disk_is_said_in_one_sentence(small_disk: Path) -> None:
    place = Place(small_disk / "var")
    try:
        refused_at_creation = place.newcomer().refusal()
        subprocess.run(["mount", "-o", "remount,size=120m", small_disk], check=True)
        place.user().go()
        place.wait_stopped()
        subprocess.run(["dd", "if=/dev/zero", f"of={small_disk}/ballast", "bs=64k"], stderr=subprocess.DEVNULL)
        refused_later = place.newcomer().refusal()

        for said in (refused_at_creation, refused_later):
            assert "The disk that holds" in said
            assert "is full" in said
            assert "Traceback" not in said
    finally:
        place.close()


def test_programs_that_are_none(place: Place) -> None:
    said = place.newcomer(SYNOPS_POSTGRES_BIN="/nowhere").refusal()

    assert "/nowhere does not hold PostgreSQL's programs" in said


def test_the_log_is_private_and_bounded(tmp_path: Path) -> None:
    log = tmp_path / "server.log"
    line = b"x" * 999 + b"\n"

    for _ in range(3 * server.LOG_LIMIT_BYTES // len(line)):
        server.write_log(log, line)

    assert sorted(path.name for path in tmp_path.iterdir()) == ["server.log", "server.log.1"]
    assert sum(path.stat().st_size for path in tmp_path.iterdir()) <= 2 * server.LOG_LIMIT_BYTES + len(line)
    assert log.stat().st_mode & 0o777 == 0o600
