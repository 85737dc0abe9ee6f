"""The loader of statements: comments go, everything else stays."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from synops.store.sql import load

ROOT = Path(__file__).resolve().parents[2]
STATEMENTS = sorted(
    path for app in ("jobs", "orchestration", "resources", "synops") for path in (ROOT / app).rglob("sql/*.sql")
)


@pytest.mark.parametrize("path", STATEMENTS, ids=lambda path: path.stem)
def test_no_literal_looks_like_a_comment(path):
    """The loader takes `-- …` out line by line, and knows nothing of literals."""
    for line in path.read_text(encoding="utf-8").splitlines():
        code = re.sub(r"(^|\s)--( .*)?$", "", line)
        assert code.count("'") % 2 == 0, line


def test_a_statement_is_loaded_without_its_comments():
    statement = load("jobs.sql", "finish")
    assert "--" not in statement
    assert statement.startswith("WITH ended AS")
    assert "'30 seconds'" in statement
