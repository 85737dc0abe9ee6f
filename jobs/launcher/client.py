"""The worker's side: starts the launcher, and runs programs in its slots from asyncio."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import socket
import subprocess
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

from jobs.launcher.conversation import Conversation, OnOutput, SlotGone
from jobs.launcher.descendants import kill_marked
from jobs.launcher.environment import basics
from jobs.launcher.orders import Orders
from jobs.launcher.wire import Reason, Report, Request

_START_SECONDS = 30.0
_FAREWELL_SECONDS = 30.0
_TRIES = 3


class LauncherGone(Exception):
    """There is no launcher to run programs: `restart()` starts another."""


class _Slot:
    """One slot as the worker knows it: the newest socket to it, None while its process is being replaced."""

    def __init__(self) -> None:
        self.socket: socket.socket | None = None
        self.in_use: socket.socket | None = None
        self.changed = asyncio.Event()
        self.turn = asyncio.Lock()
        self.conversations: set[Conversation] = set()

    def connect(self, sock: socket.socket | None) -> None:
        """Use this socket from now on. One that a conversation still reads is left to it: a slot's last words may come
        after the news of its successor."""
        if self.socket is not None and self.socket is not self.in_use:
            self.socket.close()
        self.socket = sock
        self.changed.set()

    @contextlib.contextmanager
    def using(self, sock: socket.socket) -> Iterator[None]:
        self.in_use = sock
        try:
            yield
        finally:
            self.in_use = None
            if self.socket is not sock:
                sock.close()


class LauncherClient:
    """A launcher process and its slots. Make it with `start`, from the main thread, before threads, event loops and
    connections exist; afterwards it belongs to one event loop.

    The launcher and everything under it die when this process does, however it dies. `preloaded` and `refused` (with
    the reason) tell what became of the modules to preload; until the launcher has reported, both are empty. `marker` may
    be set at any time (see `start`).
    """

    def __init__(self, slots: int, preload: Sequence[str], recycle_after: int, marker: str | None) -> None:
        self._slots = [_Slot() for _ in range(slots)]
        self._preload = list(preload)
        self._recycle_after = recycle_after
        self.marker = marker
        self.preloaded: frozenset[str] = frozenset()
        self.refused: dict[str, str] = {}
        self._loop: asyncio.AbstractEventLoop | None = None
        self._gone = True

    @classmethod
    def start(
        cls, slots: int, *, preload: Sequence[str] = (), recycle_after: int = 1000, marker: str | None = None
    ) -> LauncherClient:
        """Start the launcher and wait until each slot is ready. Raises LauncherGone when it does not come up.

        `preload` names modules to import once (in the background: until that is done, programs are executed). A slot
        that has done `recycle_after` runs has all of them imported anew. `marker` ("NAME=value") is something that the
        environment of every request will hold and no other process has: should launcher and slot be killed at once, so
        that nobody is left to sweep, the processes that carry it are found and killed by it.
        """
        client = cls(slots, preload, recycle_after, marker)
        client._launch()
        return client

    @property
    def alive(self) -> bool:
        """Whether the launcher is there, as far as is known."""
        return not self._gone

    @property
    def pid(self) -> int:
        """The launcher's process id."""
        return self._process.pid

    async def run(self, slot: int, request: Request, on_output: OnOutput | None = None) -> Report:
        """Run a program in a slot to its end and return how it ended; waits while the slot is busy.

        Raises LauncherGone when there is no launcher (then nothing was started), and whatever `on_output` raises. When
        the awaiting task is cancelled, the program is killed at once and the slot is free as soon as it is dead.
        """
        self._attach()
        conversation = Conversation(request, on_output)
        self._slots[slot].conversations.add(conversation)  # now, so that a cancel can't come too early
        running = asyncio.ensure_future(self._take_turn(self._slots[slot], conversation))
        try:
            return await asyncio.shield(running)
        except asyncio.CancelledError:
            conversation.stop_telling()
            running.add_done_callback(_look_at_exception)
            await conversation.cancel(0)
            raise

    async def cancel(self, slot: int, grace_seconds: float | None = None) -> None:
        """Ask the program in the slot to end (TERM), and kill it after the grace (None = its request's own, 0 = now).
        `run` returns when it is dead. Does nothing when the slot is idle; may be repeated with a shorter grace."""
        for conversation in list(self._slots[slot].conversations):
            await conversation.cancel(grace_seconds)

    async def preload(self, modules: Sequence[str]) -> None:
        """Import these modules anew, and no others. Slots serve on meanwhile; each takes them over when it is idle."""
        self._attach()
        self._preload = list(modules)
        with contextlib.suppress(OSError):
            await asyncio.get_running_loop().sock_sendall(self._control, json.dumps({"preload": modules}).encode())

    def restart(self) -> None:
        """Start a new launcher in place of one that died (or end it first). Blocks for a moment."""
        self.close()
        self._kill_marked()
        self._launch()
        if self._loop is not None and not self._loop.is_closed():
            self._loop.add_reader(self._control, self._hear_all)

    def close(self) -> None:
        """End the launcher, its slots and all programs now; returns when they are dead."""
        self._lose()
        self._control.close()
        for slot in self._slots:
            slot.connect(None)
        try:
            self._process.wait(_FAREWELL_SECONDS)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()

    # -- one run ---------------------------------------------------------------------------------------------------

    async def _take_turn(self, slot: _Slot, conversation: Conversation) -> Report:
        try:
            async with slot.turn:
                return await self._converse(slot, conversation)
        finally:
            slot.conversations.discard(conversation)

    async def _converse(self, slot: _Slot, conversation: Conversation) -> Report:
        """A slot that retires or dies before it has taken the request started nothing: its successor is asked."""
        begun = time.monotonic()
        for _ in range(_TRIES):
            sock = await self._socket_of(slot)
            try:
                with slot.using(sock):
                    return await conversation.hold(sock)
            except SlotGone as gone:
                await self._mourn(slot, sock)
                if gone.accepted:
                    await conversation.tidy()
                    break
        return Report(
            reason=Reason.LOST,
            started=begun,
            finished=time.monotonic(),
            error="the slot process that ran it died; whatever it had started is dead too.",
        )

    async def _socket_of(self, slot: _Slot) -> socket.socket:
        while slot.socket is None:
            if self._gone:
                raise LauncherGone("the launcher process is gone")
            slot.changed.clear()
            await slot.changed.wait()
        return slot.socket

    async def _mourn(self, slot: _Slot, sock: socket.socket) -> None:
        """Wait for the successor of a dead slot: the launcher announces it when all that the slot left is dead."""
        if slot.socket is sock:
            slot.connect(None)
        try:
            await self._socket_of(slot)
        except LauncherGone:
            self._kill_marked()

    # -- the launcher ------------------------------------------------------------------------------------------------

    def _kill_marked(self) -> None:
        """Nobody sweeps now that the launcher is gone; normally there is nothing, because its slots swept at its death."""
        if self.marker is not None:
            kill_marked(self.marker)

    def _launch(self) -> None:
        self._control, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with theirs:
            orders = Orders(
                control=theirs.fileno(),
                worker=os.getpid(),
                slots=len(self._slots),
                recycle_after=self._recycle_after,
                preload=self._preload,
            )
            self._process = subprocess.Popen(
                orders.command(),
                pass_fds=[theirs.fileno()],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                env=_environment(),
                cwd="/",
                start_new_session=True,  # a Ctrl-C in the worker's terminal is for the worker to handle
            )
        self._gone = False
        self._await_slots()

    def _await_slots(self) -> None:
        self._control.settimeout(_START_SECONDS)
        while self.alive and any(slot.socket is None for slot in self._slots):
            self._hear()
        if self._gone:
            self.close()
            raise LauncherGone(
                f"the launcher did not start (exit code {self._process.returncode}); see its stderr above"
            )
        self._control.setblocking(False)

    def _attach(self) -> None:
        """Listen to the launcher from the running event loop."""
        loop = asyncio.get_running_loop()
        if self._loop is not loop and self.alive:
            self._loop = loop
            loop.add_reader(self._control, self._hear_all)

    def _hear_all(self) -> None:
        with contextlib.suppress(BlockingIOError):
            while self.alive:
                self._hear()

    def _hear(self) -> None:
        """Take one message: a slot's new socket, or the end."""
        try:
            message, fds, _, _ = socket.recv_fds(self._control, 65536, 1, socket.MSG_CMSG_CLOEXEC)
        except (ConnectionError, TimeoutError):
            message, fds = b"", []
        if not message:
            self._lose()
            return
        news = json.loads(message)
        if fds:
            sock = socket.socket(fileno=fds[0])
            sock.setblocking(False)
            self._slots[news["slot"]].connect(sock)
        else:
            self.preloaded, self.refused = frozenset(news["loaded"]), news["refused"]

    def _lose(self) -> None:
        if self._gone:
            return
        self._gone = True
        if self._loop is not None and not self._loop.is_closed():
            self._loop.remove_reader(self._control)
        for slot in self._slots:
            slot.changed.set()


def _environment() -> dict[str, str]:
    """What the launcher needs, and no secret: a tool can read its parent's environment in /proc."""
    inherited = filter(None, os.environ.get("PYTHONPATH", "").split(os.pathsep))
    places = [str(place.resolve()) for place in (Path(__file__).parents[2], *map(Path, inherited))]
    return basics(os.environ) | {"PYTHONPATH": os.pathsep.join(places)}


def _look_at_exception(finished: asyncio.Future[Report]) -> None:
    """Nobody awaits this any more; asyncio would complain about an exception that was never looked at."""
    if not finished.cancelled():
        finished.exception()
