"""A tool's two voices: exactly one JSON document on stdout, and progress, log and errors on stderr.

While the tool works, file descriptor 1 leads to stderr: a library that prints can't spoil the result.
"""

from __future__ import annotations

import contextlib
import errno
import os
import signal
import sys
from typing import Any

from synops.store.sanitise import clean_text, dumps
from synops.tools.failures import CANNOT_WRITE, ToolFailure
from synops.tools.program import die_of


class CannotWriteResult(ToolFailure):
    """Stdout can't take the result: closed, or on a full disk."""

    exit_code = CANNOT_WRITE


class Console:
    """The channels of one run of the tool called `name`."""

    def __init__(self, name: str) -> None:
        self.name = name
        _open_standard_descriptors()
        _flush()
        self._result = os.dup(1)
        os.set_inheritable(self._result, False)
        os.dup2(2, 1)
        self._for_person = os.isatty(2)

    def progress(self, fraction: float | None, message: str = "") -> None:
        """Tell how far the work is: `fraction` from 0 to 1 (None = unknown) and what is being done."""
        if self._for_person:
            done = "" if fraction is None else f"{fraction:4.0%} "
            self.log(f"{self.name}: {done}{message}")
            return
        told: dict[str, Any] = {} if fraction is None else {"progress": round(min(1.0, max(0.0, fraction)), 4)}
        self.log(dumps(told | ({"message": message} if message else {})))

    def log(self, line: str) -> None:
        """One line for the job's log."""
        # The reader of stderr may be gone; the work goes on, and its result still counts.
        with contextlib.suppress(OSError):
            os.write(2, clean_text(line).encode() + b"\n")

    def failure(self, message: str, exit_code: int) -> None:
        """Say why the tool fails: one JSON line for the worker, one sentence for a person."""
        if not self._for_person:
            self.log(dumps({"error": message, "exit_code": exit_code}))
        self.log(f"{self.name}: {message}")

    def result(self, document: Any) -> None:
        """Write the result and close stdout. Raises CannotWriteResult; dies of SIGPIPE when nobody reads."""
        rest = memoryview(dumps(document).encode() + b"\n")
        try:
            while rest:
                rest = rest[os.write(self._result, rest) :]
            os.close(self._result)
        except BrokenPipeError:
            die_of(signal.SIGPIPE)
        except OSError as error:
            raise CannotWriteResult(f"the result can't be written: {os.strerror(error.errno or errno.EIO)}") from error


def _open_standard_descriptors() -> None:
    """Fill a closed descriptor 0, 1 or 2, or the next file that is opened would become it."""
    for descriptor in (0, 1, 2):
        try:
            os.fstat(descriptor)
        except OSError:
            os.open(os.devnull, os.O_RDWR)  # takes the lowest free number: this one


def _flush() -> None:
    for stream in (sys.stdout, sys.stderr):
        if stream is not None:
            with contextlib.suppress(OSError, ValueError):
                stream.flush()
