"""`manage.py start`: a page and a worker, from one command, and nothing left when it ends, however it ends."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time

import pexpect
import pytest

from synops.database.address import PROJECT
from tests.deadline import wait_until
from tests.newcomer.house import House, command_line

pytestmark = pytest.mark.newcomer


def test_a_newcomer_logs_in_and_runs_a_job(house: House) -> None:
    terminal = house.open()

    assert f"Synops runs at {house.url}" in house.output
    assert "for development and small newsrooms" in house.output
    assert "/admin/logout/" in house.log_in()
    assert house.mode("login") == 0o600
    assert house.run_checksum_job()["size"] == 12

    terminal.sendintr()
    terminal.expect(pexpect.EOF)
    terminal.close()
    assert terminal.exitstatus == 0
    assert house.is_empty()  # when the prompt is back, not a moment later


def test_a_second_start_is_quick_and_keeps_data_and_login(house: House) -> None:
    terminal = house.open()
    password = house.password()
    id = house.manage("enqueue", "nap", "--collection=system", "--at=2999-01-01")
    terminal.sendintr()
    terminal.expect(pexpect.EOF)

    began = time.monotonic()
    house.open()

    assert time.monotonic() - began < 60  # seconds on a machine that does nothing else; nothing is set up again:
    assert "Creating" not in house.output
    assert house.password() == password
    assert house.status(id) == "pending"
    house.terminal.sendintr()
    house.assert_nothing_survives(40)
    house.statuses_left()


def test_ctrl_c_twice_gives_running_jobs_back_at_once(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(house.env, "DRAIN_SECONDS", "60")
    terminal = house.open()
    house.start_nap()

    began = time.monotonic()
    terminal.sendintr()
    terminal.expect("Ctrl-C again")
    terminal.sendintr()
    terminal.expect("Stopped.")
    terminal.expect(pexpect.EOF)

    assert time.monotonic() - began < 40  # without waiting for the drain, 60 s
    assert house.is_empty()
    assert "running" not in house.statuses_left()


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP, signal.SIGKILL])
def test_a_signal_leaves_nothing_behind(house: House, number: signal.Signals) -> None:
    terminal = house.open()
    house.start_nap()

    terminal.kill(number)

    house.assert_nothing_survives(40)
    assert "running" not in house.statuses_left()


def test_a_closed_terminal_leaves_nothing_behind(house: House) -> None:
    terminal = house.open()
    house.start_nap()

    os.close(terminal.child_fd)  # the window is gone: the kernel sends SIGHUP, and writing fails from now on

    house.assert_nothing_survives(40)
    assert "running" not in house.statuses_left()


@pytest.mark.parametrize("name", ["runworker", "daphne"])
def test_when_one_child_dies_the_other_is_stopped(house: House, name: str) -> None:
    terminal = house.open()
    child = next(pid for pid in house.inhabitants() if f"\0{name}\0" in command_line(pid))

    os.kill(child, signal.SIGKILL)

    terminal.expect("ended by itself .killed by SIGKILL")
    terminal.expect(pexpect.EOF)
    terminal.close()
    assert terminal.exitstatus == 1
    assert house.is_empty()


def test_it_ends_with_the_make_that_called_it(house: House) -> None:
    caller = "import subprocess, sys; subprocess.run([*sys.argv[1:], 'start', '--die-with-parent'])"
    terminal = house.open([sys.executable, "-c", caller, sys.executable, str(PROJECT / "manage.py")])

    terminal.kill(signal.SIGKILL)

    house.assert_nothing_survives(40)


def started(house: House, *arguments: str, **env: str) -> subprocess.CompletedProcess[str]:
    command = [house.python, str(house.project / "manage.py"), "start", *arguments]
    return subprocess.run(command, env={**house.env, **env}, capture_output=True, text=True, timeout=120)


def test_a_port_in_use_is_said(house: House) -> None:
    with socket.create_server(("127.0.0.1", house.port)):
        said = started(house)

    assert said.returncode == 1
    assert f"Port {house.port} on 127.0.0.1 cannot be used" in said.stderr
    assert "Traceback" not in said.stderr
    house.assert_nothing_survives(10)


@pytest.mark.parametrize("port", ["eighty", "0", "70000"])
def test_a_port_that_is_none_is_said(house: House, port: str) -> None:
    said = started(house, PORT=port)

    assert said.returncode == 1
    assert f"“{port}”" in said.stderr
    assert "Traceback" not in said.stderr


def test_a_changed_password_is_not_printed(house: House) -> None:
    house.open().close(force=True)
    house.assert_nothing_survives(60)
    house.manage(
        "shell",
        "-c",
        "from django.contrib.auth.models import User; u = User.objects.get(username='admin'); u.set_password('other'); u.save()",
    )

    house.open()

    assert "with the password" not in house.output
    assert "changepassword" in house.output


def test_what_a_child_says_stands_under_its_name(house: House) -> None:
    terminal = house.open()
    terminal.sendintr()
    terminal.expect(pexpect.EOF)

    assert "   web | " in house.output
    wait_until(house.is_empty, "all is down")
