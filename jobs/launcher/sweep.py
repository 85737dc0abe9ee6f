"""Killing and reaping: afterwards no child of this process, and so no descendant, is left.

The trick that makes it safe and simple: this process is a subreaper, so it kills only its own children. When they are
dead, their children have become ours, and so on until none is left. A child that we have not reaped keeps its pid, so
no kill here can hit a stranger. A dead child that we have not reaped also keeps its process group, so the whole group
can be killed at once: that ends a chain of processes that fork faster than anyone can look.
"""

from __future__ import annotations

import contextlib
import os
import signal
import time
from collections.abc import Set

from jobs.launcher.descendants import children

_PAUSE = 0.02


class Reaper:
    """Waits for children and adds up what they used. SIGCHLD must be blocked in this process, and not ignored."""

    def __init__(self) -> None:
        self.statuses: dict[int, int] = {}
        self.cpu_seconds = 0.0
        self.max_rss_kb = 0
        self.killed = 0
        self._struck: set[int] = set()
        self._struck_groups: set[int] = set()

    def reap(self, pid: int) -> None:
        """Wait for a child that is known to be dead."""
        _, status, usage = os.wait4(pid, 0)
        self.statuses[pid] = status
        self.cpu_seconds += usage.ru_utime + usage.ru_stime
        self.max_rss_kb = max(self.max_rss_kb, usage.ru_maxrss)

    def reap_strays(self, tool: int) -> None:
        """Reap orphans that ended while the tool runs; the tool's own death is left for `sweep` to see."""
        while (dead := _next_dead()) and dead != tool:
            self.reap(dead)

    def sweep(self, spare: Set[int] = frozenset(), patience: float = 10.0) -> int:
        """Kill and reap all children but `spare`, and theirs. Returns how many are left after `patience` seconds: only
        processes of another user, and those that the kernel holds in an uninterruptible wait."""
        deadline = time.monotonic() + patience
        while True:
            if not spare and self._bury_dead():
                return 0
            living = self._round(spare)
            if spare and not living:
                return 0
            if time.monotonic() > deadline:
                return max(1, len(living))
            signal.sigtimedwait({signal.SIGCHLD}, _PAUSE)

    def _bury_dead(self) -> bool:
        """Bury all that are dead already. True when no child at all is left: the kernel's own word, while /proc's list
        may miss one when others come and go."""
        while dead := _next_dead():
            self._bury(dead)
        return _childless()

    def _round(self, spare: Set[int]) -> list[int]:
        """Bury the dead with their groups, kill the living; returns those."""
        living = []
        for pid in children():
            if pid in spare:
                continue
            if _is_dead(pid):
                self._bury(pid)
            else:
                self._kill(pid)
                living.append(pid)
        return living

    def _bury(self, pid: int) -> None:
        group = os.getpgid(pid)
        ours = pid in self._struck or group in self._struck_groups
        self._kill_group(group)
        self.reap(pid)
        self.killed += ours and self.statuses[pid] == signal.SIGKILL

    def _kill(self, pid: int) -> None:
        self._struck.add(pid)
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.kill(pid, signal.SIGKILL)

    def _kill_group(self, group: int) -> None:
        if group == os.getpgrp():  # the dead child never came to its setsid: this is our own group
            return
        self._struck_groups.add(group)
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(group, signal.SIGKILL)


def _next_dead() -> int | None:
    try:
        dead = os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT)
    except ChildProcessError:
        return None
    return dead.si_pid if dead else None


def _is_dead(pid: int) -> bool:
    return os.waitid(os.P_PID, pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None


def _childless() -> bool:
    try:
        os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT)
    except ChildProcessError:
        return True
    return False
