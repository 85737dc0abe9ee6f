"""What one attempt writes to stderr: kept as chunks of head and tail, read for progress, never growing without bound."""

from __future__ import annotations

import codecs
import json
import math
from collections import deque
from dataclasses import dataclass
from typing import Any

from jobs.queue import ClaimedJob, LogText

HEAD_BYTES = 256 * 1024
TAIL_BYTES = 768 * 1024
MAX_LINE_BYTES = 64 * 1024
SHORT_BYTES = 16 * 1024
"""What a result takes along: more would make a batch of results heavy."""

ERROR_LINES = 20


@dataclass(frozen=True)
class Flush:
    """What has to be written now: new chunks, and the numbers of tail chunks that have had their time."""

    chunks: tuple[LogText, ...]
    expired: tuple[int, ...]


class AttemptLog:
    """The first 256 KiB as they came, then the last 768 KiB as last seen; in between, bytes are dropped and counted."""

    def __init__(self, job: ClaimedJob) -> None:
        self.job = job
        self.progress: float | None = None
        self.message: str | None = None
        self.error_record: str | None = None
        self.dropped_bytes = 0
        self.last_lines: deque[str] = deque(maxlen=ERROR_LINES)
        self._progress_changed = False
        self._decoder = codecs.getincrementaldecoder("utf-8")(errors="replace")
        self._line = bytearray()
        self._head_left = HEAD_BYTES
        self._head = bytearray()
        self._tail: deque[bytes] = deque()
        self._tail_bytes = 0
        self._stored_tail: deque[tuple[int, int]] = deque()
        self._seq = 0

    def feed(self, data: bytes) -> None:
        """Take bytes as they come; a character or a line may be cut anywhere."""
        self._read_lines(data)
        head, rest = data[: self._head_left], data[self._head_left :]
        self._head += head
        self._head_left -= len(head)
        if rest:
            self._tail.append(rest)
            self._tail_bytes += len(rest)
            self._trim_tail()

    def _trim_tail(self) -> None:
        while self._tail_bytes > TAIL_BYTES:
            excess = self._tail_bytes - TAIL_BYTES
            first = self._tail.popleft()
            if len(first) > excess:
                self._tail.appendleft(first[excess:])
            cut = min(excess, len(first))
            self._tail_bytes -= cut
            self.dropped_bytes += cut

    def _read_lines(self, data: bytes) -> None:
        *complete, last = data.split(b"\n")
        for piece in complete:
            self._extend_line(piece)
            self._end_line()
        self._extend_line(last)

    def _extend_line(self, piece: bytes) -> None:
        self._line += piece[: MAX_LINE_BYTES - len(self._line)]

    def _end_line(self) -> None:
        line = bytes(self._line).strip()
        self._line.clear()
        if line and not (line.startswith(b"{") and self._take_record(line)):
            self.last_lines.append(line.decode(errors="replace"))

    def _take_record(self, line: bytes) -> bool:
        """Whether the line is a record for us and not for people: progress, or an error whose sentence follows."""
        try:
            record = json.loads(line)
        except (ValueError, RecursionError):
            return False
        if not isinstance(record, dict):
            return False
        if {"progress", "message"} & set(record):
            self._take_progress(record)
            return True
        if isinstance(record.get("error"), str):
            self.error_record = record["error"]
            return True
        return False

    def _take_progress(self, record: dict[str, Any]) -> None:
        fraction, message = record.get("progress"), record.get("message")
        if isinstance(fraction, int | float) and not isinstance(fraction, bool) and math.isfinite(fraction):
            self.progress = min(1.0, max(0.0, float(fraction)))
        if isinstance(message, str):
            self.message = message[:500]
        self._progress_changed = True

    def end(self) -> None:
        """No more will come: what stands after the last line break is a line too."""
        if self._line:
            self._end_line()

    def take_progress(self) -> tuple[ClaimedJob, float | None, str | None] | None:
        """The newest progress, once."""
        if not self._progress_changed:
            return None
        self._progress_changed = False
        return self.job, self.progress, self.message

    @property
    def short(self) -> bool:
        """Whether it is all here, and little."""
        return self._seq == 0 and len(self._head) <= SHORT_BYTES and not self._tail

    def take(self, *, final: bool = False) -> Flush:
        """What is new since the last call. `final` ends a character that was never finished."""
        chunks = [self._chunk(bytes(self._head), "head", final and not self._tail)] if self._head else []
        self._head.clear()
        if self._tail:
            body = b"".join(self._tail)
            chunks.append(self._chunk(body, "tail", final))
            self._stored_tail.append((chunks[-1].seq, len(body)))
            self._tail.clear()
            self._tail_bytes = 0
        return Flush(tuple(chunk for chunk in chunks if chunk.text), tuple(self._expired()))

    def _chunk(self, body: bytes, part: str, final: bool) -> LogText:
        self._seq += 1
        return LogText(self.job, self._seq, part, self._decoder.decode(body, final))

    def _expired(self) -> list[int]:
        stored = sum(size for _, size in self._stored_tail)
        expired = []
        while len(self._stored_tail) > 1 and stored > TAIL_BYTES:
            seq, size = self._stored_tail.popleft()
            stored -= size
            self.dropped_bytes += size
            expired.append(seq)
        return expired
