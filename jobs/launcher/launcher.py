"""The launcher: keeps the template and the slots for one worker, and ends with it.

One thread, no database, no Django. It gives the worker a socket to each slot through the control socket and then keeps
out of the way; the worker's death it reads from a pidfd and from the end of the control socket. To renew the template it
executes itself anew: same process, same children, fresh interpreter. The slots of the old template serve meanwhile.
"""

from __future__ import annotations

import json
import os
import resource
import select
import signal
import socket
import sys
from dataclasses import replace
from typing import Any

from jobs.launcher import linux
from jobs.launcher.child import STOP_SIGNALS
from jobs.launcher.orders import Orders
from jobs.launcher.preload import Spoilt, Template
from jobs.launcher.slots import Slots

_TICK_SECONDS = 1.0


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

    def __init__(self, orders: Orders) -> None:
        self._orders = orders
        self._control = socket.socket(fileno=orders.control)
        self._control.set_inheritable(False)
        self._worker_death = os.pidfd_open(orders.worker)
        # The worker may have died, and its pid been given away, before we asked; then we are somebody else's child.
        self._worker_gone = os.getppid() != orders.worker
        self._template = Template()
        self._slots = Slots(orders.slots, orders.recycle_after, self._announce)
        for index, pid, lifeline in orders.adopt:
            os.set_inheritable(lifeline, False)
            self._slots.adopt(index, pid, socket.socket(fileno=lifeline))

    def serve(self) -> None:
        """Serve until the worker is gone; then see the slots, and everything under them, dead."""
        self._slots.fork_due(self._template)  # before anything is loaded: the worker needn't wait for that
        self._load()
        while not self._worker_gone:
            self._slots.fork_due(self._template)
            self._turn()
        self._slots.end()

    def _load(self) -> None:
        """Fill the template; slots that were forked before make room for such as have it."""
        try:
            self._template.load(self._orders.preload, (self._control.fileno(), self._worker_death))
        except Spoilt as spoilt:
            self._renew([name for name in self._orders.preload if name not in spoilt.args])
        if self._orders.adopt or self._template.loaded:
            self._slots.retire()
        self._tell({"loaded": self._template.loaded, "refused": self._template.refused})

    def _turn(self) -> None:
        ready = self._wait()
        self._worker_gone |= self._worker_death in ready
        if self._control.fileno() in ready:
            self._obey()
        for process in list(self._slots.alive.values()):
            if process.death in ready:
                self._slots.bury(process)
            elif process.lifeline.fileno() in ready and process.lifeline.recv(16):
                self._renew(self._orders.preload)
        self._slots.kill_strays(patience=0.0)
        self._slots.wake()

    def _wait(self) -> set[int]:
        poller = select.poll()
        for fd in (self._control.fileno(), self._worker_death):
            poller.register(fd, select.POLLIN)
        for process in self._slots.alive.values():
            poller.register(process.death, select.POLLIN)
            if process.current:  # an old one's complaint about the old template has been heard
                poller.register(process.lifeline, select.POLLIN)
        return {fd for fd, _ in poller.poll(_TICK_SECONDS * 1000)}

    def _obey(self) -> None:
        try:
            said = self._control.recv(65536)
        except OSError:
            said = b""
        if said:
            self._renew(json.loads(said)["preload"])
        else:
            self._worker_gone = True

    def _renew(self, preload: list[str]) -> None:
        """Execute this process anew, with its slots. Should that fail, everything goes on as it was."""
        adopt = [(process.index, process.pid, process.lifeline.fileno()) for process in self._slots.alive.values()]
        inherited = [self._control.fileno(), *(fd for _, _, fd in adopt)]
        for fd in inherited:
            os.set_inheritable(fd, True)
        command = replace(self._orders, preload=preload, adopt=adopt).command()
        try:
            os.execv(command[0], command)  # noqa: S606
        except OSError as error:
            print(f"synops-launcher: the template could not be renewed: {error}", file=sys.stderr)  # noqa: T201
        for fd in inherited:
            os.set_inheritable(fd, False)

    def _announce(self, index: int, pid: int, workers_end: socket.socket) -> None:
        self._tell({"slot": index, "pid": pid}, workers_end.fileno())

    def _tell(self, message: dict[str, Any], *fds: int) -> None:
        try:
            socket.send_fds(self._control, [json.dumps(message).encode()], fds)
        except OSError:
            self._worker_gone = True
