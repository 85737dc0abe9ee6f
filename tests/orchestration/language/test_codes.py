"""The registry of codes: every code has a page, every page is true, every code comes from somewhere, none is reused."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import orchestration.language
from orchestration.language import Vocabulary, compile_recipe
from orchestration.language.codes_page import page
from orchestration.language.diagnostics import Diagnostic
from orchestration.language.front import explanation
from orchestration.language.messages import SHOWN, codes, fill, help_text, message
from orchestration.language.source import Span
from tests.orchestration.language import golden
from tests.orchestration.language.stand_in import vocabulary

SHOWN_BY_TEXT = [code for code in codes().values() if not code.origin]
#: Every code ever given out, in the order of their numbers. A line may only be added.
REGISTRY = (Path(__file__).parents[2] / "data" / "language" / "registry.txt").read_text(encoding="utf-8").split("\n")


def found(text: str) -> list[str]:
    return [item.code for item in compile_recipe(text, vocabulary()).diagnostics]


@pytest.mark.parametrize("code", SHOWN_BY_TEXT, ids=lambda code: code.code)
def test_before_gives_the_code_and_after_gives_nothing(code) -> None:
    assert found(code.before) == [code.code]
    assert found(code.after) == []


def test_the_page_is_made_from_the_catalogue() -> None:
    assert golden.CODES_PAGE.read_text(encoding="utf-8") == page()


def test_codes_are_never_renamed_or_taken_away() -> None:
    now = [f"{code.code} {code.slug} {'retired' if code.retired else 'active'}" for code in codes().values()]
    kept = [line for line in REGISTRY if line]
    assert [line.split()[:2] for line in now] == [line.split()[:2] for line in kept]


def test_the_compiler_reports_no_code_without_a_page() -> None:
    folder = Path(orchestration.language.__file__).parent
    source = "\n".join(path.read_text(encoding="utf-8") for path in folder.glob("*.py"))
    assert set(re.findall(r"ORK-[0-9]{3}", source)) <= set(codes())


def test_every_code_is_given_somewhere() -> None:
    language = Path(orchestration.language.__file__).parent
    source = "\n".join(path.read_text(encoding="utf-8") for path in language.glob("*.py"))
    around = "\n".join(path.read_text(encoding="utf-8") for path in language.parent.glob("*.py"))
    active = [code for code in codes().values() if not code.retired]
    compiled = {code.code for code in active if code.origin not in ("edge", "run")}
    assert compiled <= set(re.findall(r"ORK-[0-9]{3}", source))
    assert {code.code for code in active} - compiled <= set(re.findall(r"ORK-[0-9]{3}", around))


def test_two_tools_with_one_verb_are_an_ambiguity_not_a_guess() -> None:
    tools = [{"name": "synops-one", "aliases": ["vurder"]}, {"name": "synops-two", "aliases": ["vurder"]}]
    compilation = compile_recipe("NÅR innspilling avsluttet\n1. vurder", Vocabulary.from_tools(tools))
    assert [item.code for item in compilation.diagnostics] == ["ORK-302"]


@pytest.mark.parametrize("lang", SHOWN)
@pytest.mark.parametrize("code", codes().values(), ids=lambda code: code.code)
def test_every_sentence_can_be_filled(code, lang: str) -> None:
    places = set(re.findall(r"(?<!\{)\{([a-z_]+)\}", code.message[lang] + code.help[lang]))
    diagnostic = Diagnostic(code.code, "error", Span(1, 0, 0), dict.fromkeys(places, "{x}"))
    for said in (message(diagnostic, lang), help_text(diagnostic, lang)):
        assert not re.search(r"\{(?!x\}|\{|event| )", said)
        assert len(said) <= 160
        assert not said.endswith(".")
    first = message(diagnostic, lang).split()[0]
    assert first.isupper() or not first[:1].isupper(), "sentences start small; keywords are written large"


def test_an_argument_is_never_read_as_a_place() -> None:
    assert fill("«{phrase}» og {verb}", {"phrase": "{verb}", "verb": "x"}) == "«{verb}» og x"


def test_explain() -> None:
    said = explanation("301", "nb")
    assert said is not None
    assert said.startswith("ORK-301 ukjent-verb (feil)")
    assert "send epost" in said
    assert explanation("ork-301", "en") != said
    assert explanation("ORK-999", "nb") is None
