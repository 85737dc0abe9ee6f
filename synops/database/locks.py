"""Advisory file locks that the kernel frees when their holder dies, however it dies."""

from __future__ import annotations

import contextlib
import fcntl
import os
from collections.abc import Iterator
from pathlib import Path


def open_lock(path: Path) -> int:
    """A descriptor of the lock file, made when missing. It is not inherited: a program that is started takes its own.

    A file made by root belongs to the directory's owner, so that the same user can enter without root next time.
    """
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
    if os.geteuid() == 0:
        owner = path.parent.stat()
        os.fchown(descriptor, owner.st_uid, owner.st_gid)
    return descriptor


@contextlib.contextmanager
def exclusive(path: Path) -> Iterator[None]:
    """Holds the lock alone for the block; waits as long as it takes."""
    descriptor = open_lock(path)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)


def shared(path: Path) -> int:
    """Holds the lock with others until the returned descriptor is closed or the process ends."""
    descriptor = open_lock(path)
    fcntl.flock(descriptor, fcntl.LOCK_SH)
    return descriptor


def is_held(path: Path) -> bool:
    """True while some process holds the lock alone."""
    return not can_take(path, fcntl.LOCK_SH)


def is_shared(path: Path) -> bool:
    """True while some process holds the lock with others. It looks twice: it may be taken alone in between."""
    return not can_take(path, fcntl.LOCK_EX) and can_take(path, fcntl.LOCK_SH)


def can_take(path: Path, kind: int) -> bool:
    """Whether a lock would be had at once. Makes no file: the directory may be on its way out."""
    try:
        descriptor = os.open(path, os.O_RDWR | os.O_NOFOLLOW | os.O_CLOEXEC)
    except FileNotFoundError:
        return True
    try:
        fcntl.flock(descriptor, kind | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    finally:
        os.close(descriptor)
    return True
