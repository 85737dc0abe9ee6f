"""Tools change their verbs, are turned off, and go: a recipe says what that means for it, and never something else."""

from __future__ import annotations

import pytest

from orchestration.language import Vocabulary, compile_recipe
from orchestration.language.front import fixed
from orchestration.language.lint import lint
from orchestration.language.stored import checked, trigger_json

WHEN = "NÅR innspilling avsluttet\n"
SPELL = {
    "name": "synops-spell",
    "aliases": {"nb": ["trylle fram lyd"], "en": ["conjure sound"]},
    "former_aliases": {"nb": ["heks"], "en": ["hex up"]},
}


def codes(text: str, *tools: dict) -> list[str]:
    return [item.code for item in compile_recipe(text, Vocabulary.from_tools(tools)).diagnostics]


def test_a_former_verb_compiles_with_a_warning_that_a_fix_removes() -> None:
    words = Vocabulary.from_tools([SPELL])
    found = compile_recipe(f"{WHEN}1. heks", words)
    assert [(item.code, item.severity, item.args["current"]) for item in found.diagnostics] == [
        ("ORK-303", "warning", "trylle fram lyd")
    ]
    assert found.plan is not None
    assert fixed(f"{WHEN}1. heks", words) == f"{WHEN}1. trylle fram lyd"
    assert codes(f"{WHEN}1. trylle fram lyd", SPELL) == []


def test_a_former_verb_with_room_between_its_words_is_left_for_a_person_to_mend() -> None:
    words = Vocabulary.from_tools([SPELL])
    (found,) = compile_recipe("WHEN recording ended\n1. hex it up", words).diagnostics
    assert (found.code, found.suggestions[0].show, found.suggestions[0].edits) == ("ORK-303", "conjure sound", ())


def test_a_former_verb_is_never_suggested_and_never_another_tools() -> None:
    (found,) = compile_recipe(f"{WHEN}1. hekks", Vocabulary.from_tools([SPELL])).diagnostics
    assert (found.code, found.suggestions) == ("ORK-301", ())
    other = {"name": "synops-witch", "aliases": {"nb": ["heks"]}}
    (problem,) = lint(Vocabulary.from_tools([SPELL, other]), ["synops-witch", "synops-spell"])
    assert (problem.tool, problem.verb, problem.other) == ("synops-spell", "heks", "synops-witch")


@pytest.mark.parametrize("line", ["1. trylle fram lyd", "1. synops-spell"])
def test_a_tool_that_is_off_is_named_and_nothing_is_suggested_instead(line: str) -> None:
    text = WHEN + line
    (found,) = compile_recipe(text, Vocabulary.from_tools([{**SPELL, "available": False}])).diagnostics
    assert (found.code, found.args["tool"], found.suggestions) == ("ORK-304", "synops-spell", ())


def test_the_verb_of_a_tool_that_is_there_is_never_that_of_one_that_is_off() -> None:
    other = {"name": "synops-other", "aliases": {"nb": ["trylle fram lyd"]}}
    words = Vocabulary.from_tools([{**SPELL, "available": False}, other])
    plan = compile_recipe(f"{WHEN}1. trylle fram lyd", words).plan
    assert plan is not None
    assert plan.steps[0].alternatives[0].tool == "synops-other"


def test_a_tool_that_goes_changes_the_vocabulary() -> None:
    here = Vocabulary.from_tools([SPELL]).lexicon_hash
    assert Vocabulary.from_tools([{**SPELL, "available": False}]).lexicon_hash != here


def test_a_nodes_own_record_is_held_against_its_text() -> None:
    found = compile_recipe(f"{WHEN}1. trylle fram lyd", Vocabulary.from_tools([SPELL]))
    assert found.plan is not None
    right = {"lexicon_hash": found.lexicon_hash, "trigger": trigger_json(found.plan)}
    assert checked(found, right) is found
    assert checked(found, {}) is found, "a draft keeps nothing yet"
    old = checked(found, {**right, "lexicon_hash": "0123"})
    assert [(item.code, item.severity) for item in old.diagnostics] == [("ORK-305", "warning")]
    moved = checked(found, {**right, "trigger": {"event": "node.published", "conditions": []}})
    assert [(item.code, item.severity) for item in moved.diagnostics] == [("ORK-115", "error")]
    assert "node.published" in moved.diagnostics[0].args["stored"]
