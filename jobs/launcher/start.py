"""Starting a program: spawned when nothing special is wanted, forked when limits or a preloaded module are.

The spawn is vfork inside, and costs the same however big this process is. The fork costs more with every preloaded
module, but can run Python before the exec, or instead of it; that is safe because this process has one thread.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Iterator

from jobs.launcher import child
from jobs.launcher.explain import StartFailed, explain
from jobs.launcher.find import find
from jobs.launcher.wire import Request

Main = Callable[[], object]
Streams = tuple[int, int, int]


def start(request: Request, stdout: int, stderr: int, main: Main | None) -> int:
    """Start the program in a session of its own, with the environment, directory and limits asked for; returns its pid.
    Raises StartFailed with a sentence for a person."""
    with _stdin(request.stdin) as stdin:
        if main is None and not request.limits.need_a_fork():
            return _spawn(request, (stdin, stdout, stderr))
        return _fork(request, (stdin, stdout, stderr), main)


@contextlib.contextmanager
def _stdin(content: bytes | None) -> Iterator[int]:
    """A descriptor to read `content` from: a file in memory, so that nobody has to feed a pipe."""
    fd = os.open(os.devnull, os.O_RDONLY) if content is None else os.memfd_create("stdin")
    try:
        if content is not None:
            with os.fdopen(fd, "wb", closefd=False) as file:
                file.write(content)
            os.lseek(fd, 0, os.SEEK_SET)
        yield fd
    finally:
        os.close(fd)


def _spawn(request: Request, streams: Streams) -> int:
    stage = "directory"
    try:
        os.chdir(request.cwd)  # posix_spawn has no word for it, and a slot needs no directory of its own
        stage = "program"
        return os.posix_spawn(
            find(request.argv, request.env),
            list(request.argv),
            dict(request.env),
            file_actions=[(os.POSIX_SPAWN_DUP2, fd, number) for number, fd in enumerate(streams)],
            setsid=True,
            setsigmask=(),
            setsigdef=child.IGNORED_HERE,
        )
    except (OSError, ValueError) as error:
        raise StartFailed(explain(request, stage, error)) from error
    finally:
        os.chdir("/")


def _fork(request: Request, streams: Streams, main: Main | None) -> int:
    complaints, theirs = os.pipe2(os.O_CLOEXEC)
    slot = os.getpid()
    try:
        pid = os.fork()
        if pid == 0:
            child.become(request, streams, main, slot, theirs)
    except OSError as error:
        os.close(complaints)
        raise StartFailed(explain(request, "fork", error)) from error
    finally:
        os.close(theirs)
    with os.fdopen(complaints, "rb", buffering=0) as pipe:
        complaint = pipe.read()  # ends at once: the other end closes when the program begins
    if complaint:
        os.waitpid(pid, 0)
        raise StartFailed(complaint.decode(errors="replace"))
    return pid
