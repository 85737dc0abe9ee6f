"""Why a program could not be started, in sentences that say what to do."""

from __future__ import annotations

import contextlib
import errno
import os
from pathlib import Path

from jobs.launcher.wire import Request


class StartFailed(Exception):
    """The program never ran; the message is for a person."""


def explain(request: Request, stage: str, error: BaseException) -> str:
    """A sentence about `error`, which came up at `stage`: "directory", "limits", "fork", "resources", "scratch" or
    "program"."""
    number = error.errno if isinstance(error, OSError) else None
    said = os.strerror(number) if number else str(error)
    if stage == "directory":
        return f"the working directory {request.cwd!r} cannot be entered: {said}"
    if stage == "scratch":
        return f"the scratch directory {request.scratch!r} cannot be made: {said}"
    if stage == "limits":
        return f"the limits {request.limits} cannot be set: {said}"
    if stage in ("fork", "resources"):
        return f"this machine has no {'process' if stage == 'fork' else 'pipe or file'} to spare for it: {said}"
    return _about_program(request, number, said)


def _about_program(request: Request, number: int | None, said: str) -> str:
    name = request.argv[0] if request.argv else ""
    if number == errno.ENOENT:
        return _about_missing(request, name)
    if number == errno.EACCES:
        return f"{name!r} may not be executed: check that it is a file, and executable (chmod +x), for this user"
    if number == errno.ENOEXEC:
        return f"{name!r} is no executable: a script needs a first line such as #!/usr/bin/env python3"
    if number == errno.E2BIG:
        size = sum(map(len, request.argv)) + sum(len(key) + len(value) for key, value in request.env.items())
        return f"arguments and environment are too big ({size} bytes): pass big values by file or store hash"
    return f"{name!r} cannot be started: {said}"


def _about_missing(request: Request, name: str) -> str:
    if "/" not in name:
        return f"there is no program {name!r} in PATH={request.env.get('PATH', '')}"
    path = Path(request.cwd, name)
    if not path.exists():
        return f"there is no program {name!r}: is it installed on this machine?"
    return f"{name!r} exists, but its interpreter does not: {_first_line(path)}"


def _first_line(path: Path) -> str:
    with contextlib.suppress(OSError), path.open("rb") as file:
        return file.readline(200).decode(errors="replace").strip()
    return "(unreadable)"
