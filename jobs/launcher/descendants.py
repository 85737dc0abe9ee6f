"""The process tree as /proc tells it, and signals that can't hit a stranger."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

PAGE = os.sysconf("SC_PAGE_SIZE")


@dataclass(frozen=True, slots=True)
class Process:
    """One line of /proc/PID/stat. `started` (ticks after boot) with `pid` names a process for good."""

    pid: int
    parent: int
    state: str
    started: int
    resident_kb: int


def read(pid: int) -> Process | None:
    """The process, or None when there is none (any more)."""
    try:
        text = Path(f"/proc/{pid}/stat").read_bytes()
    except (FileNotFoundError, ProcessLookupError):
        return None
    # The name may hold spaces and ")": the fields start after the last one. Field 3 of proc(5) is fields[0].
    fields = text[text.rindex(b")") + 2 :].split()
    return Process(
        pid=pid,
        state=fields[0].decode(),
        parent=int(fields[1]),
        started=int(fields[19]),
        resident_kb=int(fields[21]) * PAGE // 1024,
    )


def everyone() -> list[Process]:
    """All processes that are visible now; not a snapshot, they come and go while it is made."""
    found = (read(int(name)) for name in os.listdir("/proc") if name.isdigit())  # noqa: PTH208 no Path per process
    return [process for process in found if process is not None]


def descendants(root: int) -> list[Process]:
    """Children, grandchildren and so on of `root`, zombies included, parents before children."""
    families: dict[int, list[Process]] = {}
    for process in everyone():
        families.setdefault(process.parent, []).append(process)
    found = list(families.get(root, ()))
    for process in found:  # grows while it is walked
        found += families.get(process.pid, ())
    return found


def children() -> list[int]:
    """The direct children of this (single-threaded) process, zombies included."""
    own = os.getpid()
    try:
        return [int(pid) for pid in Path(f"/proc/{own}/task/{own}/children").read_bytes().split()]
    except FileNotFoundError:  # a kernel without CONFIG_PROC_CHILDREN
        return [process.pid for process in everyone() if process.parent == own]


def send(process: Process, signum: signal.Signals) -> bool:
    """Signal exactly this process; False when it is gone. A later process with the same pid is never hit."""
    try:
        handle = os.pidfd_open(process.pid)
    except ProcessLookupError:
        return False
    try:
        # The handle pins whoever has the pid now; the start time says whether that is still the one that was meant.
        now = read(process.pid)
        if now is None or now.started != process.started:
            return False
        signal.pidfd_send_signal(handle, signum)
        return True
    except (ProcessLookupError, PermissionError):
        return False
    finally:
        os.close(handle)


def resident_kb(processes: Iterable[Process]) -> int:
    """Resident memory of the processes together, in KiB; pages that they share are counted once for each."""
    return sum(process.resident_kb for process in processes)


def proportional_kb(processes: Iterable[Process]) -> int:
    """The same with shared pages divided among those who share them: exact, but it walks page tables."""
    return sum(_proportional_kb(process) for process in processes)


def _proportional_kb(process: Process) -> int:
    try:
        for line in Path(f"/proc/{process.pid}/smaps_rollup").read_bytes().splitlines():
            if line.startswith(b"Pss:"):
                return int(line.split()[1])
    except OSError:  # gone, or not ours to look into: then the larger figure stands
        return process.resident_kb
    return 0


def marked(marker: str) -> list[Process]:
    """All processes but this one that were started with `marker` ("NAME=value") in their environment."""
    return [process for process in everyone() if process.pid != os.getpid() and _has(process.pid, marker.encode())]


def kill_marked(marker: str, seconds: float = 5.0) -> None:
    """Kill every process that was started with `marker` in its environment, and what these start meanwhile."""
    deadline = time.monotonic() + seconds
    while (found := marked(marker)) and time.monotonic() < deadline:
        for process in found:
            send(process, signal.SIGKILL)


def _has(pid: int, marker: bytes) -> bool:
    try:
        return marker in Path(f"/proc/{pid}/environ").read_bytes().split(b"\0")
    except OSError:
        return False
