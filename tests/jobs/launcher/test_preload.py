"""Preloaded programs: the same contract seen from outside, without an interpreter's start."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from jobs.launcher.client import LauncherClient
from jobs.launcher.environment import basics
from jobs.launcher.wire import Limits, Reason, Report, Request
from tests.jobs.launcher.survivors import SHAPES, Family

pytestmark = pytest.mark.asyncio

PROGRAM = """
import json, os, signal, sys, threading, time

def report():
    descriptors = [int(name) for name in os.listdir("/proc/self/fd") if os.path.exists("/proc/self/fd/" + name)]
    ordinary = [signal.Signals(number) for number in range(1, 32)]
    return {
        "argv": sys.argv,
        "env": dict(os.environ),
        "cwd": os.getcwd(),
        "stdin": sys.stdin.read(),
        "session": os.getsid(0) == os.getpid(),
        "descriptors": descriptors,
        "blocked": list(signal.pthread_sigmask(signal.SIG_BLOCK, ())),
        "signals": {number.name: str(signal.getsignal(number)) for number in ordinary},
        "encoding": [sys.stdout.encoding, sys.stdout.errors, sys.stderr.errors],
        "clock": time.strftime("%Z"),
    }

def main():
    word = sys.argv[1] if len(sys.argv) > 1 else "--no"
    if word.startswith("--"):
        return 64
    return WORDS[word]()

def fail_late():
    threading.Thread(target=lambda: (threading.Event().wait(0.2), print("late"))).start()

def interrupt():
    os.kill(os.getpid(), signal.SIGINT)
    threading.Event().wait(60)

def full():
    sys.stdout = open("/dev/full", "w")
    print("lost")

WORDS = {
    "report": lambda: print(json.dumps(report())),
    "code": lambda: 300,
    "none": lambda: None,
    "text": lambda: "a sentence",
    "exit": lambda: sys.exit(7),
    "raise": lambda: {}["missing"],
    "abort": os.abort,
    "thread": fail_late,
    "interrupt": interrupt,
    "full": full,
    "unflushed": lambda: sys.stdout.write("no newline"),
    "sleep": lambda: threading.Event().wait(600),
}

if __name__ == "__main__":
    sys.exit(main())
"""


@pytest.fixture
def modules(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A directory of modules that the launcher can import."""
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    return tmp_path


def program(modules: Path, name: str, text: str) -> Path:
    path = modules / f"{name}.py"
    path.write_text(f"#!{sys.executable}\n{text}")
    path.chmod(0o755)
    return path


@pytest.fixture
def start() -> Iterator[Callable[..., LauncherClient]]:
    started: list[LauncherClient] = []

    def start(*preload: str, **options) -> LauncherClient:
        started.append(LauncherClient.start(1, preload=preload, **options))
        return started[-1]

    yield start
    for client in started:
        client.close()


async def until_preloaded(client: LauncherClient, request: Request) -> Report:
    """Run the request until a preloaded run has taken it."""
    deadline = time.monotonic() + 30
    while not (report := await client.run(0, request)).preloaded:
        assert time.monotonic() < deadline, f"not preloaded: {client.refused}"
    return report


def request(path: Path, *words: str, **fields) -> Request:
    fields = {"env": basics(os.environ), "preload": path.stem} | fields
    return Request(argv=[str(path), *words], **fields)


async def heard(client: LauncherClient, request: Request) -> tuple[Report, bytes]:
    """The report, and all that the program wrote to stderr."""
    log = bytearray()
    report = await client.run(0, request, lambda stream, data: log.extend(data) if stream == "stderr" else None)
    return report, bytes(log)


WORDS = [
    "report",
    "code",
    "none",
    "text",
    "exit",
    "raise",
    "abort",
    "thread",
    "interrupt",
    "full",
    "unflushed",
    "--flag",
]


@pytest.mark.parametrize("word", WORDS)
async def test_nobody_can_tell_it_from_an_executed_program(modules: Path, start, word: str):
    path = program(modules, "twofaced", PROGRAM)
    env = basics(os.environ) | {"NAME": "blåbær", "TZ": "America/New_York"}
    wanted = request(path, word, "--flag=a b", env=env, cwd=str(modules), stdin="kjære\n".encode())
    client = start("twofaced")
    await until_preloaded(client, request(path, "none", env=env))
    executed, log = await heard(client, replace(wanted, preload=None))
    preloaded, log_preloaded = await heard(client, wanted)
    assert (executed.preloaded, preloaded.preloaded) == (False, True)
    assert preloaded.stdout == executed.stdout
    assert (preloaded.exit_code, preloaded.signal) == (executed.exit_code, executed.signal)
    assert (preloaded.reason, preloaded.killed) == (executed.reason, executed.killed)
    assert log_preloaded.splitlines()[-1:] == log.splitlines()[-1:]
    assert b"/jobs/launcher/" not in log_preloaded  # no frame of ours in a traceback


async def test_limits_hold_for_it_too(modules: Path, start):
    path = program(modules, "limited", "import resource\ndef main(): print(resource.getrlimit(resource.RLIMIT_NOFILE))")
    client = start("limited")
    await until_preloaded(client, request(path))
    report = await client.run(0, request(path, limits=Limits(max_open_files=77)))
    assert (report.preloaded, report.stdout) == (True, b"(77, 77)\n")


async def test_its_whole_tree_is_dead_afterwards_too(modules: Path, start, tmp_path: Path):
    family = Family(tmp_path)
    command = family.command("true")
    text = f"import subprocess, sys\ndef main():\n    if sys.argv[-1] == 'go': subprocess.run({command!r})"
    path = program(modules, "parent", text)
    client = start("parent")
    await until_preloaded(client, request(path))
    report = await client.run(0, request(path, "go"))
    assert (report.preloaded, report.exit_code, family.alive()) == (True, 0, [])
    assert family.complete
    assert report.killed >= len(SHAPES)


