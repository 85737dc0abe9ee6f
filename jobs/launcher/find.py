"""Which file a command name means."""

from __future__ import annotations

import errno
import os
from collections.abc import Mapping, Sequence


def find(argv: Sequence[str], env: Mapping[str, str]) -> str:
    """argv[0] itself when it has a "/", else the first executable of that name in the PATH of `env` (the program's
    own, not ours). Raises FileNotFoundError, or ValueError for an empty argv."""
    if not argv:
        raise ValueError("argv is empty")
    name = argv[0]
    if "/" in name:
        return name
    for directory in env.get("PATH", "").split(os.pathsep):
        path = os.path.join(directory, name)  # noqa: PTH118 pathlib is too much for every start
        if directory and os.path.isfile(path) and os.access(path, os.X_OK):  # noqa: PTH113
            return path
    raise FileNotFoundError(errno.ENOENT, "not found in PATH", name)
