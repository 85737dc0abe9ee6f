"""Trying something out in a child process first, and doing it here without leaving traces."""

from __future__ import annotations

import contextlib
import json
import os
import select
import signal
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from types import FrameType
from typing import Any, NoReturn

from jobs.launcher import linux
from jobs.launcher.descendants import children

_PATIENCE_SECONDS = 30.0

Handler = Callable[[int, FrameType | None], Any] | int | None


@dataclass(frozen=True, slots=True)
class Trial:
    """What came of a rehearsal: an answer, or a complaint in words."""

    answer: str = ""
    complaint: str = ""


class Unfit(Exception):
    """What was tried leaves something behind that no fork should inherit; the message says what."""


def rehearse(action: Callable[[], str], interrupts: Sequence[int], seconds: float = _PATIENCE_SECONDS) -> Trial:
    """Run `action` in a fork of this process and return what it returned, or why it is not to be run here. Cut short
    when one of the descriptors `interrupts` becomes readable."""
    ours, theirs = os.pipe2(os.O_CLOEXEC)
    pid = os.fork()
    if pid == 0:
        _perform(action, theirs)
    os.close(theirs)
    with os.fdopen(ours, "rb") as pipe:
        said = _read(pipe.fileno(), interrupts, time.monotonic() + seconds)
    os.kill(pid, signal.SIGKILL)
    _, status = os.waitpid(pid, 0)
    if said is None:
        return Trial(complaint=f"it was not done after {seconds:g} s, or interrupted")
    return Trial(**json.loads(said)) if said else Trial(complaint=f"it ended the interpreter (wait status {status})")


def _perform(action: Callable[[], str], answers: int) -> NoReturn:
    """The child's part. It keeps no copy of a lifeline, or the launcher's death would go unnoticed while it lives."""
    try:
        linux.signal_at_parents_death(signal.SIGKILL)
        linux.close_descriptors(keep={answers})
        os.setsid()
        with undisturbed(), no_trace():
            trial = {"answer": action()}
    except BaseException as error:  # noqa: BLE001 whatever it is, it is the answer
        trial = {"complaint": str(error) if isinstance(error, Unfit) else f"{type(error).__name__}: {error}"}
    os.write(answers, json.dumps(trial).encode())
    os._exit(0)


def _read(fd: int, interrupts: Sequence[int], deadline: float) -> bytes | None:
    """Everything up to the end of the pipe; None when it doesn't come in time, or an interrupt does."""
    said = b""
    while select.select([fd, *interrupts], [], [], max(0.0, deadline - time.monotonic()))[0] == [fd]:
        chunk = os.read(fd, 65536)
        if not chunk:
            return said
        said += chunk
    return None


@contextlib.contextmanager
def no_trace() -> Iterator[None]:
    """Raise Unfit when threads, processes or open descriptors are left that were not there before."""
    before = _descriptors()
    yield
    if more := extra_threads():
        raise Unfit(f"it starts threads ({more})")
    if children():
        raise Unfit("it starts processes")
    if kept := [fd for fd in _descriptors() - before if not _leads_nowhere(fd)]:
        raise Unfit(f"it keeps descriptors open ({len(kept)})")


def extra_threads(seconds: float = 0.5) -> int:
    """How many threads this process has beside its first, those that Python doesn't know of included. One that was
    joined may still be on its way out of the kernel, so they get a moment."""
    deadline = time.monotonic() + seconds
    while (more := len(os.listdir("/proc/self/task")) - 1) and time.monotonic() < deadline:  # noqa: PTH208
        time.sleep(0.01)
    return more


def _leads_nowhere(fd: int) -> bool:
    """A copy of the silenced stdout or stderr: `main` was cut short before it used or closed it, and nobody will."""
    return os.path.sameopenfile(fd, 1) or os.path.sameopenfile(fd, 2)


def _descriptors() -> set[int]:
    names = {int(name) for name in os.listdir("/proc/self/fd")}  # noqa: PTH208
    return {fd for fd in names if os.path.exists(f"/proc/self/fd/{fd}")}  # noqa: PTH110 listing opened one, now closed


@contextlib.contextmanager
def undisturbed() -> Iterator[None]:
    """Restore stdout, stderr, argv, environment, directory, descriptors and signal handlers afterwards; what is printed
    meanwhile goes nowhere. The streams are silenced by descriptor: who keeps a reference to sys.stderr must find the
    real one."""
    argv, environ, handlers = sys.argv, dict(os.environ), _handlers()
    with contextlib.ExitStack() as stack:
        stack.callback(_close_new, _descriptors())
        stack.callback(_restore, argv, environ, handlers)
        directory = os.open(".", os.O_RDONLY | os.O_DIRECTORY)
        stack.callback(os.close, directory)
        stack.callback(os.chdir, directory)
        for number in (1, 2):
            _silence(number, stack)
        yield


def _close_new(old: set[int]) -> None:
    for fd in _descriptors() - old:
        os.close(fd)


def _handlers() -> dict[int, Handler]:
    return {number: signal.getsignal(number) for number in signal.valid_signals()}


def _restore(argv: list[str], environ: dict[str, str], handlers: dict[int, Handler]) -> None:
    sys.argv = argv
    os.environ.clear()
    os.environ.update(environ)
    for number, handler in handlers.items():
        if signal.getsignal(number) != handler:
            signal.signal(number, handler)


def _silence(number: int, stack: contextlib.ExitStack) -> None:
    real = os.dup(number)
    null = os.open(os.devnull, os.O_WRONLY)
    os.dup2(null, number)
    os.close(null)

    def restore() -> None:
        sys.stdout.flush()
        sys.stderr.flush()
        os.dup2(real, number)
        os.close(real)

    stack.callback(restore)
