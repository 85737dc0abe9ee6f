"""What it costs to ask a program what it is: `--describe` and `--help`, of the one that takes the longest."""

from __future__ import annotations

import os
import statistics
import subprocess
import time

from synops.tools.page import shipped
from tests.benchmarks.report import Report
from tests.benchmarks.tools.workplace import BIN

ROUNDS = 5


def measure(report: Report) -> None:
    """A row for each question; the time is that of a process, from its start to its end."""
    names = [tool.name for tool in shipped()]
    for flag in ("--describe", "--help"):
        found = {name: statistics.median(asked(name, flag) for _ in range(ROUNDS)) for name in names}
        slowest = max(found, key=lambda name: found[name])
        report.measured(f"{flag} of the slowest program", found[slowest], program=slowest)
        report.note(f"{flag} of all {len(names)}", median=statistics.median(found.values()), unit="ms")


def asked(name: str, flag: str) -> float:
    """Milliseconds of one answer."""
    began = time.perf_counter()
    subprocess.run([str(BIN / name), flag], env=dict(os.environ), stdout=subprocess.DEVNULL, check=True)
    return (time.perf_counter() - began) * 1000