async def test_it_is_stopped_by_timeout_and_cancel(modules: Path, start):
    path = program(modules, "twofaced", PROGRAM)
    client = start("twofaced")
    await until_preloaded(client, request(path, "none"))
    report = await client.run(0, request(path, "sleep", timeout_seconds=0.2))
    assert (report.preloaded, report.reason, report.signal) == (True, Reason.TIMED_OUT, signal.SIGTERM)


async def test_what_changes_an_interpreter_is_executed(modules: Path, start, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("LANG", "C.UTF-8")
    path = program(modules, "plain", "import sys\ndef main(): print(sys.flags.utf8_mode, sys.stdout.encoding)")
    path.write_text(path.read_text() + "\nif __name__ == '__main__': main()\n")
    client = start("plain")
    await until_preloaded(client, request(path))
    report = await client.run(0, request(path, env=basics(os.environ) | {"PYTHONIOENCODING": "latin-1"}))
    assert (report.preloaded, report.stdout) == (False, b"0 iso8859-1\n")
    assert not (await client.run(0, request(path, env=basics(os.environ) | {"LC_ALL": "nb_NO.ISO8859-1"}))).preloaded
    assert (await client.run(0, request(path, env={"PATH": "/bin"}))).preloaded
    assert (await client.run(0, request(path))).preloaded


REFUSED = {
    "threads": ("import threading; threading.Timer(600, print).start()", "threads (1)"),
    "threads_later": ("import threading\ndef main(): threading.Timer(600, print).start()", "threads"),
    "descriptors": ("file = open('/etc/passwd')", "descriptors open (1)"),
    "processes": ("import subprocess; p = subprocess.Popen(['sleep', '600'])", "processes"),
    "exits": ("import sys; sys.exit(3)", "SystemExit: 3"),
    "crashes": ("import os; os.abort()", "ended the interpreter"),
    "raises": ("1 / 0", "ZeroDivisionError: division by zero"),
    "mainless": ("main = None\ndel main", "has no attribute 'main'"),
    "broken": ("def main(:", "SyntaxError"),
}  # fmt: skip


async def test_what_is_unfit_is_refused_with_the_reason_and_executed(modules: Path, start):
    for name, (text, _) in REFUSED.items():
        program(modules, name, f"def main(): pass\n{text}")
    path = program(modules, "fine", "def main(): print('fine')\nif __name__ == '__main__': main()")
    client = start(*REFUSED, "no_such_module", "fine")
    await until_preloaded(client, request(path))
    for name, (_, reason) in REFUSED.items():
        assert reason in client.refused[name], (name, client.refused[name])
    assert "No module named 'no_such_module'" in client.refused["no_such_module"]
    assert client.preloaded == {"fine"}
    report = await client.run(0, request(path, preload="threads"))
    assert (report.preloaded, report.stdout) == (False, b"fine\n")


async def test_a_changed_file_is_never_run_in_its_old_form_and_soon_preloaded_again(modules: Path, start):
    text = "import sys\ndef main(): print({word!r})\nif __name__ == '__main__': sys.exit(main())"
    path = program(modules, "changing", text.format(word="old"))
    client = start("changing")
    assert (await until_preloaded(client, request(path))).stdout == b"old\n"
    launcher = client.pid
    program(modules, "changing", text.format(word="newer"))
    report = await client.run(0, request(path))
    assert (report.preloaded, report.stdout) == (False, b"newer\n")
    assert (await until_preloaded(client, request(path))).stdout == b"newer\n"
    assert client.pid == launcher  # executed anew, not replaced


async def test_what_is_preloaded_can_be_changed_under_way(modules: Path, start):
    first = program(modules, "first", "def main(): print(1)\nif __name__ == '__main__': main()")
    second = program(modules, "second", "def main(): print(2)")
    client = start("first")
    await until_preloaded(client, request(first))
    await client.preload(["second"])
    assert (await until_preloaded(client, request(second))).stdout == b"2\n"
    report = await client.run(0, request(first))
    assert (report.preloaded, report.stdout) == (False, b"1\n")


async def test_after_so_many_runs_everything_is_imported_anew(modules: Path, start):
    path = program(modules, "aging", "import uuid\nborn = uuid.uuid4()\ndef main(): print(born)")
    client = start("aging", recycle_after=5)
    births: set[bytes] = set()
    deadline = time.monotonic() + 30
    while len(births) < 3:
        births.add((await until_preloaded(client, request(path))).stdout)
        assert time.monotonic() < deadline


async def test_warming_up_does_no_harm_to_the_launcher(modules: Path, start):
    """`main` was called there: what it did to signals, directory, environment and streams must be undone."""
    text = """
import os, signal, sys
def main():
    print(signal.getsignal(signal.SIGTERM), os.getcwd(), os.environ.get("LEFT"), sys.stdout is sys.__stdout__)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    os.chdir("/usr")
    os.environ["LEFT"] = "behind"
"""
    path = program(modules, "messy", text)
    client = start("messy")
    report = await until_preloaded(client, request(path))
    assert report.stdout == b"0 / None True\n"
    os.kill(client.pid, signal.SIGTERM)
    assert (await client.run(0, request(path))).preloaded


async def test_a_rehearsal_that_hangs_is_given_up():
    code = """
import time
from jobs.launcher.rehearsal import rehearse
print(rehearse(lambda: time.sleep(600), (), seconds=0.3).complaint)
"""
    said = await asyncio.to_thread(
        subprocess.run, [sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60
    )
    assert said.stdout == "it was not done after 0.3 s, or interrupted\n"
