"""The worker process's own memory: when it has nothing to do, and after a hundred thousand jobs."""

from __future__ import annotations

import re
import time
from pathlib import Path

from tests.benchmarks.report import Report
from tests.benchmarks.systems import System

JOBS = 100_000
SETTLING_SECONDS = 3.0
MOST_SECONDS = 90.0


def measure(us: System, report: Report) -> None:
    us.forget_stamps()
    with us.worker() as worker:
        us.call("bulk", 200)
        us.wait_for_stamps(200, 30)  # it has imported what it imports
        time.sleep(SETTLING_SECONDS)
        idle = resident_mb(worker.pid)
        report.measured("idle worker memory", idle)
        us.call("bulk", JOBS)
        ran = len(us.wait_for_stamps(200 + JOBS, MOST_SECONDS)) - 200
        time.sleep(SETTLING_SECONDS)
        report.measured("worker memory growth after 100,000 jobs", resident_mb(worker.pid) - idle, jobs=ran)


def resident_mb(pid: int) -> float:
    """RSS of one process; the launcher and the slots, which know no Django, are not counted."""
    found = re.search(r"VmRSS:\s+(\d+) kB", Path(f"/proc/{pid}/status").read_text())
    assert found
    return int(found[1]) / 1024
