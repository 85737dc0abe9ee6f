"""The launcher's slot processes: forked, retired, buried and replaced."""

from __future__ import annotations

import contextlib
import os
import select
import signal
import socket
import time
import traceback
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import NoReturn

from jobs.launcher import linux, slot
from jobs.launcher.channel import Channel, Lifeline
from jobs.launcher.preload import Template
from jobs.launcher.sweep import Reaper

_HASTY_SECONDS = 1.0
_FAREWELL_SECONDS = 15.0

Announce = Callable[[int, int, socket.socket], None]
"""Called with a new slot's index and pid, and the worker's end of its channel."""


@dataclass(slots=True)
class SlotProcess:
    """A slot as the launcher knows it. `current`: forked from the template that is loaded now."""

    index: int
    pid: int
    lifeline: socket.socket
    death: int
    born: float
    current: bool


class Slots:
    """Keeps `count` slots alive."""

    def __init__(self, count: int, recycle_after: int, announce: Announce) -> None:
        self._recycle_after = recycle_after
        self._announce = announce
        self._due = dict.fromkeys(range(count), 0.0)
        self.alive: dict[int, SlotProcess] = {}

    def adopt(self, index: int, pid: int, lifeline: socket.socket) -> None:
        """Take over a slot that this process forked before it was executed anew."""
        del self._due[index]
        self._add(index, pid, lifeline, current=False)

    def fork_due(self, template: Template) -> None:
        """Fork the slots that are missing."""
        for index in [index for index, due in self._due.items() if due <= time.monotonic()]:
            del self._due[index]
            self._fork(index, template)

    def retire(self) -> None:
        """Ask every slot to end when it is idle; its successor is forked from the template of that time."""
        for process in self.alive.values():
            process.current = False
            with contextlib.suppress(OSError):
                process.lifeline.send(b"x")

    def bury(self, process: SlotProcess) -> None:
        """Reap a dead slot, and kill everything it left; only then may its successor be announced."""
        del self.alive[process.index]
        process.lifeline.close()
        os.close(process.death)
        self.kill_strays()
        hasty = time.monotonic() - process.born < _HASTY_SECONDS  # a slot that dies at once must not make us spin
        self._due[process.index] = time.monotonic() + (_HASTY_SECONDS if hasty and process.current else 0.0)

    def kill_strays(self, patience: float = 10.0) -> None:
        """Kill and reap every child that is no slot: what a killed slot had started has become ours."""
        Reaper().sweep(spare={process.pid for process in self.alive.values()}, patience=patience)

    def wake(self) -> None:
        """Continue a slot that somebody, perhaps its own tool, has stopped: it would miss its tool's timeout."""
        with contextlib.suppress(ChildProcessError):
            while stopped := os.waitid(os.P_ALL, 0, os.WSTOPPED | os.WNOHANG):
                os.kill(stopped.si_pid, signal.SIGCONT)

    def end(self) -> None:
        """The worker is gone. The slots see it themselves; a closed lifeline tells those whose socket leaked somewhere.
        Whoever is late is killed, and then whatever is left."""
        for process in self.alive.values():
            process.lifeline.close()
        _wait_for_all((process.death for process in self.alive.values()), _FAREWELL_SECONDS)
        self.alive.clear()
        self.kill_strays()

    def _fork(self, index: int, template: Template) -> None:
        workers_end, channel = socket.socketpair()
        lifeline, slots_end = socket.socketpair()
        pid = os.fork()
        if pid == 0:
            self._become_slot(index, channel, slots_end, template)
        channel.close()
        slots_end.close()
        self._add(index, pid, lifeline, current=True)
        self._announce(index, pid, workers_end)
        workers_end.close()

    def _add(self, index: int, pid: int, lifeline: socket.socket, *, current: bool) -> None:
        self.alive[index] = SlotProcess(index, pid, lifeline, os.pidfd_open(pid), time.monotonic(), current)

    def _become_slot(self, index: int, channel: socket.socket, lifeline: socket.socket, template: Template) -> NoReturn:
        try:
            linux.close_descriptors(keep={channel.fileno(), lifeline.fileno()})
            slot.prepare(index)
            slot.Slot(Channel(channel), Lifeline(lifeline), template, self._recycle_after).serve()
        except BaseException:  # noqa: BLE001 a slot must never go on as a second launcher
            traceback.print_exc()
            os._exit(1)
        os._exit(0)


def _wait_for_all(deaths: Iterable[int], seconds: float) -> None:
    deadline = time.monotonic() + seconds
    for death in deaths:
        select.select([death], [], [], max(0.0, deadline - time.monotonic()))
