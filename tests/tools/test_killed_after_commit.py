"""Each tool that writes, killed between its commit and the job's finish, and run again: nothing is there twice."""

from __future__ import annotations

import json
import signal
from collections import Counter
from typing import Any

from django.db import connection

from synops.demo.data import DemoNodes
from tests.tools.conftest import Workshop, rows
from tests.tools.forked import End
from tests.tools.newsroom import DESCRIPTIONS, Errand, Newsroom, open_newsroom

#: What says when, and not what; the numbers that a table gives its own rows are left out too.
WHEN = ("updated_at", "created_at", "evaluated_at", "extracted_at", "stored_at", "read_at", "synced_at")
#: The queue's own, and Django's.
NOT_OURS = ("job_", "workers", "django_", "auth_")


def everything() -> dict[str, list[str]]:
    """All rows that tools can write, and all files that they have published, without times."""
    return {name: rows_of(name) for name in connection.introspection.table_names() if not name.startswith(NOT_OURS)}


def rows_of(table: str) -> list[str]:
    """The rows as text, sorted."""
    found = [json.loads(text) for (text,) in rows(f"SELECT to_jsonb(t)::text FROM {table} t")]
    return sorted(json.dumps({key: value for key, value in row.items() if counts(key, value)}) for row in found)


def counts(key: str, value: Any) -> bool:
    return key not in WHEN and not (key.endswith("id") and isinstance(value, int))


def published(newsroom: Newsroom) -> dict[str, bytes]:
    public = newsroom.workshop.root / "var" / "public"
    return {str(path.relative_to(public)): path.read_bytes() for path in public.rglob("*") if path.is_file()}


def test_the_second_run_finds_what_the_first_has_committed(database_workshop: Workshop, demo: DemoNodes) -> None:
    with open_newsroom(database_workshop, demo) as newsroom:
        errands = newsroom.errands()
        assert set(errands) == {name for name, tool in DESCRIPTIONS.items() if tool.database == "write"}
        for errand in errands.values():
            _killed_and_run_again(newsroom, errand)


def _killed_and_run_again(newsroom: Newsroom, errand: Errand) -> None:
    before, job = everything(), newsroom.job(errand)
    killed = newsroom.start(errand, job, "--write", end=End(commits=1)).outcome()
    assert (killed.code, killed.stdout) == (-signal.SIGKILL, ""), f"{errand.program}: {killed.stderr}"
    committed = everything()
    assert committed != before, f"{errand.program} has committed nothing"
    again = newsroom.start(errand, job, "--write").outcome()
    assert again.code == 0, f"{errand.program}: {again.stderr}"
    assert json.loads(again.stdout)
    after, files = everything(), published(newsroom)
    assert differences(committed, after) == {}, errand.program
    third = newsroom.start(errand, job, "--write").outcome()
    assert (third.code, differences(after, everything())) == (0, {}), f"{errand.program}: {third.stderr}"
    assert published(newsroom) == files, errand.program


def differences(one: dict[str, list[str]], other: dict[str, list[str]]) -> dict[str, tuple[list[str], list[str]]]:
    """By table what is gone and what is new."""
    found = {}
    for name, texts in one.items():
        before, after = Counter(texts), Counter(other[name])
        if before != after:
            found[name] = (list((before - after).elements()), list((after - before).elements()))
    return found
