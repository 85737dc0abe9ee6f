"""How a run ended, as a reason and a sentence, read from the wait status and from what we did ourselves."""

from __future__ import annotations

import os
import signal
from dataclasses import dataclass
from pathlib import Path

from jobs.launcher.wire import CPU_GRACE_SECONDS, Limits, Reason, Request


def oom_kills() -> int:
    """How many processes the kernel's out-of-memory killer has ended since boot; 0 where it doesn't count."""
    try:
        text = Path("/proc/vmstat").read_bytes()
    except OSError:
        return 0
    _, found, rest = text.partition(b"\noom_kill ")
    return int(rest.split(b"\n", 1)[0]) if found else 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Ending:
    """What is known when a run is over. `status` is the program's wait status, None when it could not be reaped;
    `killed_by_us` says that it was still alive when the sweep began; `oom_kills` happened meanwhile."""

    status: int | None
    stopped_for: Reason | None
    killed_by_us: bool
    oom_kills: int
    survivors: int
    peak_kb: int
    cpu_seconds: float

    @property
    def exit_code(self) -> int | None:
        return os.WEXITSTATUS(self.status) if self.status is not None and os.WIFEXITED(self.status) else None

    @property
    def signal(self) -> int | None:
        return os.WTERMSIG(self.status) if self.status is not None and os.WIFSIGNALED(self.status) else None

    @property
    def _killed_by_another(self) -> bool:
        return self.signal == signal.SIGKILL and not self.killed_by_us

    def reason(self, limits: Limits) -> Reason:
        if self.stopped_for is not None:
            return self.stopped_for
        return Reason.CPU_EXCEEDED if self._cpu_exceeded(limits) else Reason.EXITED

    def _cpu_exceeded(self, limits: Limits) -> bool:
        """XCPU at the soft limit; at the hard one a KILL by the kernel that only the time used tells from another."""
        if limits.max_cpu_seconds is None:
            return False
        if self.signal == signal.SIGXCPU:
            return True
        return self._killed_by_another and self.cpu_seconds > limits.max_cpu_seconds + CPU_GRACE_SECONDS - 1

    def out_of_memory(self, limits: Limits) -> bool:
        return self._killed_by_another and self.reason(limits) is Reason.EXITED

    def sentence(self, request: Request) -> str:
        """What a person should know beyond reason, exit code and signal; empty when that says all."""
        sentences = [self._why(request), self._left()]
        return " ".join(filter(None, sentences))

    def _why(self, request: Request) -> str:
        match self.reason(request.limits):
            case Reason.TIMED_OUT:
                return f"still running after {request.timeout_seconds:g} s."
            case Reason.MEMORY_EXCEEDED:
                return f"held {self.peak_kb // 1024} MiB of memory; the limit is {request.limits.max_rss_mb}."
            case Reason.CPU_EXCEEDED:
                return f"used {self.cpu_seconds:.0f} s of CPU; the limit is {request.limits.max_cpu_seconds}."
            case Reason.LOST:
                return "the launcher died, and so everything that it had started was killed."
            case Reason.EXITED if self._killed_by_another:
                return f"killed from outside (KILL not sent by us); {self._oom_evidence()}"
            case _:
                return ""

    def _oom_evidence(self) -> str:
        if self.oom_kills:
            return f"the kernel's out-of-memory killer ended {self.oom_kills} process(es) on this machine meanwhile."
        return "the kernel's out-of-memory killer, or a person."

    def _left(self) -> str:
        return f"{self.survivors} process(es) could not be killed." if self.survivors else ""
