"""However a run ends, and however its processes tried to get away: when the report is here, all of them are dead."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from pathlib import Path

import pytest

from jobs.launcher.client import LauncherClient
from jobs.launcher.wire import Reason
from tests.deadline import wait_until
from tests.jobs.launcher.conftest import RunIn
from tests.jobs.launcher.survivors import SHAPES, Family

pytestmark = pytest.mark.asyncio


@pytest.fixture
def family(tmp_path: Path) -> Family:
    return Family(tmp_path)


async def completion(family: Family) -> None:
    await asyncio.to_thread(wait_until, lambda: family.complete, "the processes to be left behind")


@pytest.mark.parametrize("shape", SHAPES)
async def test_after_success(run: RunIn, tmp_path: Path, shape: str):
    family = Family(tmp_path, [shape])
    report = await run(*family.command("echo done"))
    assert family.alive() == []
    assert family.complete
    assert (report.reason, report.exit_code, report.stdout) == (Reason.EXITED, 0, b"done\n")
    assert report.killed >= 1
    assert report.survivors == 0


async def test_after_failure(run: RunIn, family: Family):
    report = await run(*family.command("exit 3"))
    assert family.alive() == []
    assert family.complete
    assert (report.reason, report.exit_code) == (Reason.EXITED, 3)
    assert report.killed >= len(SHAPES)


async def test_after_a_timeout(run: RunIn, family: Family):
    report = await run(*family.command("trap '' TERM; while :; do sleep 1; done"), timeout_seconds=4, grace_seconds=0.2)
    assert family.alive() == []
    assert family.complete
    assert (report.reason, report.signal) == (Reason.TIMED_OUT, signal.SIGKILL)


async def test_after_a_cancel(client: LauncherClient, run: RunIn, family: Family):
    running = asyncio.create_task(run(*family.command("sleep 600")))
    await completion(family)
    await client.cancel(0, grace_seconds=1)
    report = await running
    assert family.alive() == []
    assert report.reason is Reason.CANCELLED


async def test_after_the_awaiting_task_was_cancelled(run: RunIn, family: Family):
    running = asyncio.create_task(run(*family.command("sleep 600")))
    await completion(family)
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running
    assert (await run("echo", "next")).stdout == b"next\n"  # the slot takes it when the other run is over
    assert family.alive() == []


async def test_after_the_output_could_not_be_stored(run: RunIn, family: Family):
    def refuse(stream: str, data: bytes) -> None:
        raise ValueError("no room")

    with pytest.raises(ValueError, match="no room"):
        await run(*family.command("echo hello; sleep 600"), on_output=refuse)
    assert family.alive() == []
    assert family.complete


async def test_after_its_slot_was_killed(run: RunIn, family: Family, tmp_path: Path):
    scratch = tmp_path / "scratch"
    report = await run(*family.command("kill -9 $PPID; sleep 600"), scratch=str(scratch))
    assert family.alive() == []
    assert not scratch.exists()
    assert family.complete
    assert report.reason is Reason.LOST
    assert (await run("echo", "next")).stdout == b"next\n"


async def test_after_the_launcher_was_killed(client: LauncherClient, run: RunIn, family: Family):
    running = asyncio.create_task(run(*family.command("sleep 600")))
    await completion(family)
    os.kill(client.pid, signal.SIGKILL)
    report = await running
    assert family.alive() == []
    assert report.reason is Reason.LOST
    client.restart()
    assert (await run("echo", "next")).stdout == b"next\n"


async def test_after_close(client: LauncherClient, run: RunIn, family: Family):
    running = asyncio.create_task(run(*family.command("sleep 600")))
    await completion(family)
    client.close()
    assert family.alive() == []
    assert (await running).reason is Reason.LOST


CHAIN = """
import os, sys, time
open(sys.argv[2], "w").write("born")
end = time.monotonic() + 600
while time.monotonic() < end:
    {new_session}
    if os.fork():
        os._exit(0)
"""


@pytest.mark.parametrize("new_session", ["pass", "os.setsid() if os.getpid() != os.getsid(0) else None"])
async def test_after_a_chain_of_processes_each_gone_before_anyone_can_kill_it(run: RunIn, tmp_path: Path, new_session):
    family = Family(tmp_path, [])
    program = tmp_path / "chain.py"
    program.write_text(CHAIN.format(new_session=new_session))
    born = tmp_path / "born"
    chain = f"{sys.executable} -I -S {program} $0 {born} </dev/null >/dev/null 2>&1 &"
    report = await run(*family.command(f"{chain} until [ -s {born} ]; do sleep 0.01; done"))
    assert family.alive() == []
    assert (report.reason, report.survivors) == (Reason.EXITED, 0)


async def test_a_fork_bomb_is_over_with_its_run(run: RunIn, tmp_path: Path):
    family = Family(tmp_path, [])
    bomb = (
        "trap '' TERM; bomb() { sleep 600 & [ $1 -gt 0 ] && { bomb $(($1 - 1)) & bomb $(($1 - 1)) & }; wait; }; bomb 6"
    )
    report = await run(*family.command(bomb), timeout_seconds=2, grace_seconds=0)
    assert family.alive() == []
    assert report.killed > 50
