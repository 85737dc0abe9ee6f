"""`python -m tests.benchmarks [AREA]`: measures an area, or all of them, and writes bench.json."""

from __future__ import annotations

import argparse
import importlib.util
import os
import sys
from pathlib import Path

from tests.benchmarks.report import Report
from tests.benchmarks.targets import AREAS


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks", description=__doc__)
    parser.add_argument("area", nargs="?", choices=[*AREAS, ""], help="one area; none = all")
    parser.add_argument("--output", type=Path, default=Path("bench.json"))
    arguments = parser.parse_args()
    report = Report(arguments.area or None)
    print(f"load average at the start: {', '.join(f'{load:.1f}' for load in os.getloadavg())}", flush=True)
    try:
        for area in [arguments.area] if arguments.area else AREAS:
            measure(area, report)
    finally:
        report.write(arguments.output)
    print(f"\n{report.summary()}\n→ {arguments.output}")
    return 0


def measure(area: str, report: Report) -> None:
    """Run `measure(report)` of the area's package; an area that has none yet keeps its rows as not run."""
    name = f"tests.benchmarks.{area}"
    if importlib.util.find_spec(name) is None:
        print(f"{area}: nothing measures it yet")
        return
    importlib.import_module(name).measure(report)


if __name__ == "__main__":
    sys.exit(main())
