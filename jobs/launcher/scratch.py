"""A directory of its own for a run, gone with all its contents when the run is over."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator

from jobs.launcher.explain import StartFailed, explain
from jobs.launcher.wire import Request


@contextlib.contextmanager
def scratch(request: Request) -> Iterator[None]:
    """Make the directory that the request names (0700), if any, and remove it afterwards. Raises StartFailed."""
    path = request.scratch
    if path is None:
        yield
        return
    try:
        os.mkdir(path, 0o700)  # noqa: PTH102
    except OSError as error:
        raise StartFailed(explain(request, "scratch", error)) from error
    try:
        yield
    finally:
        remove_tree(path)


def remove_tree(path: str) -> None:
    """Remove a directory and what is in it, as far as that is possible. A symbolic link is removed, never followed:
    every name is looked up in an open directory. (shutil does the same, but importing it doubles a slot.)"""
    with contextlib.suppress(OSError):
        os.rmdir(path)  # noqa: PTH106 most programs leave it empty
        return
    for _, directories, files, here in os.fwalk(path, topdown=False, onerror=None):
        for name in files:
            with contextlib.suppress(OSError):
                os.unlink(name, dir_fd=here)
        for name in directories:
            _remove_directory(name, here)
    with contextlib.suppress(OSError):
        os.rmdir(path)  # noqa: PTH106


def _remove_directory(name: str, parent: int) -> None:
    """`fwalk` calls a link to a directory a directory too."""
    with contextlib.suppress(OSError):
        try:
            os.rmdir(name, dir_fd=parent)
        except NotADirectoryError:
            os.unlink(name, dir_fd=parent)
