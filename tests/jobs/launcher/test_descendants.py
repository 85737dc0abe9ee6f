"""The process tree, and signals that can't hit a stranger."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace

import pytest

from jobs.launcher import descendants
from tests.deadline import wait_until


@pytest.fixture
def sleeper() -> Iterator[subprocess.Popen[bytes]]:
    with subprocess.Popen(["sleep", "600"]) as process:
        yield process
        process.kill()


def test_a_name_with_spaces_and_brackets_does_not_confuse(tmp_path):
    program = tmp_path / "a) R 1 (b"
    program.symlink_to("/bin/sleep")
    with subprocess.Popen([str(program), "600"]) as process:
        found = wait_until(lambda: descendants.read(process.pid), "the process")
        assert found is not None
        assert (found.pid, found.parent) == (process.pid, os.getpid())
        process.kill()


def test_nobody_is_none():
    with subprocess.Popen(["true"]) as process:
        process.wait()
    assert descendants.read(process.pid) is None


def test_the_tree_holds_grandchildren_and_no_strangers(sleeper):
    script = "sleep 600 & echo ready; wait"
    with subprocess.Popen(["sh", "-c", script], stdout=subprocess.PIPE, start_new_session=True) as shell:
        assert shell.stdout is not None
        shell.stdout.readline()
        tree = descendants.descendants(shell.pid)
        assert [process.parent for process in tree] == [shell.pid]
        os.killpg(shell.pid, signal.SIGKILL)
    assert sleeper.poll() is None


def test_a_signal_reaches_the_process_that_was_meant(sleeper):
    process = descendants.read(sleeper.pid)
    assert process is not None
    assert descendants.send(process, signal.SIGTERM)
    assert sleeper.wait(60) == -signal.SIGTERM


def test_a_later_process_with_the_same_pid_is_never_hit(sleeper):
    """A pid given away again differs in its start time; the sleeper plays the one that got it."""
    process = descendants.read(sleeper.pid)
    assert process is not None
    former = replace(process, started=process.started - 1)
    assert not descendants.send(former, signal.SIGKILL)
    assert sleeper.poll() is None


def test_a_signal_to_the_dead_is_no_error():
    with subprocess.Popen(["true"]) as process:
        found = descendants.read(process.pid)
    assert found is not None
    assert not descendants.send(found, signal.SIGKILL)


def test_memory_shared_by_a_fork_is_counted_once_when_looked_at_closely():
    code = (
        "import os, time; held = b'x' * (64 << 20); os.fork(); os.fork(); print('ready', flush=True); time.sleep(600)"
    )
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, start_new_session=True) as process:
        assert process.stdout is not None
        for _ in range(4):
            process.stdout.readline()
        first = descendants.read(process.pid)
        assert first is not None
        tree = [first, *descendants.descendants(process.pid)]
        assert len(tree) == 4
        assert descendants.resident_kb(tree) > 4 * 64 * 1024
        assert 64 * 1024 < descendants.proportional_kb(tree) < 2 * 64 * 1024
        os.killpg(process.pid, signal.SIGKILL)


def test_marked_processes_are_found_by_their_environment_and_killed():
    marker = f"SYNOPS_TEST={os.getpid()}"
    with subprocess.Popen(["sleep", "600"], env={"SYNOPS_TEST": str(os.getpid())}) as process:
        wait_until(lambda: [found.pid for found in descendants.marked(marker)] == [process.pid], "the marked process")
        assert descendants.marked(marker[:-1]) == []
        descendants.kill_marked(marker)
        assert process.wait(60) == -signal.SIGKILL
