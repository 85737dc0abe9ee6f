"""A slot's two sockets: the channel to the worker and the lifeline to the launcher."""

from __future__ import annotations

import contextlib
import select
import socket
from collections.abc import Iterable

from jobs.launcher.wire import FrameReader, Kind, frame

_CHUNK = 65536


class Channel:
    """Frames from and to the worker. Whoever looks at `congested` before sending never has more than one frame wait."""

    def __init__(self, sock: socket.socket) -> None:
        sock.setblocking(False)
        self._sock = sock
        self._reader = FrameReader()
        self._waiting = b""
        self.gone = False

    def fileno(self) -> int:
        return self._sock.fileno()

    @property
    def congested(self) -> bool:
        """Whether the worker has not yet taken what was sent."""
        return bool(self._waiting)

    @property
    def amid_frame(self) -> bool:
        """Whether the beginning of a frame has arrived, and not its end."""
        return self._reader.partial

    def send(self, kind: Kind, payload: bytes = b"") -> None:
        """Send, or keep what the socket does not take now for `flush`."""
        self._waiting += frame(kind, payload)
        self.flush()

    def flush(self) -> None:
        """Send what waits, as far as the socket takes it."""
        try:
            while self._waiting:
                self._waiting = self._waiting[self._sock.send(self._waiting) :]
        except BlockingIOError:
            pass
        except OSError:
            self._lose()

    def receive(self) -> list[tuple[Kind, bytes]]:
        """The frames that have arrived; sets `gone` at the end of the stream."""
        try:
            data = self._sock.recv(_CHUNK)
        except BlockingIOError:
            return []
        except OSError:
            data = b""
        if not data:
            self._lose()
        return self._reader.feed(data)

    def _lose(self) -> None:
        self.gone = True
        self._waiting = b""


class Lifeline:
    """The launcher's other end closes when it dies; a byte from it asks the slot to retire once idle, a byte to it
    asks for fresh templates."""

    def __init__(self, sock: socket.socket) -> None:
        sock.setblocking(False)
        self._sock = sock
        self.gone = False
        self.retire = False

    def fileno(self) -> int:
        return self._sock.fileno()

    def receive(self) -> None:
        """Take in what the launcher said; sets `gone` or `retire`."""
        try:
            said = self._sock.recv(16)
        except BlockingIOError:
            return
        except OSError:
            said = b""
        self.gone = self.gone or not said
        self.retire = True

    def ask_for_reload(self) -> None:
        """Tell the launcher that the preloaded modules are out of date; at most one such byte matters."""
        with contextlib.suppress(OSError):
            self._sock.send(b"r")


def wait(channel: Channel, lifeline: Lifeline, sources: Iterable[int], seconds: float | None) -> set[int]:
    """Wait until one of `sources`, the worker or the launcher has something to say, or the worker takes what waits;
    attend to the lifeline and to what waits, and return the descriptors to be read."""
    poller = select.poll()
    for source in sources:
        poller.register(source, select.POLLIN)
    poller.register(channel, select.POLLIN | (select.POLLOUT if channel.congested else 0))
    poller.register(lifeline, select.POLLIN)
    ready = poller.poll(None if seconds is None else max(0.0, seconds * 1000))
    if any(fd == channel.fileno() and event & select.POLLOUT for fd, event in ready):
        channel.flush()
    readable = {fd for fd, event in ready if event & ~select.POLLOUT}
    if lifeline.fileno() in readable:
        lifeline.receive()
    return readable
