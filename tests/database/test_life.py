"""The embedded server's life: who starts it, who holds it up, and when it ends."""

from __future__ import annotations

import os
import signal

from tests.database.users import ENTER, Place
from tests.deadline import wait_until


def test_first_one_in_starts_it_and_last_one_out_stops_it(place: Place) -> None:
    starter = place.user()
    server = place.postmaster()
    assert place.query("SELECT current_database() || ' ' || current_user") == "synops synops"
    assert place.query("SHOW listen_addresses") == ""
    assert place.query("SHOW server_encoding") == "UTF8"
    assert place.home.stat().st_mode & 0o777 == 0o700
    place.query("CREATE TABLE kept AS SELECT 42 AS answer")

    other = place.user()
    starter.go()
    assert (place.postmaster(), len(place.keepers())) == (server, 1)
    other.go()

    place.wait_stopped()
    assert not (place.home / "data" / "postmaster.pid").exists()
    place.user()
    assert place.query("SELECT answer FROM kept") == 42


def test_users_who_come_at_once_share_one_server(place: Place) -> None:
    users = [place.newcomer() for _ in range(3)]

    for user in users:
        user.entered()

    assert len(place.keepers()) == 1
    assert place.query("SELECT 1") == 1


def test_killing_the_starter_leaves_the_server_up_for_the_others(place: Place) -> None:
    starter, other = place.user(), place.user()
    server = place.postmaster()

    starter.kill()

    latest = place.user()
    assert place.postmaster() == server
    other.kill()
    latest.kill()
    place.wait_stopped()


def test_coming_while_it_stops_or_starts_gets_one(place: Place) -> None:
    for _ in range(3):
        place.user().go()  # its keeper begins to end now
    place.wait_stopped()
    half_way = place.newcomer()
    wait_until(place.keepers, "a keeper is being started")
    half_way.kill()

    place.user()

    assert place.query("SELECT 1") == 1


def test_killed_keeper_takes_its_server_along_and_the_next_one_in_recovers(place: Place) -> None:
    again = ENTER + "sys.stdin.readline()\nenter(furnished=False)\nprint('in', flush=True)\nsys.stdin.read()"
    first = place.user(program=again)
    place.query("CREATE TABLE kept AS SELECT 42 AS answer")
    server = place.postmaster()

    os.kill(place.keepers()[0], signal.SIGKILL)
    place.user()  # at once: the old server may still be shutting down

    assert place.postmaster() != server
    assert place.query("SELECT answer FROM kept") == 42
    assert len(place.keepers()) == 1

    os.kill(place.keepers()[0], signal.SIGKILL)
    wait_until(lambda: not place.servers(), "the server is gone")
    assert first.process.stdin
    first.process.stdin.write("\n")  # one that is in enters again, as a worker does that has lost its connection
    first.process.stdin.flush()
    first.entered()
    assert place.query("SELECT answer FROM kept") == 42


def test_killed_server_is_restarted_by_its_keeper(place: Place) -> None:
    place.user()
    place.query("CREATE TABLE kept AS SELECT 42 AS answer")
    keeper, server = place.keepers()[0], place.postmaster()
    assert server

    os.kill(server, signal.SIGKILL)
    wait_until(lambda: place.postmaster() not in (None, server), "another server runs")

    place.user()
    assert place.query("SELECT answer FROM kept") == 42
    assert place.keepers() == [keeper]

    os.kill(keeper, signal.SIGTERM)  # a keeper that is asked to end stops its server cleanly
    place.wait_stopped()
    assert not (place.home / "data" / "postmaster.pid").exists()


def test_a_program_started_by_a_user_does_not_hold_the_server_up(place: Place) -> None:
    heir = ENTER + "import subprocess; print(subprocess.Popen(['sleep', '60'], close_fds=False, stdout=2, stdin=0).pid)"
    user = place.user(program=heir)
    assert user.process.stdout
    sleeper = int(user.process.stdout.readline())
    try:
        user.process.wait(60)
        place.wait_stopped()
        os.kill(sleeper, 0)  # it lives
    finally:
        os.kill(sleeper, signal.SIGKILL)
