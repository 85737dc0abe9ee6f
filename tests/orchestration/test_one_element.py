"""Whatever a variable holds, a step's command has the elements that its recipe gave it, no more, no fewer, no other."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from orchestration.language import Vocabulary, compile_recipe
from orchestration.language.plan import ToolCall
from orchestration.values import fill
from synops.tools.arguments import argv, parse
from synops.tools.notify import DESCRIPTION

RECIPE = 'NÅR innspilling avsluttet\n1. varsle redaksjonen "Ny: {event.title} ({event.node_id})"'
HOSTILE = [
    "--help", "-", "--", "--write", "$(id)", "`id`", "a; rm -rf /", "{event.node_id}", "{{x}}", "%s", "x\ny", "\r", "\t",
    "'", '"', "\\", "«»", "*", "~", "a b", "", "æøå", "\u202e", "x" * 100_000,
]  # fmt: skip


def command(title: str) -> list[str]:
    plan = compile_recipe(RECIPE, Vocabulary.from_tools([DESCRIPTION.to_json()])).plan
    assert plan is not None
    (call,) = plan.steps[0].alternatives
    assert isinstance(call, ToolCall)
    return argv(DESCRIPTION, params(call, title))


def params(call: ToolCall, title: str) -> dict[str, Any]:
    return fill(call.params, {"event": {"title": title, "node_id": "{event.title}"}})


@given(st.text(alphabet=st.characters(blacklist_categories=["Cs"], blacklist_characters="\0")))
@settings(max_examples=200, deadline=None)
def test_the_elements_are_the_recipes_and_read_back_as_they_were_meant(title: str) -> None:
    elements = command(title)
    assert [element.split("=", 1)[0] for element in elements] == [part.split("=", 1)[0] for part in command("x")]
    assert parse(DESCRIPTION, elements)["message"] == f"Ny: {title} ({{event.title}})"


def test_a_real_program_receives_them_one_by_one() -> None:
    show = [sys.executable, "-Sc", "import json, sys; print(json.dumps(sys.argv[1:]))"]
    for title in HOSTILE:
        seen = json.loads(subprocess.run([*show, *command(title)], capture_output=True, check=True).stdout)
        assert seen == command(title)
