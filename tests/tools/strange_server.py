"""A web server on this machine that behaves as badly as a test wants: it answers each path with bytes, or with a function."""

from __future__ import annotations

import contextlib
import re
import socket
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

Answer = bytes | Callable[[socket.socket, threading.Event], None]


@dataclass
class StrangeServer:
    """`asked` are the paths in the order they came, `bodies` what came with them."""

    listener: socket.socket
    answers: dict[str, Answer] = field(default_factory=dict)
    asked: list[str] = field(default_factory=list)
    bodies: list[bytes] = field(default_factory=list)
    over: threading.Event = field(default_factory=threading.Event)

    @property
    def address(self) -> str:
        return f"127.0.0.1:{self.listener.getsockname()[1]}"

    def url(self, path: str) -> str:
        return f"http://{self.address}{path}"

    def serve(self) -> None:
        while not self.over.is_set():
            with contextlib.suppress(OSError):
                connection, _ = self.listener.accept()
                threading.Thread(target=self.answer, args=(connection,), daemon=True).start()

    def answer(self, connection: socket.socket) -> None:
        with connection, contextlib.suppress(OSError):
            data = b""
            while b"\r\n\r\n" not in data:
                piece = connection.recv(65536)
                if not piece:
                    return
                data += piece
            path = data.split(b" ", 2)[1].decode()
            self.asked.append(path)
            self.bodies.append(rest_of(connection, data))
            found = self.answers.get(path, response(b"", status="404 Not Found"))
            if callable(found):
                found(connection, self.over)
            else:
                connection.sendall(found)


def rest_of(connection: socket.socket, data: bytes) -> bytes:
    """The body of a request whose head has come; read to its end, or closing would break what is being sent."""
    head, _, body = data.partition(b"\r\n\r\n")
    told = re.search(rb"content-length: *(\d+)", head, re.IGNORECASE)
    while told and len(body) < int(told[1]):
        piece = connection.recv(65536)
        if not piece:
            break
        body += piece
    return body


def response(body: bytes, status: str = "200 OK", kind: str = "text/html; charset=utf-8", **headers: str) -> bytes:
    """A whole answer; header names with underscores for hyphens."""
    told = {"Content-Type": kind, "Content-Length": str(len(body)), "Connection": "close"}
    told |= {name.replace("_", "-"): value for name, value in headers.items()}
    head = "".join(f"{name}: {value}\r\n" for name, value in told.items())
    return f"HTTP/1.1 {status}\r\n{head}\r\n".encode() + body


@contextlib.contextmanager
def strange_server() -> Iterator[StrangeServer]:
    """On a free port, for the length of the block."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        server = StrangeServer(listener)
        thread = threading.Thread(target=server.serve, daemon=True)
        thread.start()
        try:
            yield server
        finally:
            server.over.set()
            with contextlib.suppress(OSError), socket.create_connection(listener.getsockname()):
                pass
            thread.join(10)
