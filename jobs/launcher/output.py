"""What a program writes: read from its pipes, counted, capped and passed on to the worker."""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Callable

from jobs.launcher.channel import Channel, Lifeline, wait
from jobs.launcher.wire import STDOUT_CAP, Kind

_CHUNK = 65536
_DRAIN_SECONDS = 2.0


class Output:
    """The two pipes of one run. Nothing is read while the worker has not taken the last chunk, so a program that
    floods waits in write(2), and no process grows."""

    def __init__(self, channel: Channel) -> None:
        self._channel = channel
        self._kinds: dict[int, Kind] = {}
        self.counts = {Kind.STDOUT: 0, Kind.STDERR: 0}

    def hand_over(self, start: Callable[[int, int], int]) -> int:
        """Make the pipes, and let `start` give the program its ends of them (stdout, stderr); returns its pid."""
        with contextlib.ExitStack() as theirs:  # our copies of their ends must go, or the pipes never end
            return start(self._pipe(Kind.STDOUT, theirs), self._pipe(Kind.STDERR, theirs))

    def _pipe(self, kind: Kind, stack: contextlib.ExitStack) -> int:
        ours, theirs = os.pipe2(os.O_CLOEXEC)
        stack.callback(os.close, theirs)
        self._kinds[ours] = kind
        os.set_blocking(ours, False)
        return theirs

    def sources(self) -> list[int]:
        """The pipes to be read now."""
        return [] if self._channel.congested else list(self._kinds)

    def read(self, ready: set[int]) -> None:
        """Pass on one chunk from each ready pipe; a pipe at its end is closed."""
        for fd in [fd for fd in self._kinds if fd in ready]:
            if not self._channel.congested:
                self._take(fd)

    def _take(self, fd: int) -> bool:
        """Pass on what the pipe holds, up to one chunk. False when nothing is there."""
        try:
            data = os.read(fd, _CHUNK)
        except BlockingIOError:
            return False
        if not data:
            self._close(fd)
            return False
        self._pass_on(self._kinds[fd], data)
        return True

    def _pass_on(self, kind: Kind, data: bytes) -> None:
        kept = data if kind is Kind.STDERR else data[: max(0, STDOUT_CAP - self.counts[kind])]
        self.counts[kind] += len(data)
        if kept:
            self._channel.send(kind, kept)

    def drain(self, lifeline: Lifeline) -> None:
        """Pass on what the dead left in the pipes, and close them. A writer that is none of ours (a descriptor handed
        to a stranger) may hold a pipe open and write on, so this ends when a pipe is empty, or after two seconds of
        reading; time in which the worker takes nothing does not count."""
        budget = _DRAIN_SECONDS
        while self._kinds and budget > 0 and not (self._channel.gone or lifeline.gone):
            if self._channel.congested:
                wait(self._channel, lifeline, (), None)
                continue
            begun = time.monotonic()
            fd = next(iter(self._kinds))
            if not self._take(fd):
                self._close(fd)
            budget -= time.monotonic() - begun

    def _close(self, fd: int) -> None:
        if self._kinds.pop(fd, None) is not None:
            os.close(fd)

    def close(self) -> None:
        """Give up whatever is left in the pipes."""
        for fd in list(self._kinds):
            self._close(fd)
