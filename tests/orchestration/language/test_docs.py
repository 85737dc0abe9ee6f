"""Every example in the pages on the language is what the compiler makes of it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from orchestration.language import Compilation, compile_recipe, print_technical, render_box
from tests.orchestration.language.stand_in import vocabulary

DOCS = Path(__file__).parents[3] / "docs"
PAGES = ("language.md", "language.nb.md")
_BLOCK = re.compile(r"^```(\w*) ?([^\n]*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def blocks(page: str) -> list[tuple[str, str, str]]:
    """(kind, expected codes, text) of each fenced block."""
    return _BLOCK.findall((DOCS / page).read_text(encoding="utf-8"))


@pytest.mark.parametrize("page", PAGES)
def test_examples(page: str) -> None:
    last: Compilation | None = None
    seen = 0
    for kind, expected, text in blocks(page):
        if kind == "ork":
            last = compile_recipe(text, vocabulary())
            assert [item.code for item in last.diagnostics] == expected.split(), text
        elif kind == "tek":
            assert last is not None
            assert last.plan is not None
            assert print_technical(last.plan, vocabulary()) == text
            again = compile_recipe(text, vocabulary()).plan
            assert again is not None
            assert again.meaning() == last.plan.meaning()
        elif kind == "text":
            assert last is not None
            assert render_box(last) == text
        seen += 1
    assert seen >= 12


def test_the_two_pages_have_the_same_examples_and_headings() -> None:
    one, other = (blocks(page) for page in PAGES)
    assert [(kind, expected) for kind, expected, _ in one] == [(kind, expected) for kind, expected, _ in other]
    headings = [re.findall(r"^#+ ", (DOCS / page).read_text(encoding="utf-8"), re.MULTILINE) for page in PAGES]
    assert headings[0] == headings[1]
