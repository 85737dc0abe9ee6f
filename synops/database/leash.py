"""Runs a program that dies with its parent, optionally as another user: `leash.py SIGNAL UID GID PARENT PROGRAM ARG…`.

A program of its own, so that no process with threads needs `preexec_fn`. It execs, so the pid stays the program's.
"""

from __future__ import annotations

import ctypes
import os
import signal
import sys
from collections.abc import Sequence

PR_SET_PDEATHSIG = 1
KEEP = -1


def leashed(command: Sequence[str], death: signal.Signals, uid: int = KEEP, gid: int = KEEP) -> list[str]:
    """The argv that runs `command` so that it gets `death` when the calling thread's process ends, however it ends."""
    return [
        sys.executable, "-I", "-S", __file__, str(int(death)), str(uid), str(gid), str(os.getpid()), *command,
    ]  # fmt: skip


def die_with_parent(death: signal.Signals | int) -> None:
    """Asks the kernel to send this process `death` when its parent ends. Lasts over exec, not over a change of user."""
    ctypes.CDLL(None, use_errno=True).prctl(PR_SET_PDEATHSIG, int(death))


def main(argv: Sequence[str]) -> None:
    death, uid, gid, parent = map(int, argv[:4])
    if uid != KEEP:
        os.setgroups([])
        os.setgid(gid)
        os.setuid(uid)
    # After the change of user: the kernel forgets the death signal when credentials change.
    die_with_parent(death)
    if os.getppid() != parent:  # the parent died before the line above; nobody would tell us
        sys.exit(f"leash: parent {parent} is gone")
    os.execv(argv[4], list(argv[4:]))  # noqa: S606


if __name__ == "__main__":
    main(sys.argv[1:])
