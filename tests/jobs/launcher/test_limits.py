"""What one run may use, and how it is told from other deaths."""

from __future__ import annotations

import signal
import sys

import pytest

from jobs.launcher.wire import Limits, Reason
from tests.jobs.launcher.conftest import RunIn

pytestmark = pytest.mark.asyncio


async def test_open_files(run: RunIn):
    code = "import os\nwhile True: os.dup(0)"
    report = await run(sys.executable, "-c", code, limits=Limits(max_open_files=40))
    assert report.exit_code == 1
    assert (await run("sh", "-c", "ulimit -Sn; ulimit -Hn", limits=Limits(max_open_files=40))).stdout == b"40\n40\n"


async def test_cpu_seconds(run: RunIn):
    report = await run("sh", "-c", "while :; do :; done", limits=Limits(max_cpu_seconds=1))
    assert (report.reason, report.signal) == (Reason.CPU_EXCEEDED, signal.SIGXCPU)
    assert "the limit is 1" in report.error
    assert 0.5 < report.cpu_seconds < 3


async def test_cpu_seconds_of_a_program_that_ignores_the_warning(run: RunIn):
    """The kernel's KILL at the hard limit is told from any other by the time used."""
    code = "import resource, signal; signal.signal(signal.SIGXCPU, signal.SIG_IGN)\nwhile True: pass"
    report = await run(sys.executable, "-c", code, limits=Limits(max_cpu_seconds=1))
    assert (report.reason, report.signal) == (Reason.CPU_EXCEEDED, signal.SIGKILL)
    assert not report.out_of_memory


EATER = "import time; held = bytearray(%d << 20); held[::4096] = b'x' * len(held[::4096]); %s"


async def test_memory_of_the_program(run: RunIn):
    eater = EATER % (200, "time.sleep(600)")
    report = await run(sys.executable, "-c", eater, limits=Limits(max_rss_mb=100))
    assert (report.reason, report.signal, report.killed) == (Reason.MEMORY_EXCEEDED, signal.SIGKILL, 1)
    assert "the limit is 100" in report.error
    assert report.max_rss_kb > 100 * 1024
    assert not report.out_of_memory


async def test_memory_of_its_children_counts(run: RunIn):
    eater = EATER % (60, "time.sleep(600)")
    script = f'for i in 1 2 3; do {sys.executable} -c "{eater}" & done; wait'
    report = await run("bash", "-c", script, limits=Limits(max_rss_mb=120))
    assert report.reason is Reason.MEMORY_EXCEEDED
    assert report.killed >= 3


async def test_memory_that_processes_share_is_counted_once(run: RunIn):
    """A fork shares its parent's pages: eight that hold the same 80 MiB hold no 640."""
    code = EATER % (80, "import os; [os.fork() for _ in range(3)]; time.sleep(2)")
    report = await run(sys.executable, "-c", code, limits=Limits(max_rss_mb=200))
    assert (report.reason, report.exit_code) == (Reason.EXITED, 0)


async def test_below_the_limits_nothing_happens(run: RunIn):
    limits = Limits(max_open_files=100, max_cpu_seconds=20, max_rss_mb=500, oom_score_adj=300)
    report = await run("sh", "-c", "cat /proc/self/oom_score_adj; sleep 1", limits=limits)
    assert (report.reason, report.exit_code, report.stdout) == (Reason.EXITED, 0, b"300\n")


async def test_a_kill_that_we_did_not_send_is_said_to_be_the_kernels(run: RunIn):
    report = await run("sh", "-c", "kill -9 $$")
    assert (report.reason, report.signal, report.killed) == (Reason.EXITED, signal.SIGKILL, 0)
    assert report.out_of_memory
    assert "out-of-memory" in report.error


async def test_our_own_kill_is_not_taken_for_the_kernels(run: RunIn):
    report = await run("sh", "-c", "trap '' TERM; sleep 600", timeout_seconds=0.3, grace_seconds=0.1)
    assert (report.signal, report.out_of_memory) == (signal.SIGKILL, False)
    assert report.error == "still running after 0.3 s."


async def test_a_crash_is_a_signal_and_leaves_no_core(run: RunIn, tmp_path):
    report = await run("sh", "-c", "ulimit -c; kill -SEGV $$", cwd=str(tmp_path))
    assert (report.signal, report.stdout, list(tmp_path.iterdir())) == (signal.SIGSEGV, b"0\n", [])
    assert not report.out_of_memory


async def test_what_the_tree_used_is_added_up(run: RunIn):
    burn = "import time; end = time.process_time() + 0.3\nwhile time.process_time() < end: pass"
    script = f'{sys.executable} -c "{burn}"; setsid --wait {sys.executable} -c "{burn}"'
    report = await run("bash", "-c", script)
    assert report.cpu_seconds > 0.6
