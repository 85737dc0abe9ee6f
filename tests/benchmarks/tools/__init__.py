"""The tools: how fast they say what they are, what each costs in seconds and memory, and how good its work is."""

from __future__ import annotations

from tests.benchmarks.report import Report
from tests.benchmarks.tools import questions, table


def measure(report: Report) -> None:
    """The questions, then the table of docs/tools.md."""
    questions.measure(report)
    table.measure(report)
