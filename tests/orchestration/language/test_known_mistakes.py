"""Mistakes that other languages and tools for people have made, each held not to be ours. Named by their public threads."""

from __future__ import annotations

import pytest

from orchestration.language import (
    Compilation,
    Vocabulary,
    compile_recipe,
    packs,
    print_human,
    print_technical,
    render_box,
    to_json,
)
from orchestration.language.lint import lint
from tests.orchestration.language.stand_in import vocabulary

HEADER = "NÅR innspilling avsluttet\n"


def compiled(text: str) -> Compilation:
    return compile_recipe(text, vocabulary())


def codes(text: str) -> list[str]:
    return [item.code for item in compiled(text).diagnostics]


def command(text: str) -> str:
    plan = compiled(text).plan
    assert plan is not None
    return print_technical(plan, vocabulary())


SAME = [
    ("pytest-bdd: a keyword in small letters", "når innspilling avsluttet\n1. oppsummer samtalen"),
    ("gherkin#606: a byte order mark", "\ufeffNÅR innspilling avsluttet\n1. oppsummer samtalen"),
    ("lettuce#57: two spaces", "NÅR  innspilling   avsluttet\n1.   oppsummer   samtalen"),
    ("Xunit.Gherkin.Quick#115: a tab", "NÅR\tinnspilling avsluttet\n1.\toppsummer\tsamtalen"),
    ("hassil#143: a comma and a full stop", "NÅR innspilling avsluttet.\n1. Oppsummer, samtalen."),
    ("readability: a colon after the keyword", "NÅR: innspilling avsluttet\n1. oppsummer samtalen"),
]


@pytest.mark.parametrize(("name", "text"), SAME)
def test_layout_is_not_meaning(name: str, text: str) -> None:
    assert codes(text) == []
    assert command(text) == command(HEADER + "1. oppsummer samtalen")


def test_gherkin_400_the_longer_keyword_wins() -> None:
    text = HEADER + '1. oppsummer samtalen\n   hvis det feiler: opprett oppgave "x"'
    assert codes(text) == ["ORK-605"]
    assert "VED_FEIL" in command(text)
    created, published = "NÅR ein episode er lagd", "NÅR ein episode er lagd ut"
    events = [compiled(f'{when}\n1. opprett oppgave "x"').plan for when in (created, published)]
    assert [plan.trigger.event for plan in events if plan] == ["node.created", "node.published"]


@pytest.mark.parametrize("line", ["Git a", "1 transkriber lydfilen", "Then: fail", "transkriber"])
def test_pytest_bdd_399_no_line_is_passed_over(line: str) -> None:
    assert codes(HEADER + "1. oppsummer samtalen\n" + line) != []


def test_hedy_33_and_roc_7379_no_internals_are_shown() -> None:
    for text in ("", HEADER, HEADER + "1.", HEADER + "1. (", "\x00", HEADER + '1. opprett oppgave "'):
        box = render_box(compiled(text))
        assert not any(inside in box for inside in ("Token", "Traceback", "None", "<", "PHRASE", "\\x"))


@pytest.mark.parametrize("step", ["kjøp kaffe", "kok te", "bestill blomster", "vurder om saken holder"])
def test_gleam_2682_no_suggestion_for_mere_likeness(step: str) -> None:
    assert all(not item.suggestions for item in compiled(HEADER + f"1. {step}").errors)


@pytest.mark.parametrize("joiner", ["&", "+", ",", "og", "OG", "and"])
def test_elm_298_every_sign_for_and(joiner: str) -> None:
    text = f"{HEADER}HVIS samling har podcast {joiner} lyd\n1. oppsummer samtalen"
    assert 'samling.har_trait("podcast") OG node.har_media("audio")' in command(text)


def test_home_assistant_25034_and_is_written_out() -> None:
    text = HEADER + "HVIS samling har podcast\nHVIS innspillingen har lyd\n1. oppsummer samtalen"
    plan = compiled(text).plan
    assert plan is not None
    assert "HVIS samling har podcast OG lyd\n" in print_human(plan, vocabulary())
    assert to_json(plan)["trigger"]["conditions"] == [{"has_trait": "podcast"}, {"has_media": "audio"}]


def test_miette_73_tabs_keep_the_box_in_shape() -> None:
    box = render_box(compiled(HEADER + "\t1.\topsummer\tsamtalen"))
    widths = {len(line) for line in box.rstrip("\n").split("\n")}
    assert len(widths) == 1


def test_core_93047_duplicate_words_in_data_are_an_ambiguity_named_in_full() -> None:
    words = Vocabulary.from_tools(
        [{"name": "synops-a", "aliases": ["vurder"]}, {"name": "synops-b", "aliases": ["vurder"]}]
    )
    (wrong,) = compile_recipe(HEADER + "1. vurder", words).diagnostics
    assert wrong.code == "ORK-302"
    (problem,) = lint(words)
    assert (problem.tool, problem.other) == ("synops-b", "synops-a")


def test_galaxy_8472_another_word_is_another_lexicon() -> None:
    one = Vocabulary.from_tools([{"name": "synops-a", "aliases": ["vurder"]}])
    other = Vocabulary.from_tools([{"name": "synops-a", "aliases": ["bedøm"]}])
    assert one.lexicon_hash != other.lexicon_hash
    assert one.lexicon_hash == Vocabulary.from_tools([{"aliases": ["vurder"], "name": "synops-a"}]).lexicon_hash


@pytest.mark.parametrize("value", ["--help", "-", "$(id)", "; rm -rf /", "a b", "it's", "{{event.x}}", "*", "~", "«x»"])
def test_a_value_stays_one_value(value: str) -> None:
    """agentcore-samples#1649: a text that looks like an option or a command is text."""
    said = value.replace("«", "\\«").replace("»", "\\»")
    plan = compiled(f'{HEADER}1. varsle redaksjonen "{said}"').plan
    assert plan is not None
    params = to_json(plan)["steps"][0]["alternatives"][0]["params"]
    assert params == {"recipients": "editors", "message": value}
    again = compiled(print_technical(plan, vocabulary())).plan
    assert again is not None
    assert again.meaning() == plan.meaning()


@pytest.mark.parametrize(
    ("step", "code"),
    [
        ("skriv ut sammendraget", "ORK-506"),
        ("legg ut feeden", "ORK-410"),
        ("oppsummer samtalen i morgen", "ORK-204"),
        ("oppsummer samtalen kl. 8", "ORK-204"),
    ],
)
def test_what_would_do_something_else_than_asked_is_an_error(step: str, code: str) -> None:
    assert [item.code for item in compiled(HEADER + f"1. {step}").errors] == [code]


def test_a_result_that_was_made_may_be_named_though_the_tool_finds_it_itself() -> None:
    assert compiled(HEADER + "1. transkriber lydfilen\n2. oppsummer transkripsjonen").plan is not None


def test_gherkin_17_and_hedy_1345_no_keyword_of_one_language_means_another_in_another() -> None:
    meanings: dict[str, set[str]] = {}
    for entry in packs.fixed("keywords").entries:
        meanings.setdefault(" ".join(entry.base), set()).add(entry.meaning)
    # "Steg 1: …" numbers a step, "Steg:" alone heads them: the number behind it decides.
    assert {said: found for said, found in meanings.items() if len(found) > 1} == {"steg": {"step", "then"}}


def test_gherkin_utils_38_the_last_comment_survives() -> None:
    plan = compiled(HEADER + "1. oppsummer samtalen\n# sist").plan
    assert plan is not None
    assert print_human(plan, vocabulary()).endswith("# sist\n")
