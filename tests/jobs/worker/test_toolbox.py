"""What a worker knows of the tools: a program that gives no answer in time is asked again, and only that one."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from jobs import tool_discovery
from jobs.registries import registries
from jobs.worker.toolbox import Toolbox
from tests.jobs.worker.conftest import Tools

HANGS_ONCE = '[ -e "$0.asked" ] || { touch "$0.asked"; exec sleep 600; }'
COUNTS = 'echo asked >> "$0.count"'


def add(tools: Tools, verb: str, first: str) -> Path:
    """A tool that does this before it answers."""
    tools.add(verb, "echo 1")
    path = tools.folder / f"synops-{verb}"
    path.write_text(path.read_text().replace("#!/bin/sh\n", f"#!/bin/sh\n{first}\n"))
    return path


def test_a_tool_that_gave_no_answer_in_time_is_asked_again_and_the_others_are_not(tools, monkeypatch, caplog):
    monkeypatch.setattr(tool_discovery, "DESCRIBE_TIMEOUT_SECONDS", 3)
    monkeypatch.setenv("SYNOPS_TOOLS_PATH", str(tools.folder))
    monkeypatch.setattr("sys.executable", str(tools.folder / "python"))
    monkeypatch.setenv("PATH", "/usr/bin:/bin")
    add(tools, "slow", HANGS_ONCE)
    counting = add(tools, "quick", COUNTS)
    toolbox = Toolbox(registries, ("slow", "quick"))

    async def looks() -> list[tuple[bool, list[str]]]:
        return [(await toolbox.refresh(), toolbox.tool_types()) for _ in range(3)]

    assert asyncio.run(looks()) == [(True, ["quick"]), (True, ["quick", "slow"]), (False, ["quick", "slow"])]
    assert Path(f"{counting}.count").read_text() == "asked\n"
    assert [record.message for record in caplog.records if "synops-slow is not used" in record.message]


@pytest.mark.parametrize("answer", ["exit 3", "echo nonsense; exit"])
def test_a_tool_that_answered_wrongly_is_asked_again_only_when_it_changes(tools, monkeypatch, answer):
    monkeypatch.setenv("SYNOPS_TOOLS_PATH", str(tools.folder))
    monkeypatch.setattr("sys.executable", str(tools.folder / "python"))
    monkeypatch.setenv("PATH", "/usr/bin:/bin")
    path = add(tools, "broken", answer)
    toolbox = Toolbox(registries, ("broken",))

    assert [asyncio.run(toolbox.refresh()) for _ in range(2)] == [True, False]
    path.write_text(path.read_text().replace(answer, "true"))
    assert asyncio.run(toolbox.refresh())
    assert toolbox.tool_types() == ["broken"]
