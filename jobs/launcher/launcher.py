"""The launcher: forks the slots, replaces those that die, and kills what a dead slot left behind.

One thread, no database, no Django. It gives the worker a socket to each slot through the control socket and then keeps
out of the way; it reads the worker's death from a pidfd and from the end of the control socket.
"""

from __future__ import annotations

import json
import os
import resource
import select
import signal
import socket
import time
import traceback
from dataclasses import dataclass
from typing import NoReturn

from jobs.launcher import linux, slot
from jobs.launcher.channel import Channel, Lifeline
from jobs.launcher.child import STOP_SIGNALS
from jobs.launcher.preload import Template
from jobs.launcher.sweep import Reaper

_TICK_SECONDS = 1.0
_FAREWELL_SECONDS = 15.0


@dataclass(slots=True)
class SlotProcess:
    """A slot as the launcher knows it: its process, and the launcher's end of its lifeline."""

    index: int
    pid: int
    lifeline: socket.socket
    death: int
    born: float


def prepare() -> None:
    """Make this process fit to be the launcher, whatever it inherited."""
    linux.become_subreaper()
    linux.signal_at_parents_death(signal.SIGCONT)  # should somebody have stopped us; the pidfd tells the rest
    linux.name_process("synops-launcher")
    for number in STOP_SIGNALS:
        signal.signal(number, signal.SIG_IGN)
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)  # were it ignored, children would vanish before they are counted
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGCHLD})  # for sigtimedwait
    _, hard = resource.getrlimit(resource.RLIMIT_CORE)
    resource.setrlimit(resource.RLIMIT_CORE, (0, hard))  # a crashed tool leaves no core file
    os.chdir("/")


class Launcher:
    """The loop of the launcher process."""

    def __init__(self, control: socket.socket, worker: int, recycle_after: int) -> None:
        self._control = control
        self._worker_death = os.pidfd_open(worker)
        # The worker may have died, and its pid been given away, before we asked; then we are somebody else's child.
        self._worker_gone = os.getppid() != worker
        self._recycle_after = recycle_after
        self._template = Template()
        self._slots: dict[int, SlotProcess] = {}
        self._due: dict[int, float] = {}

    def serve(self, count: int) -> None:
        """Keep `count` slots alive until the worker is gone; then see them, and everything under them, dead."""
        self._due = dict.fromkeys(range(count), 0.0)
        while not self._worker_gone:
            self._fork_due()
            self._turn()
        self._farewell()

    def _turn(self) -> None:
        ready = self._wait()
        if self._worker_death in ready:
            self._worker_gone = True
        if self._control.fileno() in ready:
            self._obey()
        for process in [process for process in self._slots.values() if process.death in ready]:
            self._bury(process)
        Reaper().sweep(spare=self._pids(), patience=0.0)

    def _wait(self) -> set[int]:
        poller = select.poll()
        poller.register(self._control, select.POLLIN)
        poller.register(self._worker_death, select.POLLIN)
        for process in self._slots.values():
            poller.register(process.death, select.POLLIN)
        return {fd for fd, _ in poller.poll(_TICK_SECONDS * 1000)}

    def _pids(self) -> set[int]:
        return {process.pid for process in self._slots.values()}

    def _obey(self) -> None:
        try:
            said = self._control.recv(65536)
        except OSError:
            said = b""
        if not said:
            self._worker_gone = True

    def _bury(self, process: SlotProcess) -> None:
        """Reap a dead slot and everything it left; only then is its successor announced to the worker."""
        del self._slots[process.index]
        process.lifeline.close()
        os.close(process.death)
        Reaper().sweep(spare=self._pids())
        hasty = time.monotonic() - process.born < _TICK_SECONDS  # a slot that dies at once must not make us spin
        self._due[process.index] = time.monotonic() + (_TICK_SECONDS if hasty else 0.0)

    def _fork_due(self) -> None:
        now = time.monotonic()
        for index in [index for index, due in self._due.items() if due <= now]:
            del self._due[index]
            self._fork(index)

    def _fork(self, index: int) -> None:
        workers_end, channel = socket.socketpair()
        lifeline, slots_end = socket.socketpair()
        pid = os.fork()
        if pid == 0:
            self._become_slot(index, channel, slots_end)
        channel.close()
        slots_end.close()
        self._slots[index] = SlotProcess(index, pid, lifeline, os.pidfd_open(pid), time.monotonic())
        self._announce({"slot": index, "pid": pid}, workers_end)

    def _become_slot(self, index: int, channel: socket.socket, lifeline: socket.socket) -> NoReturn:
        try:
            linux.close_descriptors(keep={channel.fileno(), lifeline.fileno()})
            slot.prepare(index)
            slot.Slot(Channel(channel), Lifeline(lifeline), self._template, self._recycle_after).serve()
        except BaseException:  # noqa: BLE001 a slot must never go on as a second launcher
            traceback.print_exc()
            os._exit(1)
        os._exit(0)

    def _announce(self, message: dict[str, object], workers_end: socket.socket) -> None:
        try:
            socket.send_fds(self._control, [json.dumps(message).encode()], [workers_end.fileno()])
        except OSError:
            self._worker_gone = True
        finally:
            workers_end.close()

    def _farewell(self) -> None:
        """The slots see the worker's death themselves; a closed lifeline tells those whose socket leaked somewhere."""
        for process in self._slots.values():
            process.lifeline.close()
        deadline = time.monotonic() + _FAREWELL_SECONDS
        for process in self._slots.values():
            select.select([process.death], [], [], max(0.0, deadline - time.monotonic()))
        Reaper().sweep()
