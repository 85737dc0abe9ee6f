"""The tools: what each costs in seconds and memory, and how good its work is; written into docs/tools.md."""

from __future__ import annotations

from tests.benchmarks.report import Report
from tests.benchmarks.tools import table


def measure(report: Report) -> None:
    """The table of docs/tools.md."""
    table.measure(report)
