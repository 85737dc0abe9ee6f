"""The admin: its list with 10,000 and with 5,000,000 jobs, how fast a changed row reaches a thousand open pages, and how fast
a mistake is marked in the recipe editor.

`SYNOPS_BENCH_ROWS`, `SYNOPS_BENCH_SOCKETS` and `SYNOPS_BENCH_KEYSTROKES` make a trial run smaller; such figures are no
measurement.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from typing import Any

from tests.benchmarks.house import ROOT, House, house
from tests.benchmarks.report import Report

ROWS = int(os.environ.get("SYNOPS_BENCH_ROWS", "5000000"))
SOCKETS = int(os.environ.get("SYNOPS_BENCH_SOCKETS", "1000"))
KEYSTROKES = int(os.environ.get("SYNOPS_BENCH_KEYSTROKES", "60"))


def measure(report: Report) -> None:
    """Each part in a process of its own on one server."""
    with house() as home:
        editor = program(home, "keystrokes", KEYSTROKES)
        sockets = program(home, "sockets", SOCKETS)
        listed = program(home, "lists", ROWS)
    report_lists(report, listed)
    report_sockets(report, sockets)
    report.measured("keystroke to marker in the browser, p95", editor["p95"], keystrokes=editor["keystrokes"])
    report.note("keystroke to marker in the browser, p50, ms", p50=editor["p50"])


def report_lists(report: Report, listed: dict[str, Any]) -> None:
    few, many = listed["few"], listed["many"]
    for name, milliseconds in listed["sql"].items():
        report.measured(f"admin SQL at 5M rows, {name}", milliseconds, rows=listed["rows"])
    report.measured("job list server time at 5M rows", many["list"], rows=listed["rows"])
    report.measured("job list server time, 5M rows over 10k rows", many["list"] / few["list"])
    report.note("front page, ms", at_10k=few["front"], at_5M=many["front"])
    report.note(
        "job list at 5M rows, ms: a member of its collection, one of an empty collection, a worker, one long gone, a rare type",
        member=many["member"], guest=many["guest"], worker=many["worker"], gone=many["gone"], rare=many["rare"],
    )  # fmt: skip


def report_sockets(report: Report, sockets: dict[str, Any]) -> None:
    for percentile in ("p50", "p99"):
        report.measured(
            f"status change to changed cell, 1,000 sockets, {percentile}",
            sockets[percentile],
            sockets=sockets["sockets"],
        )
    report.measured("memory per socket", sockets["kb_per_socket"], sockets=sockets["sockets"])
    report.note("status change, 1 and 100 sockets, p50", one=sockets["one"], hundred=sockets["hundred"])


def program(home: House, name: str, size: int) -> dict[str, Any]:
    """What one of the measuring programs prints."""
    done = subprocess.run(
        [sys.executable, "-m", f"tests.benchmarks.admin.{name}", str(size)],
        cwd=ROOT,
        env=home.environment,
        stdout=subprocess.PIPE,
        check=True,
    )
    answer: dict[str, Any] = json.loads(done.stdout)
    return answer
