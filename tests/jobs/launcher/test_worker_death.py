"""The worker dies, or is told to: nothing survives it, and nothing dies before it."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from jobs.launcher.descendants import descendants
from tests.deadline import wait_until
from tests.jobs.launcher.survivors import Family


@pytest.fixture
def family(tmp_path: Path) -> Family:
    return Family(tmp_path)


@contextmanager
def worker(argv: list[str], *options: str) -> Iterator[subprocess.Popen[bytes]]:
    """A process that plays the worker, leader of a process group like one in a terminal; killed if it is still there."""
    command = [sys.executable, "-m", "tests.jobs.launcher.programs.worker", *options]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, start_new_session=True) as process:
        assert process.stdin is not None
        process.stdin.write(json.dumps(argv).encode() + b"\n")
        process.stdin.close()
        try:
            yield process
        finally:
            process.kill()


def said(process: subprocess.Popen[bytes]) -> Any:
    assert process.stdout is not None
    return json.loads(process.stdout.readline())


def tree(launcher: int) -> list[int]:
    return [launcher, *(process.pid for process in descendants(launcher))]


def gone(pids: list[int]) -> bool:
    return not any(Path(f"/proc/{pid}").exists() for pid in pids)


def test_kill_9_of_the_worker_leaves_nothing(family: Family):
    with worker(family.command("sleep 600")) as process:
        launcher = said(process)["launcher"]
        wait_until(lambda: family.complete, "the processes to be left behind")
        pids = tree(launcher)
        assert len(family.alive()) > 10
        process.send_signal(signal.SIGKILL)
        process.wait()
        wait_until(lambda: not family.alive(), "all processes of the runs dead")
        wait_until(lambda: gone(pids), "launcher and slots gone")


def test_kill_9_of_the_worker_and_a_stopped_launcher_leave_nothing(family: Family):
    with worker(family.command("sleep 600")) as process:
        launcher = said(process)["launcher"]
        wait_until(lambda: family.complete, "the processes to be left behind")
        pids = tree(launcher)
        os.kill(launcher, signal.SIGSTOP)
        process.send_signal(signal.SIGKILL)
        process.wait()
        wait_until(lambda: not family.alive(), "all processes of the runs dead")
        wait_until(lambda: gone(pids), "launcher and slots gone")


def test_kill_9_of_the_worker_leaves_nothing_though_another_process_holds_its_sockets(family: Family):
    """Its sockets don't end then; the launcher sees its death all the same."""
    with worker(family.command("sleep 600"), "leak-sockets") as process:
        launcher, holder = said(process).values()
        try:
            wait_until(lambda: family.complete, "the processes to be left behind")
            pids = tree(launcher)
            process.send_signal(signal.SIGKILL)
            process.wait()
            wait_until(lambda: not family.alive(), "all processes of the runs dead")
            wait_until(lambda: gone(pids), "launcher and slots gone")
        finally:
            os.kill(holder, signal.SIGKILL)


@pytest.mark.parametrize("signum", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_to_the_workers_group_does_not_reach_what_it_runs(family: Family, tmp_path: Path, signum: int):
    """As a Ctrl-C does in a terminal: the worker is to drain, so its programs must live."""
    go = tmp_path / "go"
    ending = f"until [ -e {go} ]; do sleep 0.05; done"
    with worker(family.command(ending), "ignore-signals") as process:
        said(process)
        wait_until(lambda: family.complete, "the processes to be left behind")
        os.killpg(process.pid, signum)
        go.touch()
        assert said(process) == ["exited", "exited"]


def test_launcher_and_slots_ignore_what_is_meant_for_the_worker(family: Family, tmp_path: Path):
    go = tmp_path / "go"
    with worker(family.command(f"until [ -e {go} ]; do sleep 0.05; done")) as process:
        launcher = said(process)["launcher"]
        wait_until(lambda: family.complete, "the processes to be left behind")
        slots = [child.pid for child in descendants(launcher) if child.parent == launcher]
        assert len(slots) == 2
        for signum in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT):
            for pid in (launcher, *slots):
                os.kill(pid, signum)
        go.touch()
        assert said(process) == ["exited", "exited"]


def test_a_worker_that_ends_without_closing_leaves_nothing(family: Family):
    with worker(family.command("sleep 600")) as process:
        launcher = said(process)["launcher"]
        wait_until(lambda: family.complete, "the processes to be left behind")
        pids = tree(launcher)
        process.send_signal(signal.SIGTERM)  # which this worker does not handle
        process.wait()
        wait_until(lambda: not family.alive(), "all processes of the runs dead")
        wait_until(lambda: gone(pids), "launcher and slots gone")
