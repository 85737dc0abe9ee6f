"""docs/tool-contract.md promises that its examples work: they are taken from the page and run."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from django.db import connection

from synops.demo.data import DemoNodes
from synops.tools.arguments import argv
from synops.tools.describe import Description, Param
from synops.tools.failures import (
    BadInput,
    BadUsage,
    NoInput,
    NotConfigured,
    ToolFailure,
    TryAgain,
    Unavailable,
)
from tests.tools.conftest import Outcome, Workshop, running_job

PAGE = (Path(__file__).parents[2] / "docs" / "tool-contract.md").read_text()


def example(language: str) -> str:
    found = re.search(rf"^```{language}\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)
    assert found
    return found[1]


@pytest.fixture
def wordcount(workshop: Workshop) -> Workshop:
    script = workshop.root / "synops-wordcount"
    script.write_text(example("sh"))
    script.chmod(0o755)
    return workshop


def run(workshop: Workshop, *flags: str) -> Outcome:
    return workshop.execute(str(workshop.root / "synops-wordcount"), *flags, STORE_DIR=str(workshop.store.root))


def test_the_shell_example_is_a_tool(wordcount: Workshop) -> None:
    description = Description.from_json(run(wordcount, "--describe").result)
    assert (description.name, description.job_types) == ("synops-wordcount", ("wordcount",))
    digest = wordcount.store.put_bytes(b"tre sm\xc3\xa5 ord\n").digest
    done = run(wordcount, *argv(description, {"cas_hash": digest}))
    assert done.result == {"words": 3}
    assert done.told == [{"progress": 0.5, "message": "counting"}]
    assert run(wordcount, *argv(description, {"cas_hash": "0" * 64})).code == 66
    assert run(wordcount, "--other=1").code == 64


def test_every_key_of_a_description_is_on_the_page() -> None:
    document = Description("synops-a", "1", {}, params=(Param("a", "string"),)).to_json()
    rare = {"enum_open", "by_hand", "minimum", "maximum"}
    for key in {*document, *document["params"][0], *rare}:
        assert f"`{key}`" in PAGE, key


def test_every_exit_code_is_on_the_page() -> None:
    kinds: tuple[type[ToolFailure], ...] = (BadUsage, BadInput, NoInput, Unavailable, TryAgain, NotConfigured)
    for kind in kinds:
        assert f"| {kind.exit_code} |" in PAGE


def test_the_fence_on_the_page_finds_its_own_job_only(demo: DemoNodes) -> None:
    job = running_job(demo.collection, "wordcount", lease=4)
    statement = re.sub(r":(SYNOPS_\w+)", r"%(\1)s", example("sql"))
    with connection.cursor() as cur:
        for changed, found in (
            ({}, True),
            ({"SYNOPS_LEASE": "3"}, False),
            ({"SYNOPS_WORKER_ID": job["SYNOPS_JOB_ID"]}, False),
        ):
            cur.execute(statement, job | changed)
            assert (cur.fetchone() is not None) == found


def test_the_description_in_the_example_is_json_that_other_programs_read(wordcount: Workshop) -> None:
    assert json.loads(run(wordcount, "--describe").stdout)["settings"] == ["STORE_DIR"]
