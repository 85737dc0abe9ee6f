"""Recipes: how fast events find theirs among a thousand, and what a step costs over a bare job."""

from __future__ import annotations

import json
import subprocess
import sys

from tests.benchmarks.house import ROOT, house
from tests.benchmarks.report import Report


def measure(report: Report) -> None:
    """Both rows, in a process that has Django on a server of its own."""
    with house() as home:
        done = subprocess.run(
            [sys.executable, "-m", "tests.benchmarks.recipes.program"],
            cwd=ROOT,
            env=home.environment,
            stdout=subprocess.PIPE,
            check=True,
        )
    figures = json.loads(done.stdout)
    started = figures["events_that_start_a_run"]
    report.measured("events matched with 1,000 active recipes", figures["events_matched"])
    report.note("events that each start a run, 1,000 active recipes", per_second=started)
    report.measured("a step over a bare job", figures["step_ms"], bare_job_ms=figures["bare_ms"])
