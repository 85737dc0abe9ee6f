"""What a forked process does to become a program: its flags, its environment, its descriptors; and its death, on demand."""

from __future__ import annotations

import importlib
import os
import resource
import signal
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple


class End(NamedTuple):
    """What goes wrong, if anything: SIGKILL after so many commits; no file may have more bytes than these.

    The limit on files is the nearest thing to a full disk that needs no root: a write fails half-way.
    """

    commits: int = 0
    bytes: int = 0


WELL = End()


def become(
    program: str, flags: Sequence[str], environ: Mapping[str, str], folder: Path, streams: Path, end: End
) -> None:
    """Be the program: its flags, its environment, its descriptors."""
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(environ)
    for number, name in ((1, "stdout"), (2, "stderr")):
        with (streams / name).open("wb") as stream:
            os.dup2(stream.fileno(), number)
    if end.commits:
        _die_after(end.commits)
    if end.bytes:
        resource.setrlimit(resource.RLIMIT_FSIZE, (end.bytes, end.bytes))
    sys.argv = [program, *flags]
    tool = importlib.import_module("synops.tools." + program.removeprefix("synops-").replace("-", "_"))
    sys.exit(tool.main())


def _die_after(commits: int) -> None:
    """A real SIGKILL at the one place where it hurts the most: what is written stands, and nobody has been told."""
    import psycopg

    commit = psycopg.Connection.commit
    left = commits

    def commit_and_die(self: psycopg.Connection[Any]) -> None:
        nonlocal left
        commit(self)
        left -= not self.read_only
        if not left:
            os.kill(os.getpid(), signal.SIGKILL)

    psycopg.Connection.commit = commit_and_die  # type: ignore[method-assign]
