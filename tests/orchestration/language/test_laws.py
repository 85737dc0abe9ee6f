"""What must hold for every recipe: the laws of the two layers, the formatter, and what must not change a plan."""

from __future__ import annotations

import json
import random
import unicodedata
from collections.abc import Callable
from typing import Any

import pytest

from orchestration.language import (
    Plan,
    Vocabulary,
    compile_recipe,
    diagnostics_to_json,
    from_json,
    print_human,
    print_technical,
    to_json,
)
from orchestration.language.fixes import apply, machine_edits
from tests.orchestration.language import score
from tests.orchestration.language.stand_in import described, read, vocabulary
from tests.orchestration.language.test_spec import shipped_tools

TEXTS = [recipe["src"] for recipe in read("recipes.yaml") + score.read("recipes.yaml")]
GOOD = [text for text in TEXTS if compile_recipe(text, vocabulary()).plan is not None]
SMOOTH = [text for text in GOOD if not compile_recipe(text, vocabulary()).diagnostics and "\r" not in text]
LANGUAGES = ("nb", "nn", "en")


def plan_of(text: str) -> Plan:
    compilation = compile_recipe(text, vocabulary())
    assert compilation.plan is not None, [(item.code, dict(item.args)) for item in compilation.diagnostics]
    return compilation.plan


def meaning(text: str) -> dict[str, Any]:
    """The compiled JSON without the places and words of the source."""
    return to_json(plan_of(text).meaning())


@pytest.mark.parametrize("text", GOOD)
class TestLayers:
    def test_technical_of_human_is_the_identity_on_canonical_technical_text(self, text: str) -> None:
        technical = print_technical(plan_of(text), vocabulary())
        for lang in LANGUAGES:
            human = print_human(plan_of(technical), vocabulary(), lang)
            assert print_technical(plan_of(human), vocabulary()) == technical

    def test_human_of_technical_is_the_formatter(self, text: str) -> None:
        technical = print_technical(plan_of(text), vocabulary())
        for lang in LANGUAGES:
            formatted = print_human(plan_of(text), vocabulary(), lang)
            assert print_human(plan_of(technical), vocabulary(), lang) == formatted

    def test_the_formatter_is_idempotent(self, text: str) -> None:
        for lang in LANGUAGES:
            formatted = print_human(plan_of(text), vocabulary(), lang)
            assert print_human(plan_of(formatted), vocabulary(), lang) == formatted
            assert compile_recipe(formatted, vocabulary()).diagnostics == ()

    def test_a_plan_survives_its_json(self, text: str) -> None:
        plan = plan_of(text)
        assert from_json(json.dumps(to_json(plan))) == plan

    def test_no_layer_loses_a_comment(self, text: str) -> None:
        lines = text.split("\n")
        commented = "\n".join(line for number, line in enumerate(lines) for line in (f"# merknad {number}", line))
        technical = print_technical(plan_of(commented), vocabulary())
        human = print_human(plan_of(technical), vocabulary())
        for number in range(len(lines)):
            assert technical.count(f"# merknad {number}\n") == 1
            assert human.count(f"# merknad {number}\n") == 1


def upper_keywords(text: str) -> str:
    return text.replace("NÅR", "når").replace("HVIS", "Hvis").replace("ved feil:", "VED FEIL:")


CHANGES: dict[str, Callable[[str], str]] = {
    "comments between": lambda text: text.replace("\n", "\n# merknad\n"),
    "decomposed letters": lambda text: unicodedata.normalize("NFD", text),
    "Windows line ends": lambda text: text.replace("\n", "\r\n"),
    "spaces at the ends": lambda text: text.replace("\n", "  \t\n"),
    "hard spaces": lambda text: text.replace(" ", "\u00a0"),
    "byte order mark": lambda text: "\ufeff" + text,
    "keywords in another case": upper_keywords,
}


@pytest.mark.parametrize("change", CHANGES)
@pytest.mark.parametrize("text", SMOOTH)
def test_what_must_not_change_a_plan(text: str, change: str) -> None:
    if any(quote in text for quote in '"«“”„') and change in ("hard spaces", "decomposed letters"):
        return  # inside quotes the author's characters are kept
    changed = CHANGES[change](text)
    if change == "hard spaces" and "synops-" in text:
        return
    assert meaning(changed) == meaning(text)


@pytest.mark.parametrize("text", SMOOTH)
def test_blank_lines_between_steps_change_nothing(text: str) -> None:
    lines = text.rstrip("\n").split("\n")
    spread = "\n\n".join(lines)
    assert meaning(spread) == meaning(text)


@pytest.mark.parametrize("text", SMOOTH)
def test_only_the_order_of_steps_counts_not_their_numbers(text: str) -> None:
    if "steg 1" in text:
        return
    renumbered = "\n".join(
        "7" + line[1:] if line[:2] in ("1.", "2.", "3.", "4.") else line for line in text.split("\n")
    )
    assert meaning(renumbered) == meaning(text)


@pytest.mark.parametrize("text", TEXTS)
def test_the_order_of_tools_changes_no_byte(text: str) -> None:
    tools = list(described())
    random.Random(7).shuffle(tools)
    shuffled = Vocabulary.from_tools(tools)
    one, other = compile_recipe(text, vocabulary()), compile_recipe(text, shuffled)
    assert diagnostics_to_json(one) == diagnostics_to_json(other)


@pytest.mark.parametrize(
    ("lang", "said"), [("nb", "varsle redaksjonen"), ("nn", "varsle redaksjonen"), ("en", "notify the editors")]
)
def test_what_the_event_gives_is_not_said(lang: str, said: str) -> None:
    tools = shipped_tools()
    plan = compile_recipe("WHEN recording ended\n\n1. notify the editors\n", tools).plan
    assert plan is not None
    assert print_human(plan, tools, lang).splitlines()[-1] == f"1. {said}"


@pytest.mark.parametrize("text", TEXTS)
def test_fixes_help_and_then_are_done(text: str) -> None:
    first = compile_recipe(text, vocabulary())
    edits = machine_edits(first)
    if edits:
        second = compile_recipe(apply(first.source.text, edits), vocabulary())
        assert len(second.diagnostics) < len(first.diagnostics)


@pytest.mark.parametrize("text", TEXTS)
def test_no_suggestion_is_what_stands_there(text: str) -> None:
    compilation = compile_recipe(text, vocabulary())
    for diagnostic in compilation.diagnostics:
        for suggestion in diagnostic.suggestions:
            for edit in suggestion.edits:
                said = compilation.source.slice(edit.span)
                assert (
                    unicodedata.normalize("NFC", edit.text).casefold() != unicodedata.normalize("NFC", said).casefold()
                )
