"""What a program is started with, and what is said when it can't be."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any

import pytest

from jobs.launcher.client import LauncherClient
from jobs.launcher.wire import Limits, Reason, Report, Request
from tests.jobs.launcher.conftest import RunIn

pytestmark = pytest.mark.asyncio

FORKED = Limits(oom_score_adj=0)  # any limit that must be set in the child


@pytest.fixture(params=[Limits(), FORKED], ids=["spawned", "forked"])
def limits(request) -> Any:
    return request.param


async def bare(client: LauncherClient, *argv: str, **fields) -> Report:
    wanted: dict[str, Any] = {"env": {}, "timeout_seconds": 60} | fields
    return await client.run(0, Request(argv=argv, **wanted))


async def test_no_shell_touches_the_arguments(run: RunIn, limits: Limits):
    words = ["$HOME", "a b", "`id`", "*", "", "--x=1;2", "æøå", "\n", "\udcff"]
    report = await run("printf", "%s\\0", *words, limits=limits)
    assert report.stdout.split(b"\0")[:-1] == [os.fsencode(word) for word in words]


async def test_the_environment_is_exactly_what_was_asked_for(client: LauncherClient, limits: Limits):
    report = await bare(client, "/usr/bin/env", env={"A": "1", "NAME": "blåbær"}, limits=limits)
    assert sorted(report.stdout.splitlines()) == [b"A=1", "NAME=blåbær".encode()]
    assert (await bare(client, "/usr/bin/env", limits=limits)).stdout == b""


async def test_the_program_has_three_descriptors_a_session_and_ordinary_signals(run: RunIn, limits: Limits):
    report = await run("cat", "/proc/self/stat", "/proc/self/status", limits=limits)
    pid, session = int(report.stdout.split()[0]), int(report.stdout.split()[5])
    assert pid == session == report.pid
    for line in ("SigBlk", "SigIgn", "SigCgt"):
        assert standard_signals(report.stdout, line) == 0, line
    report = await run("ls", "/proc/self/fd", limits=limits)
    assert report.stdout.split() == [b"0", b"1", b"2", b"3"]  # 3 is the directory that ls reads


def standard_signals(status: bytes, name: str) -> int:
    """The mask without real-time signals: libc ignores two of its own in everything that it spawns."""
    _, _, rest = status.partition(f"{name}:".encode())
    return int(rest.split(b"\n")[0], 16) & 0x7FFFFFFF


async def test_the_working_directory_is_the_one_asked_for_and_is_let_go(run: RunIn, tmp_path: Path, limits: Limits):
    report = await run("pwd", cwd=str(tmp_path), limits=limits)
    assert report.stdout.decode().strip() == str(tmp_path)
    slot = (await run("sh", "-c", "readlink /proc/$PPID/cwd", limits=limits)).stdout
    assert slot == b"/\n"


async def test_a_bare_name_is_looked_up_in_the_programs_own_path(
    client: LauncherClient, tmp_path: Path, limits: Limits
):
    tool = tmp_path / "synops-here"
    tool.write_text("#!/bin/sh\necho found\n")
    tool.chmod(0o755)
    found = await bare(client, "synops-here", env={"PATH": f"/nowhere:{tmp_path}"}, limits=limits)
    assert found.stdout == b"found\n"
    missing = await bare(client, "synops-here", env={"PATH": "/usr/bin"}, limits=limits)
    assert missing.reason is Reason.START_FAILED
    assert missing.error == "there is no program 'synops-here' in PATH=/usr/bin"


def script(directory: Path, text: str, mode: int = 0o755) -> str:
    path = directory / "script"
    path.write_text(text)
    path.chmod(mode)
    return str(path)


async def test_what_cannot_be_started_is_reported_with_the_way_out(run: RunIn, tmp_path: Path, limits: Limits):
    async def error(*argv: str, **fields) -> str:
        report = await run(*argv, limits=limits, **fields)
        assert (report.reason, report.exit_code, report.signal) == (Reason.START_FAILED, None, None)
        return report.error

    assert "is it installed" in await error("/no/such/program")
    assert "chmod +x" in await error(script(tmp_path, "#!/bin/sh\n", 0o644))
    assert "chmod +x" in await error(str(tmp_path))
    assert "#!/usr/bin/env python3" in await error(script(tmp_path, "no shebang\n"))
    assert "its interpreter does not: #!/no/such/interpreter" in await error(
        script(tmp_path, "#!/no/such/interpreter\n")
    )
    assert "'/no/such/directory' cannot be entered" in await error("true", cwd="/no/such/directory")
    assert "too big" in await error("echo", "x" * 200_000)
    assert "cannot be started: embedded null byte" in await error("echo", "nul\0")
    assert "cannot be started: illegal environment variable name" in await error("echo", env={"A=B": "c"})
    assert "argv is empty" in await error()
    assert "scratch directory '/no/such/place/x' cannot be made" in await error("true", scratch="/no/such/place/x")


async def test_the_slot_works_on_after_a_failed_start(run: RunIn, limits: Limits):
    await run("/no/such/program", limits=limits)
    assert (await run("echo", "fine", limits=limits)).stdout == b"fine\n"


async def test_what_the_launcher_itself_was_started_with_stays_out_of_sight(monkeypatch: pytest.MonkeyPatch):
    """A tool can read the environment of its parents in /proc; secrets of the worker must not be there."""
    monkeypatch.setenv("SECRET_KEY", "hush")
    client = LauncherClient.start(1)
    try:
        script = "cat /proc/$PPID/environ /proc/$(awk '/PPid/{print $2}' /proc/$PPID/status)/environ"
        report = await bare(client, "sh", "-c", script, env={"PATH": os.environ["PATH"]})
        assert b"PATH=" in report.stdout
        assert b"hush" not in report.stdout
    finally:
        client.close()


async def test_a_scratch_directory_is_there_during_the_run_and_gone_after_it(run: RunIn, tmp_path: Path):
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "kept").touch()
    scratch = str(tmp_path / "scratch")
    mess = (
        "mkdir -p a/b/c; touch a/b/f; ln -s ../outside link; ln -s nowhere dangling; mkfifo pipe; chmod 0 a/b; ls -ld ."
    )
    report = await run("sh", "-c", mess, cwd=str(tmp_path), env={"TMPDIR": scratch}, scratch=scratch)
    assert report.exit_code == 0
    report = await run("sh", "-c", f"cd $TMPDIR && {mess}; kill -9 $$", env={"TMPDIR": scratch}, scratch=scratch)
    assert (report.signal, report.stdout[:10]) == (9, b"drwx------")
    assert not Path(scratch).exists()
    assert (outside / "kept").exists()


async def test_nothing_of_django_is_imported_by_launcher_slots_or_client(run: RunIn):
    code = "import jobs.launcher.client, jobs.launcher.launcher, sys; print([m for m in sys.modules if 'django' in m])"
    root = str(Path(__file__).parents[3])
    report = await run(sys.executable, "-c", code, env={"PYTHONPATH": root})
    assert report.stdout == b"[]\n"
