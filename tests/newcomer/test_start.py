"""`manage.py start`: a page and a worker, from one command, and nothing left when it ends, however it ends."""

from __future__ import annotations

import os
import re
import signal
import socket
import subprocess
import sys

import pexpect
import psycopg
import pytest

from synops.database.address import PROJECT
from tests.newcomer.house import House, command_line

pytestmark = pytest.mark.newcomer


def test_a_newcomers_first_day(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = house.open()
    password = house.password()
    assert f"Synops runs at {house.url}" in house.output
    assert "for development and small newsrooms" in house.output
    assert "   web | " in house.output
    assert "/admin/logout/" in house.log_in()
    assert house.mode("login") == 0o600
    assert house.run_checksum_job()["size"] == 12

    terminal.sendintr()
    terminal.expect(pexpect.EOF)
    terminal.close()
    assert terminal.exitstatus == 0
    assert house.is_empty()  # when the prompt is back, not a moment later

    monkeypatch.setitem(house.env, "DRAIN_SECONDS", "300")
    terminal = house.open()
    assert "Creating" not in house.output  # nothing is set up again
    assert house.password() == password
    house.start_nap()

    terminal.sendintr()
    terminal.expect("Ctrl-C again")
    terminal.sendintr()
    terminal.expect("Stopped.", timeout=60)  # without waiting for the drain
    terminal.expect(pexpect.EOF)
    assert house.is_empty()
    assert house.jobs_left() == {"checksum completed", "nap pending"}


def test_killing_it_leaves_nothing_behind(house: House) -> None:
    terminal = house.open()
    house.start_nap()

    terminal.kill(signal.SIGKILL)

    house.assert_nothing_survives(60)
    assert "nap running" not in house.jobs_left()


def test_a_closed_terminal_leaves_nothing_behind(house: House) -> None:
    terminal = house.open()
    house.start_nap()

    terminal.ptyproc.fileobj.close()  # the window is gone: the kernel sends SIGHUP, and writing fails from now on

    house.assert_nothing_survives(60)
    assert "nap running" not in house.jobs_left()


def test_when_one_child_dies_the_other_is_stopped(house: House) -> None:
    terminal = house.open()
    worker = next(pid for pid in house.inhabitants() if "\0runworker\0" in command_line(pid))

    os.kill(worker, signal.SIGKILL)

    terminal.expect("worker process ended by itself .killed by SIGKILL")
    terminal.expect(pexpect.EOF)
    terminal.close()
    assert terminal.exitstatus == 1
    assert house.is_empty()


def test_it_ends_with_the_make_that_called_it(house: House) -> None:
    caller = "import subprocess, sys; subprocess.run([*sys.argv[1:], 'start', '--no-demo', '--die-with-parent'])"
    house.manage(
        "shell", "-c", "from django.contrib.auth.models import User as U; U.objects.filter(username='admin').delete()"
    )
    house.manage("createsuperuser", "--noinput", "--username=other", "--email=o@example.org")
    terminal = house.open([sys.executable, "-c", caller, sys.executable, str(PROJECT / "manage.py")])
    assert "with the password" not in house.output  # theirs is not ours to print
    assert "changepassword" in house.output

    terminal.kill(signal.SIGKILL)

    house.assert_nothing_survives(60)


@pytest.mark.sql
def test_with_a_server_of_ones_own(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    server = os.environ["DATABASE_URL"]
    with psycopg.connect(server, autocommit=True) as connection:
        connection.execute("DROP DATABASE IF EXISTS house WITH (FORCE)")
        connection.execute("CREATE DATABASE house")
    monkeypatch.setitem(house.env, "DATABASE_URL", re.sub(r"/[^/?]+(\?|$)", r"/house\1", server, count=1))

    terminal = house.open()

    assert "embedded" not in house.output
    assert house.run_checksum_job()["size"] == 12
    terminal.kill(signal.SIGTERM)
    house.assert_nothing_survives(60)


@pytest.mark.parametrize("port", ["in use", "eighty"])
def test_a_port_that_cannot_be_used_is_said(house: House, port: str) -> None:
    with socket.create_server(("127.0.0.1", house.port)):
        command = [house.python, str(house.project / "manage.py"), "start"]
        env = {**house.env, "PORT": str(house.port) if port == "in use" else port}
        said = subprocess.run(command, env=env, capture_output=True, text=True, timeout=120)

    assert said.returncode == 1
    assert (f"Port {house.port} on 127.0.0.1 cannot be used" if port == "in use" else "PORT is “eighty”") in said.stderr
    assert "Traceback" not in said.stderr
    house.assert_nothing_survives(20)
