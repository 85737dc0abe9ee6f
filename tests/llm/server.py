"""A model server on a real socket: what it answers is scripted, how it answers is as the real ones do (or fail to)."""

from __future__ import annotations

import contextlib
import json
import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, TypeAlias

USAGE = {"prompt_tokens": 11, "completion_tokens": 7, "total_tokens": 18, "cost": 0.0025}
MODEL = "test/model-1"


@dataclass(frozen=True)
class Text:
    """A well-behaved stream of this text, a few letters at a time; `whole` = one JSON document instead."""

    text: str
    whole: bool = False
    ended: str = "stop"


@dataclass(frozen=True)
class Status:
    """An error status with a body and headers."""

    status: int
    body: str = '{"error": {"message": "no"}}'
    headers: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Raw:
    """These bytes with status 200 and nothing more; with `drip`, then the same bytes again and again until the client goes."""

    data: bytes
    drip: float = 0


@dataclass(frozen=True)
class Hang:
    """Never answers."""


Reply: TypeAlias = Text | Status | Raw | Hang


def stream(*documents: Any, done: bool = True) -> Raw:
    """Hand-made events."""
    lines = [f"data: {json.dumps(one, ensure_ascii=False)}\n\n" for one in documents]
    return Raw("".join([*lines, "data: [DONE]\n\n"] if done else lines).encode())


class ModelServer:
    """Replies in the order of `script`, the last one for ever; or whatever `think(body)` returns. Keeps what it was asked."""

    def __init__(self, script: Sequence[Reply], think: Callable[[dict[str, Any]], Reply] | None = None) -> None:
        self.script = list(script)
        self.think = think
        self.requests: list[dict[str, Any]] = []
        self.headers: list[dict[str, str]] = []
        self.lock = threading.Lock()
        self.closing = threading.Event()
        self.http = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self.http.daemon_threads = True

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.http.server_port}/v1"

    @property
    def environ(self) -> dict[str, str]:
        """The settings that name this server."""
        return {
            "SYNOPS_LLM_BASE_URL": self.url, "SYNOPS_LLM_MODEL": MODEL, "SYNOPS_LLM_API_KEY": "sk-very-secret",
        }  # fmt: skip

    def reply(self, body: dict[str, Any]) -> Reply:
        with self.lock:
            self.requests.append(body)
            if self.think:
                return self.think(body)
            return self.script.pop(0) if len(self.script) > 1 else self.script[0]

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        server = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                server.headers.append(dict(self.headers))
                with contextlib.suppress(OSError):
                    self._answer(server.reply(body), self.path.removeprefix("/v1"))
                self.close_connection = True

            def _answer(self, reply: Reply, path: str) -> None:
                if isinstance(reply, Hang):
                    server.closing.wait(300)
                elif isinstance(reply, Status):
                    self._send(reply.status, reply.body.encode(), reply.headers)
                elif isinstance(reply, Raw):
                    self._send_raw(reply)
                elif reply.whole or path != "/chat/completions":
                    self._send(200, json.dumps(_whole(reply)).encode(), {})
                else:
                    self._send_raw(stream(*_pieces(reply)))

            def _send(self, status: int, data: bytes, headers: dict[str, str]) -> None:
                self.send_response(status)
                for name, value in {"Content-Length": str(len(data)), **headers}.items():
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(data)

            def _send_raw(self, reply: Raw) -> None:
                self.send_response(200)
                self.send_header("Connection", "close")
                self.end_headers()
                self.wfile.write(reply.data)
                while reply.drip and not server.closing.wait(reply.drip):
                    self.wfile.write(reply.data)

            def log_message(self, format: str, *args: Any) -> None:
                return

        return Handler


def _whole(reply: Text) -> dict[str, Any]:
    choice = {"message": {"role": "assistant", "content": reply.text}, "finish_reason": reply.ended}
    return {"model": MODEL, "choices": [choice], "usage": USAGE}


def _pieces(reply: Text) -> list[dict[str, Any]]:
    cut = [reply.text[at : at + 7] for at in range(0, len(reply.text), 7)]
    deltas = [{"model": MODEL, "choices": [{"delta": {"content": piece}, "finish_reason": None}]} for piece in cut]
    end = {"model": MODEL, "choices": [{"delta": {}, "finish_reason": reply.ended}]}
    return [*deltas, end, {"model": MODEL, "choices": [], "usage": USAGE}]


@contextlib.contextmanager
def model_server(*script: Reply, think: Callable[[dict[str, Any]], Reply] | None = None) -> Iterator[ModelServer]:
    """A running server; its threads end with the block."""
    server = ModelServer(script, think)
    thread = threading.Thread(target=server.http.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    try:
        yield server
    finally:
        server.closing.set()
        server.http.shutdown()
        server.http.server_close()
        thread.join()
