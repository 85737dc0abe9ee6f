"""The figures of a run: shown as they come, and written to bench.json with every target, run or not."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tests.benchmarks.targets import TARGETS, Target


class Report:
    """Collects what is measured. `note` is for figures without a target that explain those with one."""

    def __init__(self, area: str | None = None) -> None:
        self._area = area
        self._rows: dict[str, dict[str, Any]] = {}
        self.notes: list[dict[str, Any]] = []

    def measured(self, name: str, value: float, anchor: float | None = None, **details: Any) -> None:
        """The value of a target's row, and of the system that it is measured against."""
        target = next(target for target in TARGETS if target.name == name)
        self._rows[name] = row(target, value, anchor) | details
        print(shown(self._rows[name]), flush=True)

    def note(self, name: str, **figures: float | str | None) -> None:
        """Figures that stand beside."""
        self.notes.append({"name": name, **figures})
        print(f"    {name}: " + ", ".join(f"{key} {figure(value)}" for key, value in figures.items()), flush=True)

    def rows(self) -> list[dict[str, Any]]:
        """Every target of the area, measured or not."""
        wanted = (target for target in TARGETS if self._area in (None, target.area))
        return [self._rows.get(target.name) or row(target, None, None) for target in wanted]

    def write(self, path: Path) -> None:
        """The rows, then the notes, as JSON."""
        document = {"load_average": os.getloadavg(), "rows": self.rows(), "notes": self.notes}
        path.write_text(json.dumps(document, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")

    def summary(self) -> str:
        """One line a row, and what was missed."""
        rows = self.rows()
        missed = sum(row["met"] is False for row in rows)
        unknown = sum(row["met"] is None for row in rows)
        lines = [shown(row) for row in rows]
        return "\n".join([*lines, f"{len(rows)} rows: {missed} missed, {unknown} not run or without an anchor"])


def row(target: Target, value: float | None, anchor: float | None) -> dict[str, Any]:
    """One row of bench.json."""
    return {
        "name": target.name,
        "area": target.area,
        "value": value,
        "unit": target.unit,
        "anchor": anchor,
        "target": target.text(),
        "ratio": value / anchor if value is not None and anchor else None,
        "met": None if value is None else target.met(value, anchor),
    }


def shown(row: Mapping[str, Any]) -> str:
    """A row for a person."""
    mark = {True: "met   ", False: "MISSED", None: "–     "}[row["met"]]
    beside = f" · anchor {figure(row['anchor'])} · ratio {figure(row['ratio'])}" if row["anchor"] else ""
    return f"{mark} {row['name']}: {figure(row['value'])} {row['unit']} ({row['target']}){beside}"


def figure(value: object) -> str:
    """A number with three digits that matter."""
    if not isinstance(value, int | float) or isinstance(value, bool):
        return "–" if value is None else str(value)
    return f"{value:,.0f}" if abs(value) >= 100 else f"{value:.3g}"
