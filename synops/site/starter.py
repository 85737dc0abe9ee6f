"""Runs the web server and one worker as one thing: they come and go together, and their lines are told apart.

Each child has a session of its own, so that a Ctrl-C or a closed terminal reaches this process alone, which then stops
them in order. The kernel tells them when this process is killed (synops/database/leash.py).
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import socket
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from synops.database.address import PROJECT
from synops.database.leash import leashed

STOP_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
WEB_SECONDS = 10
LONGEST_LINE = 1 << 16


@dataclass(frozen=True)
class Program:
    """A child: what it is called, how it is run, and how long it may take to stop, in seconds."""

    name: str
    command: tuple[str, ...]
    stop_seconds: float


def port_problem(host: str, port: int) -> str | None:
    """Why no server can listen there, as a sentence; None when it can."""
    with socket.socket() as trial:
        trial.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)  # as the server does: a just closed port is free
        try:
            trial.bind((host, port))
        except OSError as error:
            return (
                f"Port {port} on {host} cannot be used: {error.strerror}. Stop what uses it, or choose another with "
                "--port or PORT (`make run PORT=8001`)."
            )
    return None


def programs(host: str, port: int, worker_seconds: float) -> list[Program]:
    """The web server and the worker of this installation."""
    web = ("-m", "daphne", "-b", host, "-p", str(port), "--access-log", os.devnull, "synops.asgi:application")
    return [
        Program("web", (sys.executable, *web), WEB_SECONDS),
        Program("worker", (sys.executable, str(PROJECT / "manage.py"), "runworker"), worker_seconds),
    ]


class Starter:
    """`await run()` returns the exit code: 0 when asked to stop, otherwise that of the child that ended by itself."""

    def __init__(self, programs: Sequence[Program], environ: Mapping[str, str]) -> None:
        self.programs, self.environ = programs, {**environ, "PYTHONUNBUFFERED": "1"}
        self.running: dict[Program, asyncio.subprocess.Process] = {}
        self.stop_asked = asyncio.Event()
        self.hurry_asked = asyncio.Event()

    async def run(self, host: str, port: int, greeting: Sequence[str]) -> int:
        for number in STOP_SIGNALS:
            asyncio.get_running_loop().add_signal_handler(number, self._on_signal)
        try:
            async with asyncio.TaskGroup() as tasks:
                ends = [tasks.create_task(self._keep(program)) for program in self.programs]
                greeter = tasks.create_task(greet(host, port, greeting))
                asked = tasks.create_task(self.stop_asked.wait())
                await asyncio.wait([*ends, asked], return_when=asyncio.FIRST_COMPLETED)
                code = 0 if self.stop_asked.is_set() else self._report_end(ends)
                greeter.cancel()
                await self._stop()
                asked.cancel()
        finally:
            for process in self.running.values():
                process.kill()
        return code

    def _on_signal(self) -> None:
        if self.stop_asked.is_set():
            self.hurry_asked.set()
        self.stop_asked.set()

    async def _keep(self, program: Program) -> int:
        """Runs a child to its end, passing on its lines; returns its exit code."""
        process = await asyncio.create_subprocess_exec(
            *leashed(program.command, signal.SIGTERM),
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.STDOUT,
            start_new_session=True,
            env=self.environ,
        )
        self.running[program] = process
        assert process.stdout  # noqa: S101 - for the type checker
        copier = asyncio.create_task(copy_lines(program.name, process.stdout))
        code = await process.wait()
        del self.running[program]
        with contextlib.suppress(TimeoutError):  # a grandchild may hold the pipe open
            await asyncio.wait_for(copier, 1)
        return code

    def _report_end(self, ends: Sequence[asyncio.Task[int]]) -> int:
        """Tells which child ended by itself; the code for this process is its, and never 0."""
        for program, end in zip(self.programs, ends, strict=True):
            if end.done():
                say(f"The {program.name} process ended by itself ({described(end.result())}); stopping the rest.")
                return end.result() if end.result() > 0 else 1
        raise AssertionError("no child has ended")

    async def _stop(self) -> None:
        """Stops every child, the polite way first. A second signal means: now."""
        if not self.running:
            return
        say("Stopping. Running jobs may finish for a while; Ctrl-C again gives them back to the queue now.")
        hurry = asyncio.create_task(self._hurry())
        await asyncio.gather(*(self._end(program, process) for program, process in list(self.running.items())))
        hurry.cancel()

    async def _hurry(self) -> None:
        await self.hurry_asked.wait()
        say("Stopping now.")
        for process in list(self.running.values()):
            hurry(process)

    async def _end(self, program: Program, process: asyncio.subprocess.Process) -> None:
        terminate(process)
        try:
            await asyncio.wait_for(process.wait(), program.stop_seconds)
        except TimeoutError:
            say(f"The {program.name} process does not stop; it is killed.")
            process.kill()


def hurry(process: asyncio.subprocess.Process) -> None:
    """A second signal of the first one's number could meet it still pending, and the two would be one."""
    with contextlib.suppress(ProcessLookupError):
        process.send_signal(signal.SIGINT)


def terminate(process: asyncio.subprocess.Process) -> None:
    with contextlib.suppress(ProcessLookupError):
        process.terminate()


def described(code: int) -> str:
    return f"killed by {signal.Signals(-code).name}" if code < 0 else f"exit code {code}"


async def greet(host: str, port: int, greeting: Sequence[str]) -> None:
    """Says where the page is once it can be opened."""
    while True:
        try:
            _, writer = await asyncio.open_connection(host, port)
        except OSError:
            await asyncio.sleep(0.1)
            continue
        writer.close()
        for line in greeting:
            say(line)
        return


async def copy_lines(name: str, stream: asyncio.StreamReader) -> None:
    """Passes a child's lines on under its name."""
    rest = b""
    while chunk := await stream.read(LONGEST_LINE):
        *lines, rest = (rest + chunk).split(b"\n")
        if len(rest) > LONGEST_LINE:  # no line any more; shown in pieces rather than collected
            lines, rest = [*lines, rest], b""
        for line in lines:
            say(f"{name:>6} | {line.decode(errors='replace')}")
    if rest:
        say(f"{name:>6} | {rest.decode(errors='replace')}")


def say(line: str) -> None:
    """Prints a line. A closed terminal must not keep anybody from stopping the children."""
    with contextlib.suppress(OSError, ValueError):
        print(line, flush=True)  # noqa: T201
