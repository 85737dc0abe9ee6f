"""Only jobs/queue changes a row of job_queue; beside it, retention deletes finished ones."""

from __future__ import annotations

import re
from pathlib import Path

from django.conf import settings

ROOT = Path(settings.BASE_DIR)
APPS = ("jobs", "orchestration", "resources", "synops")
WRITE = re.compile(r"\b(INSERT\s+INTO|UPDATE|DELETE\s+FROM|MERGE\s+INTO)\s+job_queue\b", re.IGNORECASE)
ORM_WRITE = re.compile(
    r"\bJob\.objects\b[^\n]*\.(update|delete|create|bulk_create|bulk_update|get_or_create|update_or_create)\("
)
LOAD = re.compile(r"""load\(\s*"jobs\.sql",\s*("(?P<name>\w+)"|(?P<variable>\w+))""")
QUEUE = ROOT / "jobs" / "queue"


def sources(suffix: str) -> dict[Path, str]:
    """The product's files of a kind, without the migrations and without the queue itself."""
    found = (path for app in APPS for path in (ROOT / app).rglob(f"*{suffix}"))
    return {
        path: path.read_text(encoding="utf-8")
        for path in found
        if "migrations" not in path.parts and QUEUE not in path.parents
    }


def test_statements_that_write_the_table_lie_together_and_only_the_queue_runs_them():
    writing = {path for path, text in sources(".sql").items() if WRITE.search(text)}
    assert {path.parent for path in writing} == {ROOT / "jobs" / "sql"}
    names = {path.stem for path in writing}
    assert {"claim", "finish", "rescue", "cancel", "expire_jobs"} <= names
    by_variable = set()
    for path, text in sources(".py").items():
        for call in LOAD.finditer(text):
            assert call["name"] not in names, path
            if call["variable"]:
                by_variable.add(path.relative_to(ROOT).as_posix())
    assert by_variable == {"jobs/retention.py"}


def test_no_other_module_writes_the_table_by_itself():
    for path, text in sources(".py").items():
        assert not WRITE.search(text), path
        assert not ORM_WRITE.search(text), path
