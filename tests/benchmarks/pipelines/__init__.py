"""Pipelines: steps a second through three steps with a fan-out of 20, the fan-in of 10,000 documents, pages over 5 M steps."""

from __future__ import annotations

import json
import subprocess
import sys

from tests.benchmarks.house import ROOT, house
from tests.benchmarks.report import Report


def measure(report: Report) -> None:
    """All rows, in a process that has Django on a server of its own."""
    with house() as home:
        done = subprocess.run(
            [sys.executable, "-m", "tests.benchmarks.pipelines.program"],
            cwd=ROOT,
            env=home.environment,
            stdout=subprocess.PIPE,
            check=True,
        )
    figures = json.loads(done.stdout)
    report.measured("pipeline steps/s, inline", figures["steps"])
    report.note("pipeline steps, inline", one_worker=figures["steps"], two_workers=figures["steps_two_workers"])
    report.measured("fan-in at 10,000 documents", figures["fan_in_ms"])
    report.measured("pipelines page queries at 5M step rows, the slowest page", figures["page_ms"], **figures["pages"])
