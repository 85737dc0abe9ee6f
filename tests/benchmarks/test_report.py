"""A figure that was not measured is said to be so, and a target is met only on its good side."""

from __future__ import annotations

import json

import pytest

from tests.benchmarks.report import Report
from tests.benchmarks.targets import AREAS, TARGETS, at_most, times


def test_every_row_is_written_and_what_was_not_run_is_null(tmp_path):
    report = Report()
    report.measured("idle worker memory", 79.0)
    report.write(tmp_path / "bench.json")
    rows = {row["name"]: row for row in json.loads((tmp_path / "bench.json").read_text())["rows"]}
    assert rows.keys() == {target.name for target in TARGETS}
    assert rows.pop("idle worker memory")["met"] is True
    assert {(row["value"], row["met"]) for row in rows.values()} == {(None, None)}
    assert len(rows) == len(TARGETS) - 1, "no two targets share a name"


def test_one_area_writes_its_own_rows_only():
    assert {row["area"] for row in Report("queue").rows()} == {"queue"}
    assert "queue" in AREAS


@pytest.mark.parametrize(("value", "anchor", "met"), [(80, 100, True), (79, 100, False), (80, None, None)])
def test_a_relative_target_needs_its_anchor(value, anchor, met):
    assert times("queue", "x", "jobs/s", 0.8).met(value, anchor) is met


def test_at_most_is_met_below():
    target = at_most("queue", "x", "ms", 2)
    assert (target.met(2, None), target.met(2.1, None)) == (True, False)
