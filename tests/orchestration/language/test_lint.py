"""The check of the vocabulary: tools and packs as they are pass, and every kind of bad word is named."""

from __future__ import annotations

from typing import Any

import pytest

from orchestration.language import Vocabulary, packs
from orchestration.language.describe import read_tool
from orchestration.language.lint import lint
from tests.orchestration.language.stand_in import vocabulary
from tests.orchestration.language.test_spec import shipped_tools


def problems(*tools: dict[str, Any]) -> list[str]:
    return [f"{item.tool}: {item.sentence}" for item in lint(Vocabulary.from_tools(tools))]


def test_the_lexicon_and_the_shipped_tools_pass() -> None:
    assert lint(vocabulary()) == []
    assert lint(shipped_tools()) == []


def test_a_shared_form_names_both_tools() -> None:
    one = {"name": "synops-one", "aliases": {"nb": ["varsle", "mal opp bilde"]}}
    two = {"name": "synops-two", "aliases": {"nb": ["varsler", "mal opp bildet"]}}
    found = problems(one, two)
    assert len(found) == 2
    assert all("synops-two: the verb" in said and "synops-one" in said for said in found)


@pytest.mark.parametrize(
    ("alias", "said"),
    [
        ("ikke transkriber", "begins with “ikke”"),
        ("hvis lyd", "begins with “hvis”"),
        ("vent litt", "begins with “vent”"),
        ("lag mp3", "digit or a mark"),
        ("x", "too short"),
        ("en to tre fire fem seks", "longer than"),
    ],
)
def test_reserved_words(alias: str, said: str) -> None:
    (found,) = problems({"name": "synops-one", "aliases": [alias]})
    assert said in found


def test_params_that_cannot_be_meant() -> None:
    params = [
        {"flag": "--node-id", "bind": ["event.nothing"]},
        {"flag": "--size", "enum": {"large": {"nb": ["stor"]}, "huge": {"nb": ["stor"]}}},
    ]
    found = problems({"name": "synops-one", "aliases": ["vurder"], "params": params})
    assert ["which no event gives" in found[0], "chooses both large and huge" in found[1]] == [True, True]


def test_a_suggestion_for_what_exists() -> None:
    tools = [
        {"name": "synops-one", "aliases": ["send brev"]},
        {"name": "synops-two", "aliases": ["varsle"], "suggest_for": ["send brev"]},
    ]
    assert "is suggested for" in problems(*tools)[0]


@pytest.mark.parametrize(
    "record", [{}, {"name": "rm"}, {"name": "synops-x", "params": [{}]}, {"name": "synops-x", "params": 7}]
)
def test_what_is_no_description_is_refused_by_name(record: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="synops-"):
        read_tool(record)


def test_no_word_is_two_keywords() -> None:
    meanings: dict[tuple[str, ...], set[str]] = {}
    for entry in packs.fixed("keywords").entries:
        meanings.setdefault(entry.base, set()).add(entry.meaning)
    shared = {base: found for base, found in meanings.items() if len(found) > 1}
    assert shared == {("steg",): {"step", "then"}}
