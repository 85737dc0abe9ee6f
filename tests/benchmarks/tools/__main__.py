"""`python -m tests.benchmarks.tools [PART …]`: some lines of the table, shown and not written."""

from __future__ import annotations

import argparse

from tests.benchmarks.report import Report
from tests.benchmarks.tools.table import PARTS, measured

if __name__ == "__main__":
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks.tools", description=__doc__)
    parser.add_argument("parts", nargs="*", choices=[*PARTS, []], help="none = all")
    measured(Report("tools"), parser.parse_args().parts or list(PARTS))
