"""A program in a slot: what goes in, what comes out, how it ends."""

from __future__ import annotations

import asyncio
import os
import signal

import pytest

from jobs.launcher.client import LauncherClient
from jobs.launcher.wire import Reason
from tests.jobs.launcher.conftest import RunIn

pytestmark = pytest.mark.asyncio


async def test_result_log_and_exit_code_come_back(run: RunIn):
    heard = []
    report = await run(
        "sh", "-c", "echo out; echo err >&2; exit 3", on_output=lambda stream, data: heard.append((stream, data))
    )
    assert (report.reason, report.exit_code, report.signal) == (Reason.EXITED, 3, None)
    assert report.stdout == b"out\n"
    assert sorted(heard) == [("stderr", b"err\n"), ("stdout", b"out\n")]


async def test_a_timeout_is_a_term_first(run: RunIn):
    report = await run("sh", "-c", 'trap "echo bye; exit 0" TERM; sleep 60 & wait', timeout_seconds=0.5)
    assert report.reason is Reason.TIMED_OUT
    assert (report.exit_code, report.stdout) == (0, b"bye\n")


async def test_who_ignores_the_term_is_killed_after_the_grace(run: RunIn):
    report = await run("sh", "-c", 'trap "" TERM; sleep 60', timeout_seconds=0.3, grace_seconds=0.3)
    assert (report.reason, report.signal) == (Reason.TIMED_OUT, signal.SIGKILL)
    assert report.killed >= 1
    assert report.finished - report.started < 10


async def test_a_cancel_ends_a_run(client: LauncherClient, run: RunIn):
    running = asyncio.create_task(run("sleep", "60", slot=1))
    await asyncio.sleep(0)
    await client.cancel(1)
    assert (await running).reason is Reason.CANCELLED


async def test_slots_run_side_by_side(run: RunIn, tmp_path):
    os.mkfifo(tmp_path / "meeting")
    reader = run("cat", str(tmp_path / "meeting"), slot=0)
    writer = run("sh", "-c", f"echo hello > {tmp_path}/meeting", slot=1)
    heard, _ = await asyncio.wait_for(asyncio.gather(reader, writer), 30)
    assert heard.stdout == b"hello\n"
