"""After a thousand runs everything is as it was: descriptors, threads, zombies, files, memory."""

from __future__ import annotations

import asyncio
import gc
import itertools
import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from jobs.launcher.client import LauncherClient
from jobs.launcher.descendants import descendants, read
from jobs.launcher.wire import Limits, Reason, Request

pytestmark = pytest.mark.asyncio


@dataclass(frozen=True)
class Holdings:
    """What worker, launcher and slots hold."""

    descriptors: list[int]
    threads: list[int]
    zombies: int
    files: int
    tasks: int

    @classmethod
    def now(cls, client: LauncherClient, place: Path) -> Holdings:
        gc.collect()
        under = descendants(client.pid)
        pids = [os.getpid(), client.pid, *sorted(process.pid for process in under)]
        return cls(
            descriptors=[len(list(Path(f"/proc/{pid}/fd").iterdir())) for pid in pids],
            threads=[len(list(Path(f"/proc/{pid}/task").iterdir())) for pid in pids],
            zombies=sum(process.state == "Z" for process in under),
            files=len(list(place.iterdir())),
            tasks=len(asyncio.all_tasks()),
        )


def mixture(scratch: Path) -> Iterator[Request]:
    """All ways a run can go that are quick."""
    env = {"PATH": os.environ["PATH"], "TMPDIR": str(scratch)}
    forked = Limits(max_open_files=50)
    leave_behind = "(setsid sleep 600 >/dev/null 2>&1 &); touch $TMPDIR/x; kill -9 $$"
    while True:
        yield Request(argv=["true"], env=env)
        yield Request(argv=["sh", "-c", "echo out; echo err >&2; exit 3"], env=env, limits=forked)
        yield Request(argv=["/no/such/program"], env=env)
        yield Request(argv=["true"], env=env, cwd="/no/such/directory", limits=forked)
        yield Request(argv=["sh", "-c", leave_behind], env=env, scratch=str(scratch))
        yield Request(argv=["cat"], env=env, stdin=b"hello")
        yield Request(argv=["sleep", "600"], env=env, timeout_seconds=0.02)


async def test_a_thousand_runs_leave_nothing_behind(monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    monkeypatch.setenv("TMPDIR", str(tmp_path))  # where anything that makes temporary files would put them
    client = LauncherClient.start(2)
    try:
        await many(client, 20, tmp_path)
        before, size = Holdings.now(client, tmp_path), resident(client)
        await many(client, 500, tmp_path)
        assert Holdings.now(client, tmp_path) == before
        assert (before.zombies, before.files) == (0, 0)
        assert resident(client) - size < 3 * 1024
    finally:
        client.close()


async def many(client: LauncherClient, count: int, place: Path) -> None:
    """`count` runs in each of the two slots at once."""

    async def one_slot(slot: int) -> None:
        for request in itertools.islice(mixture(place / f"scratch-{slot}"), count):
            assert (await client.run(slot, request)).reason is not Reason.LOST

    await asyncio.gather(one_slot(0), one_slot(1))


def resident(client: LauncherClient) -> int:
    """KiB of launcher and slots together."""
    family = [read(client.pid), *descendants(client.pid)]
    return sum(process.resident_kb for process in family if process)
