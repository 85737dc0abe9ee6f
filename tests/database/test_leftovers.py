"""What crashes and other people leave in the way of a start."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from synops.database import server
from synops.database.home import server_account
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


def test_a_living_foreign_process_with_the_old_pid_is_left_alone(place: Place) -> None:
    with subprocess.Popen(["sleep", "600"], cwd="/", **account_options()) as stranger:  # type: ignore[call-overload]
        leave_lock(place, stranger.pid)

        place.user()
        place.users[-1].go()
        place.wait_stopped()

        assert stranger.poll() is None
        stranger.kill()


def test_another_server_with_the_old_pid_is_left_alone(place: Place, open_directory: Path) -> None:
    other = Place(open_directory / "other")
    try:
        other.user()
        pid = other.postmaster()
        assert pid
        leave_lock(place, pid)

        place.user()

        assert other.postmaster() == pid
        assert place.query("SELECT 1") == other.query("SELECT 1") == 1
    finally:
        other.close()


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


def test_a_zombie_with_the_old_pid_is_no_server(place: Place) -> None:
    with zombie() as pid:
        leave_lock(place, pid)

        place.user()

        assert place.query("SELECT 1") == 1


def test_everything_killed_at_once(place: Place) -> None:
    user = place.user()
    place.query("CREATE TABLE kept AS SELECT 42 AS answer")
    doomed = [*place.keepers(), *place.servers()]

    for pid in doomed:
        os.kill(pid, signal.SIGKILL)
    user.kill()

    place.user()
    assert place.query("SELECT answer FROM kept") == 42


def test_initdb_killed_half_way(place: Place) -> None:
    first = place.newcomer()
    wait_until((place.cluster / "server" / "data.new" / "global").exists, "initdb is at work")

    first.kill()

    place.user()
    assert place.query("SELECT 1") == 1


def test_data_of_another_major_version_are_refused_and_kept(place: Place) -> None:
    place.user().go()
    place.wait_stopped()
    version = place.home / "data" / "PG_VERSION"
    version.write_text("14\n")

    said = place.newcomer().refusal()

    assert "PostgreSQL 14's" in said
    assert "SYNOPS_POSTGRES_BIN" in said
    assert version.read_text() == "14\n"


def test_broken_data_are_explained_with_the_servers_own_words(place: Place) -> None:
    place.user().go()
    place.wait_stopped()
    (place.home / "data" / "global" / "pg_control").unlink()

    said = place.newcomer().refusal()

    assert "pg_control" in said
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

    said = place.newcomer().refusal()

    assert "The disk that holds" in said
    assert "is full" in said
    assert "Traceback" not in said
    place.wait_stopped()


def test_a_disk_that_fills_up_later(small_disk: Path) -> None:
    subprocess.run(["mount", "-o", "remount,size=120m", small_disk], check=True)
    place = Place(small_disk / "var")
    try:
        place.user().go()
        place.wait_stopped()
        subprocess.run(["dd", "if=/dev/zero", f"of={small_disk}/ballast", "bs=64k"], stderr=subprocess.DEVNULL)

        said = place.newcomer().refusal()

        assert "is full" in said
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
