"""One run as the worker sees it: the request goes out, output and report come back over the slot's socket."""

from __future__ import annotations

import asyncio
import contextlib
import json
import socket
from collections.abc import Awaitable, Callable
from typing import Literal

from jobs.launcher.scratch import remove_tree
from jobs.launcher.wire import FrameReader, Kind, Reason, Report, Request, frame

Stream = Literal["stdout", "stderr"]
OnOutput = Callable[[Stream, bytes], Awaitable[None] | None]
"""Told of every chunk as it comes. Until it returns, or what it returns is awaited, nothing more is read, and a program
that floods waits: the back-pressure is end to end."""

_CHUNK = 256 * 1024
_STREAMS: dict[Kind, Stream] = {Kind.STDOUT: "stdout", Kind.STDERR: "stderr"}


class SlotGone(Exception):
    """The slot closed its socket. Unless it had `accepted` the request, nothing was started."""

    def __init__(self, *, accepted: bool) -> None:
        super().__init__()
        self.accepted = accepted


class Conversation:
    """Carries one request through; `cancel` may come at any time, also before the slot has the request."""

    def __init__(self, request: Request, on_output: OnOutput | None) -> None:
        self._request = request
        self._on_output = on_output
        self._stdout = bytearray()
        self._accepted = False
        self._socket: socket.socket | None = None
        self._sending = asyncio.Lock()
        self._cancel: bytes | None = None
        self._failure: BaseException | None = None

    async def hold(self, sock: socket.socket) -> Report:
        """Send the request and listen until the report is here. Raises SlotGone, or what `on_output` raised (then the
        run was cancelled)."""
        if self._cancel is not None:
            return Report(reason=Reason.CANCELLED, error="cancelled before it began.")
        await self._ask(sock)
        frames = FrameReader()
        while True:
            for kind, payload in frames.feed(await self._receive(sock)):
                if kind is Kind.REPORT:
                    return self._conclude(payload)
                await self._take(kind, payload)

    async def cancel(self, grace_seconds: float | None) -> None:
        """TERM to all processes of the run, KILL after the grace (None = the request's own). May be repeated with a
        shorter one; of a run that is over nothing is asked."""
        self._cancel = frame(Kind.CANCEL, json.dumps(grace_seconds).encode())
        if self._socket is not None:
            await self._send(self._socket, self._cancel)

    def stop_telling(self) -> None:
        """Nobody listens to the output any more."""
        self._on_output = None

    async def tidy(self) -> None:
        """Remove what only the slot would have removed; it is dead, and so is everything it had started."""
        if self._request.scratch is not None:
            await asyncio.to_thread(remove_tree, self._request.scratch)

    async def _ask(self, sock: socket.socket) -> None:
        if not await self._send(sock, frame(Kind.RUN, self._request.encode())):
            raise SlotGone(accepted=False)
        self._socket = sock
        if self._cancel is not None:  # it came while the request was on its way
            await self._send(sock, self._cancel)

    async def _send(self, sock: socket.socket, data: bytes) -> bool:
        async with self._sending:  # two senders would mix their bytes
            with contextlib.suppress(OSError):
                await asyncio.get_running_loop().sock_sendall(sock, data)
                return True
        return False

    async def _receive(self, sock: socket.socket) -> bytes:
        data = b""
        with contextlib.suppress(OSError):
            data = await asyncio.get_running_loop().sock_recv(sock, _CHUNK)
        if not data:
            raise SlotGone(accepted=self._accepted)
        return data

    async def _take(self, kind: Kind, payload: bytes) -> None:
        if kind is Kind.ACCEPTED:
            self._accepted = True
            return
        if kind is Kind.STDOUT:
            self._stdout += payload
        if self._on_output is not None:
            await self._tell(self._on_output, _STREAMS[kind], payload)

    async def _tell(self, on_output: OnOutput, stream: Stream, payload: bytes) -> None:
        try:
            told = on_output(stream, payload)
            if told is not None:
                await told
        except Exception as error:  # noqa: BLE001 raised again by `_conclude`, when the program is dead
            self._failure = error
            self.stop_telling()
            await self.cancel(0)

    def _conclude(self, payload: bytes) -> Report:
        if self._failure is not None:
            raise self._failure
        return Report.decode(payload, bytes(self._stdout))
