"""The few words of prctl(2) that Python does not speak."""

from __future__ import annotations

import ctypes
import os
import signal

_SET_PDEATHSIG = 1
_SET_NAME = 15
_SET_CHILD_SUBREAPER = 36

_libc = ctypes.CDLL(None, use_errno=True)


def become_subreaper() -> None:
    """Orphans among this process's descendants become its children, however they daemonised. Survives exec."""
    _prctl(_SET_CHILD_SUBREAPER, 1)


def signal_at_parents_death(signum: signal.Signals) -> None:
    """Get `signum` when the parent dies. Cleared by fork, kept by exec; the parent must be single-threaded, because
    the kernel means the thread that forked."""
    _prctl(_SET_PDEATHSIG, signum)


def name_process(name: str) -> None:
    """Set the name that `ps` and `top` show (15 bytes)."""
    _prctl(_SET_NAME, name.encode()[:15])


def _prctl(option: int, argument: int | bytes) -> None:
    if _libc.prctl(option, argument, 0, 0, 0) != 0:
        number = ctypes.get_errno()
        raise OSError(number, f"prctl({option}) failed: {os.strerror(number)}")


def close_descriptors(keep: set[int]) -> None:
    """Close every descriptor above 2 but those in `keep`."""
    low = 3
    for fd in sorted(keep):
        os.closerange(low, fd)
        low = fd + 1
    os.closerange(low, os.sysconf("SC_OPEN_MAX"))
