"""The words between worker and slots: what is asked, what is reported, and the frames that carry both."""

from __future__ import annotations

import base64
import enum
import json
import struct
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

STDOUT_CAP = 1024 * 1024
"""Bytes of stdout that are kept: a result is one JSON document, and a bigger one belongs in the file store."""

CPU_GRACE_SECONDS = 3
"""A program that doesn't die of the XCPU at its CPU limit is killed when it has used this much more."""

_HEADER = struct.Struct("!BI")


class Kind(enum.IntEnum):
    """What a frame holds. RUN and CANCEL go to the slot, the others come from it."""

    RUN = 1
    CANCEL = 2
    ACCEPTED = 3
    STDOUT = 4
    STDERR = 5
    REPORT = 6


class Reason(enum.StrEnum):
    """Why a run is over. `LOST`: slot or launcher died in its midst, and nobody knows how far it came."""

    EXITED = "exited"
    TIMED_OUT = "timed_out"
    CANCELLED = "cancelled"
    START_FAILED = "start_failed"
    MEMORY_EXCEEDED = "memory_exceeded"
    CPU_EXCEEDED = "cpu_exceeded"
    LOST = "lost"


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """What one run may use; None = no limit of ours.

    `max_open_files` and `max_cpu_seconds` hold for each process of the run (rlimits); `max_rss_mb` holds for the whole
    tree, sampled twice a second. `oom_score_adj` (0 to 1000) makes the run a likelier victim when the machine is out
    of memory.
    """

    max_open_files: int | None = None
    max_cpu_seconds: int | None = None
    max_rss_mb: int | None = None
    oom_score_adj: int | None = None

    def need_a_fork(self) -> bool:
        """Whether something must be set in the child before it execs."""
        return any(value is not None for value in (self.max_open_files, self.max_cpu_seconds, self.oom_score_adj))


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """One run of a program.

    `argv` is a list and never sees a shell; a name without "/" is looked up in the PATH of `env`. `env` is the whole
    environment. `stdin` None means closed (/dev/null). Times are seconds; no timeout = None. After a timeout the
    processes of the run get TERM, and KILL `grace_seconds` later. `preload` names a module whose `main()`, reading
    sys.argv, is the same program as argv[0]. `scratch` is a directory made before the run (its parent must exist) and
    removed with its contents after it; pass it on as TMPDIR.
    """

    argv: Sequence[str]
    env: Mapping[str, str]
    cwd: str = "/"
    stdin: bytes | None = None
    timeout_seconds: float | None = None
    grace_seconds: float = 10.0
    limits: Limits = field(default_factory=Limits)
    preload: str | None = None
    scratch: str | None = None

    def encode(self) -> bytes:
        """The payload of a RUN frame. Lone surrogates (bytes of file names that are no UTF-8) survive the way."""
        stdin = None if self.stdin is None else base64.b64encode(self.stdin).decode("ascii")
        special = {"argv": list(self.argv), "env": dict(self.env), "limits": _record(self.limits), "stdin": stdin}
        return json.dumps(_record(self) | special).encode("ascii")

    @classmethod
    def decode(cls, payload: bytes) -> Request:
        """The inverse of `encode`."""
        record = json.loads(payload)
        stdin = record.pop("stdin")
        limits = Limits(**record.pop("limits"))
        return cls(**record, limits=limits, stdin=None if stdin is None else base64.b64decode(stdin))


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """How one run ended; no process of it is left, unless `survivors` says otherwise.

    `exit_code` and `signal` are the program's own (one of them is None; both when it never ran, or is lost or
    unkillable). `killed` counts processes that had to be killed, the program itself included. `stdout` holds the first
    STDOUT_CAP bytes; `stdout_bytes` and `stderr_bytes` count all that was written. `started` and `finished` are
    CLOCK_MONOTONIC, the same in all processes of a machine. `cpu_seconds` and `max_rss_kb` cover the tree (resident
    memory has a floor: what a child holds before it execs). `out_of_memory`: the program died by a KILL that we did
    not send, most likely the kernel's. `error` is a sentence for a person, empty when there is nothing to say.
    """

    reason: Reason
    exit_code: int | None = None
    signal: int | None = None
    killed: int = 0
    survivors: int = 0
    stdout: bytes = b""
    stdout_bytes: int = 0
    stderr_bytes: int = 0
    started: float = 0.0
    finished: float = 0.0
    cpu_seconds: float = 0.0
    max_rss_kb: int = 0
    pid: int | None = None
    preloaded: bool = False
    out_of_memory: bool = False
    error: str = ""

    @property
    def stdout_overflow(self) -> bool:
        """Whether the program wrote more to stdout than was kept."""
        return self.stdout_bytes > STDOUT_CAP

    def encode(self) -> bytes:
        """The payload of a REPORT frame. `stdout` is left out: it went ahead in frames of its own."""
        record = _record(self)
        del record["stdout"]
        return json.dumps(record).encode("ascii")

    @classmethod
    def decode(cls, payload: bytes, stdout: bytes) -> Report:
        """The inverse of `encode`."""
        record: dict[str, Any] = json.loads(payload)
        return cls(**record | {"reason": Reason(record["reason"])}, stdout=stdout)


def _record(it: Limits | Request | Report) -> dict[str, Any]:
    """Its fields, shallow; `dataclasses.asdict` copies deeply, and takes longer than all the rest of a frame."""
    return {name: getattr(it, name) for name in it.__slots__}


def frame(kind: Kind, payload: bytes = b"") -> bytes:
    """One frame: kind (1 byte), length (4 bytes), payload."""
    return _HEADER.pack(kind, len(payload)) + payload


class FrameReader:
    """Cuts a byte stream back into frames."""

    def __init__(self) -> None:
        self._pending = bytearray()

    @property
    def partial(self) -> bool:
        """Whether a frame has begun and not ended."""
        return bool(self._pending)

    def feed(self, data: bytes) -> list[tuple[Kind, bytes]]:
        """The frames completed by `data`."""
        self._pending += data
        frames = []
        while (complete := self._next()) is not None:
            frames.append(complete)
        return frames

    def _next(self) -> tuple[Kind, bytes] | None:
        if len(self._pending) < _HEADER.size:
            return None
        kind, length = _HEADER.unpack_from(self._pending)
        end = _HEADER.size + length
        if len(self._pending) < end:
            return None
        payload = bytes(self._pending[_HEADER.size : end])
        del self._pending[:end]
        return Kind(kind), payload
