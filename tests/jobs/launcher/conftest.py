"""A launcher for each test, and the check that nothing of it is left afterwards."""

from __future__ import annotations

import os
import uuid
from collections.abc import Callable, Coroutine, Iterator
from typing import Any

import pytest

from jobs.launcher.client import LauncherClient
from jobs.launcher.descendants import descendants
from jobs.launcher.wire import Report, Request

RunIn = Callable[..., Coroutine[Any, Any, Report]]


@pytest.fixture
def client() -> Iterator[LauncherClient]:
    """A launcher with two slots; nothing under this process may be left when it is closed."""
    before = {process.pid for process in descendants(os.getpid())}
    client = LauncherClient.start(2)
    yield client
    client.close()
    left = [process for process in descendants(os.getpid()) if process.pid not in before]
    assert left == []


@pytest.fixture
def marker() -> str:
    """An environment entry that finds what a test started, whatever became of its ancestry."""
    return f"SYNOPS_TEST_MARKER={uuid.uuid4()}"


@pytest.fixture
def run(client: LauncherClient, marker: str) -> RunIn:
    """`await run("sh", "-c", …, timeout_seconds=…)` in slot 0, with PATH and the marker as its environment."""

    async def run(*argv: str, slot: int = 0, on_output: Any = None, **fields: Any) -> Report:
        fields = {"timeout_seconds": 60} | fields
        request = Request(argv=argv, env=environment(marker) | fields.pop("env", {}), **fields)
        return await client.run(slot, request, on_output)

    return run


def environment(marker: str) -> dict[str, str]:
    name, _, value = marker.partition("=")
    return {"PATH": os.environ["PATH"], name: value}
