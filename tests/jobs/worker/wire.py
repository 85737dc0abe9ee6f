"""A wire between a worker and its PostgreSQL that a test can cut, or freeze: half-open, both ends believe in it still."""

from __future__ import annotations

import contextlib
import select
import socket
import threading
from collections.abc import Iterator
from urllib.parse import parse_qs, quote, urlsplit, urlunsplit


class Wire:
    """A TCP proxy in a thread of its own. `address` is the database's, by way of the wire."""

    def __init__(self, address: str) -> None:
        self._target = target_of(address)
        self._listening = socket.create_server(("127.0.0.1", 0))
        self._wake, self._woken = socket.socketpair()
        self._pairs: dict[socket.socket, socket.socket] = {}
        self._frozen = self._cut = self._closed = False
        self.address = by_port(address, self._listening.getsockname()[1])
        self._thread = threading.Thread(target=self._run, name="wire")
        self._thread.start()

    def freeze(self) -> None:
        """Nothing passes any more, and nobody is told: what a firewall or a dead switch does."""
        self._change(frozen=True)

    def cut(self) -> None:
        """Every connection ends and none can be made."""
        self._change(cut=True)

    def mend(self) -> None:
        """New connections pass again; what was frozen is dropped, as a host that has rebooted would."""
        self._change(cut=True)
        self._change(cut=False, frozen=False)

    def close(self) -> None:
        self._closed = True
        self._change(cut=True)
        self._thread.join()
        for end in (self._listening, self._wake, self._woken):
            end.close()

    def _change(self, **state: bool) -> None:
        for name, value in state.items():
            setattr(self, f"_{name}", value)
        self._applied = threading.Event()
        self._wake.send(b".")
        self._applied.wait()

    # -- in the thread -----------------------------------------------------------------------------------------------

    def _run(self) -> None:
        while not self._closed:
            watched = [self._woken, *([] if self._frozen else [self._listening, *self._pairs])]
            readable, _, _ = select.select(watched, [], [])
            if self._woken in readable:
                self._woken.recv(1024)
                if self._cut:
                    self._drop_all()
                self._applied.set()
                continue
            for end in readable:
                self._accept() if end is self._listening else self._pass_on(end)

    def _accept(self) -> None:
        near, _ = self._listening.accept()
        if self._cut:
            near.close()
            return
        family = socket.AF_UNIX if isinstance(self._target, str) else socket.AF_INET
        far = socket.socket(family)
        try:
            far.connect(self._target)
        except OSError:  # the server itself is away
            near.close()
            far.close()
            return
        self._pairs |= {near: far, far: near}

    def _pass_on(self, end: socket.socket) -> None:
        if end not in self._pairs:
            return
        data = b""
        with contextlib.suppress(OSError):
            data = end.recv(65536)
        try:
            self._pairs[end].sendall(data) if data else self._drop(end)
        except OSError:
            self._drop(end)

    def _drop(self, end: socket.socket) -> None:
        for one in (end, self._pairs.pop(end)):
            self._pairs.pop(one, None)
            one.close()

    def _drop_all(self) -> None:
        while self._pairs:
            self._drop(next(iter(self._pairs)))


def target_of(address: str) -> str | tuple[str, int]:
    """Where the server listens: the path of its socket, or host and port."""
    parts = urlsplit(address)
    host = parse_qs(parts.query).get("host", [parts.hostname or ""])[0]
    port = int(parse_qs(parts.query).get("port", [parts.port or 5432])[0])
    return f"{host}/.s.PGSQL.{port}" if host.startswith("/") else (host, port)


def by_port(address: str, port: int) -> str:
    """`address` with the same user and database, at 127.0.0.1:`port`."""
    parts = urlsplit(address)
    user = f"{quote(parts.username or '')}{':' + quote(parts.password) if parts.password else ''}"
    return urlunsplit(parts._replace(netloc=f"{user}@127.0.0.1:{port}", query=""))


@contextlib.contextmanager
def wire_to(address: str) -> Iterator[Wire]:
    """A wire that goes with the block."""
    wire = Wire(address)
    try:
        yield wire
    finally:
        wire.close()
