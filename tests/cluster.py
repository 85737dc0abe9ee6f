"""pytest plugin: gives the tests a PostgreSQL of their own, before Django's settings are read.

`SYNOPS_TEST_DATABASE_URL` names a running server to use instead; `SYNOPS_TEST_POSTGRES_BIN` a directory of programs to
start. The server and its files go with pytest, however that ends.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import tempfile
from pathlib import Path

import pytest

from synops.database import DatabaseUnavailable, temporary_cluster

#: Nothing here has to survive a power cut. synchronous_commit stays on: what the product says about commits is tested.
SETTINGS = ("fsync=off", "full_page_writes=off")
_running = contextlib.ExitStack()


def pytest_load_initial_conftests(early_config: pytest.Config) -> None:
    # Started in the background of a shell, pytest and all that it starts would be deaf to Ctrl-C.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    os.environ["SYNOPS_ENV_FILE"] = "none"  # a developer's own .env must not decide what the tests see
    os.environ.pop("DATABASE_DIRECT_URL", None)
    root = Path(tempfile.mkdtemp(prefix="synops-test-"))
    root.chmod(0o711)  # as root the server runs as another user, who must be able to pass
    (root / "var").mkdir()
    _running.callback(shutil.rmtree, root, ignore_errors=True)
    os.environ["SYNOPS_VAR"] = str(root / "var")  # goes with the server's files when pytest is killed
    os.environ["DATABASE_URL"] = os.environ.get("SYNOPS_TEST_DATABASE_URL") or start_server(root)


# Before pytest-django, which loads the settings in the same hook.
pytest_load_initial_conftests = pytest.hookimpl(tryfirst=True)(pytest_load_initial_conftests)


def start_server(root: Path) -> str:
    chosen = os.environ.get("SYNOPS_TEST_POSTGRES_BIN")
    try:
        return _running.enter_context(temporary_cluster(root, Path(chosen) if chosen else None, SETTINGS))
    except DatabaseUnavailable as error:
        raise pytest.UsageError(str(error)) from error


def pytest_unconfigure(config: pytest.Config) -> None:
    _running.close()
