"""The embedded server's life: who starts it, who holds it up, and when it ends."""

from __future__ import annotations

import os
import signal

from tests.database.users import ENTER, Place
from tests.deadline import wait_until


def test_first_user_starts_a_server_with_a_database_of_its_own(place: Place) -> None:
    place.user()

    assert place.query("SELECT current_database() || ' ' || current_user") == "synops synops"
    assert place.query("SHOW listen_addresses") == ""
    assert place.query("SHOW server_encoding") == "UTF8"
    assert place.home.stat().st_mode & 0o777 == 0o700


def test_second_user_shares_the_server(place: Place) -> None:
    place.user()
    first = place.postmaster()

    place.user()

    assert place.postmaster() == first
    assert len(place.keepers()) == 1


def test_users_who_come_at_once_share_one_server(place: Place) -> None:
    users = [place.newcomer() for _ in range(4)]

    for user in users:
        user.entered()

    assert len(place.keepers()) == 1
    assert place.query("SELECT 1") == 1


def test_last_one_out_stops_it(place: Place) -> None:
    starter, other = place.user(), place.user()

    starter.go()
    assert place.query("SELECT 1") == 1
    other.go()

    place.wait_stopped()
    assert not (place.home / "data" / "postmaster.pid").exists()


def test_killing_the_starter_leaves_the_server_up_for_the_others(place: Place) -> None:
    starter, other = place.user(), place.user()
    server = place.postmaster()

    starter.kill()

    assert place.user() is not None
    assert place.postmaster() == server
    other.kill()
    place.users[-1].kill()
    place.wait_stopped()


def test_a_starter_killed_half_way_leaves_nothing_that_stops_the_next(place: Place) -> None:
    place.user().go()
    place.wait_stopped()
    half_way = place.newcomer()
    wait_until(place.keepers, "a keeper is being started")

    half_way.kill()

    place.user()
    assert place.query("SELECT 1") == 1


def test_coming_while_it_stops_gets_a_new_one(place: Place) -> None:
    for _ in range(5):
        place.user().go()  # its keeper begins to end now

    place.user()

    assert place.query("SELECT 1") == 1


def test_data_survive_all_of_it(place: Place) -> None:
    user = place.user()
    place.query("CREATE TABLE kept AS SELECT 42 AS answer")
    user.kill()
    place.wait_stopped()

    place.user()

    assert place.query("SELECT answer FROM kept") == 42


def test_killed_keeper_takes_its_server_along_and_the_next_user_recovers(place: Place) -> None:
    place.user()
    place.query("CREATE TABLE kept AS SELECT 42 AS answer")
    keeper, server = place.keepers()[0], place.postmaster()

    os.kill(keeper, signal.SIGKILL)
    place.user()  # at once: the old server may still be shutting down

    assert place.postmaster() != server
    assert place.query("SELECT answer FROM kept") == 42
    assert len(place.keepers()) == 1


def test_entering_again_revives_a_lost_server(place: Place) -> None:
    again = ENTER + "sys.stdin.readline()\nenter(furnished=False)\nprint('in', flush=True)\nsys.stdin.read()"
    user = place.user(program=again)
    os.kill(place.keepers()[0], signal.SIGKILL)
    wait_until(lambda: not place.servers(), "the server is gone")

    assert user.process.stdin
    user.process.stdin.write("\n")
    user.process.stdin.flush()
    user.entered()

    assert place.query("SELECT 1") == 1


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


def test_terminated_keeper_stops_the_server_cleanly(place: Place) -> None:
    place.user()

    os.kill(place.keepers()[0], signal.SIGTERM)

    place.wait_stopped()
    assert not (place.home / "data" / "postmaster.pid").exists()


def test_a_program_started_by_a_user_does_not_hold_the_server_up(place: Place) -> None:
    heir = ENTER + "import subprocess; print(subprocess.Popen(['sleep', '60'], close_fds=False, stdout=2, stdin=0).pid)"
    user = place.user(program=heir)
    assert user.process.stdout
    sleeper = int(user.process.stdout.readline())
    try:
        user.process.wait(10)
        place.wait_stopped()
        os.kill(sleeper, 0)  # it lives
    finally:
        os.kill(sleeper, signal.SIGKILL)
