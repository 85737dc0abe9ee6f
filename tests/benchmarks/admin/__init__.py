"""The admin: its list with 10,000 and with 5,000,000 jobs, and how fast a changed row reaches a thousand open pages.

`SYNOPS_BENCH_ROWS` and `SYNOPS_BENCH_SOCKETS` make a trial run smaller; such figures are no measurement.
"""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Any

from tests.benchmarks.house import ROOT, House, house
from tests.benchmarks.report import Report


def measure(report: Report) -> None:
    """All rows but the editor's, each part in a process of its own on one server."""
    with house() as home:
        listed = program(home, "lists")
        sockets = program(home, "sockets")
    for name in ("page 1", "keyset page 1000", "status summary"):
        report.measured(f"admin SQL at 5M rows, {name}", listed[name])
    report.measured("job list server time at 5M rows", listed["list_ms"], rows=listed["rows"])
    report.measured("job list server time, 5M rows over 10k rows", listed["list_ms"] / listed["list_10k_ms"])
    report.note("front page", ms_at_10k=listed["front_10k_ms"], ms_at_5M=listed["front_ms"])
    for percentile in ("p50", "p99"):
        report.measured(f"status change to changed cell, 1,000 sockets, {percentile}", sockets[percentile])
    report.measured("memory per socket", sockets["kb_per_socket"], sockets=sockets["sockets"])
    report.note("status change, 1 and 100 sockets, p50", one=sockets["one"], hundred=sockets["hundred"])


def program(home: House, name: str) -> dict[str, Any]:
    """What one of the measuring programs prints."""
    done = subprocess.run(
        [sys.executable, "-m", f"tests.benchmarks.admin.{name}"],
        cwd=ROOT,
        env=home.environment,
        stdout=subprocess.PIPE,
        check=True,
    )
    answer: dict[str, Any] = json.loads(done.stdout)
    return answer
