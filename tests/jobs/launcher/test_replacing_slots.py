"""Slots are replaced under way, and no run is lost or started twice by it."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import time
from pathlib import Path

import pytest

from jobs.launcher.client import LauncherClient, LauncherGone
from jobs.launcher.descendants import descendants, read
from jobs.launcher.wire import Reason, Request
from tests.deadline import wait_until
from tests.jobs.launcher.conftest import RunIn

pytestmark = pytest.mark.asyncio

ENV = {"PATH": os.environ["PATH"]}


async def test_recycled_slots_lose_no_run_and_start_none_twice(tmp_path: Path):
    client = LauncherClient.start(2, recycle_after=7)
    log = tmp_path / "log"
    asked: list[str] = []
    slots: set[bytes] = set()

    async def many(slot: int) -> None:
        while len(slots) < 7:
            asked.append(f"{slot}.{len(asked)}")
            argv = ["sh", "-c", f"echo {asked[-1]} >> {log}; echo $PPID"]
            report = await client.run(slot, Request(argv=argv, env=ENV))
            assert (report.reason, report.exit_code) == (Reason.EXITED, 0), report
            slots.add(report.stdout)

    try:
        await asyncio.wait_for(asyncio.gather(many(0), many(1)), 120)
        assert sorted(log.read_text().split()) == sorted(asked)
        assert len(list(Path(f"/proc/{client.pid}/fd").iterdir())) < 16
    finally:
        client.close()


async def test_a_slot_killed_while_idle_is_replaced_unnoticed(client: LauncherClient, run: RunIn):
    for _ in range(2):
        slot = int((await run("sh", "-c", "echo $PPID")).stdout)
        os.kill(slot, signal.SIGKILL)
        report = await run("sh", "-c", "echo $PPID")
        assert (report.reason, report.exit_code) == (Reason.EXITED, 0)
        assert int(report.stdout) != slot


async def test_a_run_lost_with_its_slot_is_not_started_again(run: RunIn, tmp_path: Path):
    report = await run("sh", "-c", f"echo started >> {tmp_path}/log; kill -9 $PPID; sleep 600")
    assert report.reason is Reason.LOST
    assert (tmp_path / "log").read_text() == "started\n"


async def test_a_slot_that_was_stopped_is_continued(run: RunIn):
    """A tool may stop its slot; its timeout must come all the same."""
    report = await run("sh", "-c", "kill -STOP $PPID; sleep 600", timeout_seconds=1)
    assert report.reason is Reason.TIMED_OUT


async def test_slots_that_die_again_and_again_do_not_make_the_launcher_spin(client: LauncherClient, run: RunIn):
    begun = time.monotonic()
    for _ in range(3):
        assert (await run("sh", "-c", "kill -9 $PPID; sleep 600")).reason is Reason.LOST
    assert time.monotonic() - begun > 1.5


async def test_without_a_launcher_nothing_starts_until_it_is_restarted(client: LauncherClient, run: RunIn):
    os.kill(client.pid, signal.SIGKILL)
    os.waitid(os.P_PID, client.pid, os.WEXITED | os.WNOWAIT)
    with contextlib.suppress(LauncherGone):
        await run("true")  # the news may come while a slot can still take a run
    with pytest.raises(LauncherGone):
        await run("true")
    client.restart()
    assert (await run("echo", "again")).stdout == b"again\n"


async def test_launcher_and_slot_killed_at_once_leave_what_the_marker_finds(tmp_path: Path):
    """Nobody is left to sweep then; what still carries the worker's marker is killed by the worker."""
    marker = f"SYNOPS_WORKER_ID=test-{os.getpid()}-{time.monotonic_ns()}"
    name, _, value = marker.partition("=")
    client = LauncherClient.start(1, marker=marker)
    try:
        born = tmp_path / "born"
        argv = ["sh", "-c", f"setsid sh -c 'echo $$ > {born}; exec sleep 600' & sleep 600"]
        running = asyncio.create_task(client.run(0, Request(argv=argv, env=ENV | {name: value})))
        await asyncio.to_thread(wait_until, lambda: born.exists() and born.read_text(), "the daemon")
        daemon = int(born.read_text())
        (slot,) = [process.pid for process in descendants(client.pid) if process.parent == client.pid]
        os.kill(client.pid, signal.SIGSTOP)  # so that it can't see the slot's death before its own
        os.kill(slot, signal.SIGKILL)
        os.kill(client.pid, signal.SIGKILL)
        assert (await running).reason is Reason.LOST
        await asyncio.to_thread(wait_until, lambda: dead(daemon), "the daemon's end")
    finally:
        client.close()


def dead(pid: int) -> bool:
    process = read(pid)
    return process is None or process.state == "Z"


async def test_a_forked_program_dies_with_its_slot_though_nobody_sweeps(tmp_path: Path):
    """The belt (PDEATHSIG) under the braces."""
    from jobs.launcher.wire import Limits

    client = LauncherClient.start(1)
    try:
        born = tmp_path / "born"
        argv = ["sh", "-c", f"echo $$ > {born}; exec sleep 600"]
        limited = Request(argv=argv, env=ENV, limits=Limits(max_open_files=100))
        running = asyncio.create_task(client.run(0, limited))
        await asyncio.to_thread(wait_until, lambda: born.exists() and born.read_text(), "the program")
        program = int(born.read_text())
        (slot,) = [process.pid for process in descendants(client.pid) if process.parent == client.pid]
        os.kill(client.pid, signal.SIGSTOP)
        os.kill(slot, signal.SIGKILL)
        await asyncio.to_thread(wait_until, lambda: dead(program), "the program's end")
        os.kill(client.pid, signal.SIGCONT)
        assert (await running).reason is Reason.LOST
    finally:
        client.close()
