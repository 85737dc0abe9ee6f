"""Preloaded programs: the same contract seen from outside, without an interpreter's start."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from jobs.launcher.client import LauncherClient
from jobs.launcher.environment import basics
from jobs.launcher.wire import Report, Request

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
