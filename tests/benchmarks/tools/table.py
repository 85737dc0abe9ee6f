"""Each shipped tool once on real material, as a process: seconds, peak memory, and what its work is worth.

Writes docs/tools-measured.json, from which the page docs/tools.md is made.
"""

from __future__ import annotations

import json
import os
import platform
from collections.abc import Sequence

from synops.tools.page import MEASURED, page, shipped
from tests.benchmarks.house import ROOT, house
from tests.benchmarks.report import Report
from tests.benchmarks.tools.cases import cases
from tests.benchmarks.tools.newsroom import newsroom
from tests.benchmarks.tools.sound import sound
from tests.benchmarks.tools.texts import texts
from tests.benchmarks.tools.workplace import Row, Rows, Workplace

PARTS: dict[str, Rows] = {"sound": sound, "texts": texts, "newsroom": newsroom, "cases": cases}


def measure(report: Report) -> None:
    """All lines, shown as they come, and the page with them. Raises AssertionError when a tool has none."""
    load = os.getloadavg()[0]
    rows = measured(report, list(PARTS))
    missing = {tool.name for tool in shipped()} - {row.tool for row in rows}
    assert not missing, f"nothing measures {', '.join(sorted(missing))}"
    found = {"machine": machine(load), "rows": [row.to_json() for row in rows]}
    MEASURED.write_text(json.dumps(found, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    (ROOT / "docs" / "tools.md").write_text(page(), encoding="utf-8")


def measured(report: Report, parts: Sequence[str]) -> list[Row]:
    """The lines of some parts, in one database."""
    rows: list[Row] = []
    with house() as home:
        place = Workplace(home)
        for part in parts:
            for row in PARTS[part](place):
                rows.append(row)
                report.note(
                    f"{row.tool}: {row.what}", s=row.run.seconds, MB=row.run.megabytes, quality=row.quality or None
                )
    return rows


def machine(load: float) -> str:
    """What it was measured on, and how busy that was with other work before."""
    kind = f"{platform.system()} {platform.machine()}, Python {platform.python_version()}"
    return f"{os.cpu_count()} cores, {kind}, with a load average of {load:.1f} before the measurement"
