"""What programs write: binary, endless, too much, too late, or not at all."""

from __future__ import annotations

import asyncio
import os
import socket
import sys
from pathlib import Path

import pytest

from jobs.launcher.client import LauncherClient
from jobs.launcher.descendants import read
from jobs.launcher.wire import STDOUT_CAP, Reason
from tests.jobs.launcher.conftest import RunIn

pytestmark = pytest.mark.asyncio


async def test_bytes_that_are_no_text_come_through_unchanged(run: RunIn):
    every_byte = bytes(range(256))
    log = bytearray()
    code = "import sys; data = bytes(range(256)); sys.stdout.buffer.write(data); sys.stderr.buffer.write(data)"
    report = await run(sys.executable, "-c", code, on_output=lambda s, d: log.extend(d) if s == "stderr" else None)
    assert report.stdout == every_byte
    assert bytes(log) == every_byte


async def test_no_output_is_an_empty_result(run: RunIn):
    report = await run("true")
    assert (report.exit_code, report.stdout, report.stdout_bytes, report.stderr_bytes) == (0, b"", 0, 0)


async def test_half_a_document_is_passed_on_as_it_is(run: RunIn):
    report = await run("printf", '{"half": ')
    assert report.stdout == b'{"half": '


async def test_stdout_is_kept_up_to_its_cap_and_counted_beyond(run: RunIn):
    report = await run("sh", "-c", f"head -c {STDOUT_CAP} /dev/zero; echo more")
    assert (report.exit_code, len(report.stdout), report.stdout_bytes) == (0, STDOUT_CAP, STDOUT_CAP + 5)
    assert report.stdout_overflow


async def test_stdout_of_exactly_the_cap_is_no_overflow(run: RunIn):
    report = await run("sh", "-c", f"head -c {STDOUT_CAP} /dev/zero")
    assert (len(report.stdout), report.stdout_overflow) == (STDOUT_CAP, False)


async def test_ten_million_lines_pass_and_nothing_grows(client: LauncherClient, run: RunIn):
    before = await slot_kb(run)
    heard = [0]

    def count(stream: str, data: bytes) -> None:
        heard[0] += len(data)

    report = await run("sh", "-c", "yes 'a line of the log' | head -n 10000000 >&2", on_output=count)
    assert report.exit_code == 0
    assert heard[0] == report.stderr_bytes == 10_000_000 * 18
    assert await slot_kb(run) - before < 4096


async def slot_kb(run: RunIn) -> int:
    """Resident memory of slot 0."""
    report = await run("sh", "-c", "echo $PPID")
    slot = read(int(report.stdout))
    assert slot is not None
    return slot.resident_kb


async def test_a_flood_on_stdout_ends_with_the_timeout(run: RunIn):
    report = await run("yes", timeout_seconds=0.5)
    assert (report.reason, len(report.stdout)) == (Reason.TIMED_OUT, STDOUT_CAP)


async def test_who_listens_slowly_slows_the_program_down(run: RunIn):
    """Back-pressure: while nobody takes the output, the program waits in write(2), and nobody stores it."""
    listening = asyncio.Event()
    heard = [0]

    async def listen(stream: str, data: bytes) -> None:
        heard[0] += len(data)
        await listening.wait()

    running = asyncio.create_task(run("sh", "-c", "echo $$; exec yes >&2", on_output=listen))
    while not heard[0]:
        await asyncio.sleep(0.01)
    progress = await written_until_it_stalls()
    assert progress < 4 * 1024 * 1024
    running.cancel()
    listening.set()
    await asyncio.gather(running, return_exceptions=True)


async def written_until_it_stalls() -> int:
    """Bytes that the only `yes` under this process has written when it no longer gets on."""
    from jobs.launcher.descendants import descendants

    (pid,) = [p.pid for p in descendants(os.getpid()) if Path(f"/proc/{p.pid}/comm").read_text() == "yes\n"]
    seen = -1
    while (now := _written(pid)) != seen:
        seen = now
        await asyncio.sleep(0.3)
    return seen


def _written(pid: int) -> int:
    return int(Path(f"/proc/{pid}/io").read_text().split("wchar: ")[1].split()[0])


async def test_a_timeout_ends_a_program_whose_output_nobody_takes(run: RunIn):
    stuck = asyncio.Event()

    async def listen(stream: str, data: bytes) -> None:
        if not stuck.is_set():
            stuck.set()
            await asyncio.sleep(3)

    report = await run("sh", "-c", "exec yes >&2", timeout_seconds=1, on_output=listen)
    assert report.reason is Reason.TIMED_OUT
    assert report.finished - report.started < 10


async def test_what_was_written_just_before_the_end_arrives(run: RunIn):
    report = await run("sh", "-c", "head -c 60000 /dev/zero; kill -9 $$")
    assert (report.signal, len(report.stdout)) == (9, 60000)


async def test_what_a_child_wrote_after_the_programs_end_arrives_if_it_was_in_time(run: RunIn):
    """The program ends at once; what its child has put into the pipe by the time it is killed is not thrown away."""
    report = await run("sh", "-c", "(echo early; exec sleep 600) & read _ < /proc/self/stat; sleep 0.2")
    assert (report.stdout, report.killed) == (b"early\n", 1)


async def test_a_stranger_who_holds_the_pipe_open_does_not_hold_the_slot(run: RunIn, tmp_path: Path):
    """A descriptor can leave the tree through a socket; whoever got it may write for ever."""
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(str(tmp_path / "socket"))
        server.listen()
        code = (
            "import socket, sys; s = socket.socket(socket.AF_UNIX); s.connect(sys.argv[1]); "
            "socket.send_fds(s, [b'take this'], [1, 2]); print('mine', flush=True)"
        )
        running = asyncio.create_task(run(sys.executable, "-c", code, str(tmp_path / "socket")))
        peer, _ = await asyncio.to_thread(server.accept)
        with peer:
            _, fds, _, _ = await asyncio.to_thread(socket.recv_fds, peer, 100, 2)
            report = await running
        assert (report.exit_code, report.stdout) == (0, b"mine\n")
        for fd in fds:
            os.close(fd)


async def test_stdin_is_closed_unless_something_is_given(run: RunIn):
    report = await run("cat")
    assert (report.exit_code, report.stdout) == (0, b"")
    report = await run("readlink", "/proc/self/fd/0")
    assert report.stdout == b"/dev/null\n"


async def test_stdin_may_be_big_and_need_not_be_read(run: RunIn):
    big = os.urandom(1024) * 5000
    report = await run("sha256sum", stdin=big)
    import hashlib

    assert report.stdout.split()[0].decode() == hashlib.sha256(big).hexdigest()
    assert (await run("true", stdin=big)).exit_code == 0
