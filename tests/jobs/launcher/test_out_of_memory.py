"""A program that the kernel kills for want of memory, in a control group of its own: told from one that we kill."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path
from uuid import uuid4

import pytest

from jobs.launcher.wire import Limits, Reason
from tests.jobs.launcher.conftest import RunIn

pytestmark = pytest.mark.asyncio

GROUPS = Path("/sys/fs/cgroup")
MIB = 1 << 20

# It waits at first: only of a run that has lasted for a moment does the slot ask the kernel how many it killed meanwhile.
EATER = """
import sys, time
open(sys.argv[1], "w").write("0")  # this process joins the group
time.sleep(1)
held = []
while True:
    held.append(bytearray(b"x") * (1 << 20))
"""


@pytest.fixture
def small_group() -> Iterator[Path | None]:
    """A control group whose processes may hold 64 MiB together; None where this process may not make one."""
    group = _parent() / f"synops-test-{uuid4().hex}"
    try:
        group.mkdir()
    except OSError:
        yield None
        return
    try:
        yield group if _limit(group) else None
    finally:
        group.rmdir()


def _parent() -> Path:
    """This process's own group, of version 1 or 2."""
    own = [line.split(":", 2) for line in Path("/proc/self/cgroup").read_text().splitlines()]
    paths = {controllers: path.lstrip("/") for _, controllers, path in own}
    return GROUPS / "memory" / paths["memory"] if "memory" in paths else GROUPS / paths.get("", "")


def _limit(group: Path) -> bool:
    """False when the group above hands no memory controller down."""
    limits = {"memory.limit_in_bytes": 64 * MIB, "memory.swappiness": 0, "memory.max": 64 * MIB, "memory.swap.max": 0}
    known = {group / name: value for name, value in limits.items() if (group / name).exists()}
    for file, value in known.items():
        file.write_text(str(value))
    return bool(known)


async def test_what_the_kernel_kills_is_out_of_memory_and_what_we_kill_is_not(run: RunIn, small_group: Path | None):
    """Where no group can be made, somebody else's KILL stands for the kernel's."""
    eater = [sys.executable, "-c", EATER]
    killed = [*eater, str(small_group / "cgroup.procs")] if small_group else ["sh", "-c", "kill -KILL $$"]
    theirs = await run(*killed)
    assert (theirs.reason, theirs.out_of_memory, theirs.killed) == (Reason.EXITED, True, 0)
    assert not small_group or "out-of-memory killer ended" in theirs.error
    ours = await run(*eater, os.devnull, limits=Limits(max_rss_mb=64))
    assert (ours.reason, ours.out_of_memory, ours.killed) == (Reason.MEMORY_EXCEEDED, False, 1)
