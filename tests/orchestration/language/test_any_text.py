"""Bad input: any text gives a plan or diagnostics, places lie inside their lines, one mistake gives one error."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from orchestration.language import compile_recipe, diagnostics_to_json, render_box
from orchestration.language.messages import codes
from tests.orchestration.language import fuzz
from tests.orchestration.language.stand_in import vocabulary

HEADER = "NÅR innspilling avsluttet\n"
RECIPE = """\
NÅR innspilling avsluttet
HVIS samling har podcast

1. transkriber lydfilen (stor modell)
   ved feil: transkriber lydfilen (medium modell)
2. oppsummer samtalen (kort)
3. oppdater rss-feed

ved feil: opprett oppgave "Pipeline feilet" (bug)
"""


def codes_of(text: str) -> list[str]:
    return [item.code for item in compile_recipe(text, vocabulary()).diagnostics]


@given(st.text(max_size=300))
@settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_any_characters(text: str) -> None:
    fuzz.check(text)


@given(st.lists(st.sampled_from([*fuzz.ODD, *RECIPE.split(), "\n"]), max_size=40).map(" ".join))
@settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_any_row_of_words(text: str) -> None:
    fuzz.check(text)


def test_two_thousand_broken_recipes() -> None:
    for text in fuzz.mutants(2000, seed=20261130):
        fuzz.check(text)


@pytest.mark.parametrize(
    ("name", "text", "code"),
    [
        ("64 KiB and more", "x" * 70_000, "ORK-001"),
        ("64 KiB on one line", "x " * 32_000, "ORK-005"),
        ("too many lines", HEADER + "\n" * 300, "ORK-005"),
        ("ten thousand words", HEADER + "1. " + "ord " * 10_000, "ORK-005"),
        ("binary", bytes(range(256)).decode("latin-1"), "ORK-002"),
        ("lone surrogate", HEADER + "1. oppsummer \ud800samtalen", "ORK-002"),
        ("turned writing direction", HEADER + "1. oppsummer \u202esamtalen", "ORK-004"),
        ("zero width", HEADER + "1. opp\u200bsummer samtalen", "ORK-006"),
        ("empty", "", "ORK-201"),
        ("only a comment", "# senere", "ORK-201"),
        ("another language", "Wenn die Aufnahme beendet ist\n1. Transkribiere", "ORK-104"),
        ("too many steps", HEADER + "\n".join(f"{n}. oppsummer samtalen" for n in range(1, 60)), "ORK-005"),
    ],
)
def test_limits(name: str, text: str, code: str) -> None:
    found = codes_of(text)
    assert code in found, found
    fuzz.check(text)


def test_an_invisible_character_is_only_a_warning() -> None:
    compilation = compile_recipe(HEADER + "1. opp\u200bsummer samtalen", vocabulary())
    assert compilation.plan is not None
    assert [item.code for item in compilation.diagnostics] == ["ORK-006"]


@pytest.mark.parametrize("quotes", ['""', "“”", "””", "„“", "«»", "»«", '“"', '«"'])
def test_every_pair_of_quotes(quotes: str) -> None:
    text = f"{HEADER}1. opprett oppgave {quotes[0]}Ta en titt{quotes[1]} (bug)"
    compilation = compile_recipe(text, vocabulary())
    assert compilation.diagnostics == ()
    assert compilation.plan is not None
    assert compilation.plan.steps[0].alternatives[0].to_json() == {"work_item": {"title": "Ta en titt", "tag": "bug"}}


#: One edit each; the error's line, and codes it may have.
MUTATIONS = [
    ("NÅR", "NR", 1, {"ORK-103"}),
    ("innspilling", "innspling", 1, {"ORK-105"}),
    ("avsluttet", "avslutta t", 1, {"ORK-105"}),
    ("HVIS", "HVS", 2, {"ORK-103"}),
    ("samling", "smaling", 2, {"ORK-111", "ORK-114"}),
    ("podcast", "podcst", 2, {"ORK-111"}),
    ("transkriber lydfilen (stor", "transkrber lydfilen (stor", 4, {"ORK-301"}),
    ("transkriber lydfilen (stor", "lydfilen transkrber (stor", 4, {"ORK-301"}),
    ("(stor modell)", "(stor modell", 4, {"ORK-401"}),
    ("(stor modell)", "stor modell)", 4, {"ORK-404"}),
    ("(stor modell)", "((stor modell))", 4, {"ORK-403", "ORK-404"}),
    ("(stor modell)", "(sotr modell)", 4, {"ORK-406"}),
    ("(stor modell)", "(stor modell, liten modell)", 4, {"ORK-407"}),
    ("   ved feil: transkriber", "ved feil: transkriber", 5, {"ORK-602"}),
    ("   ved feil: transkriber", "   vd feil: transkriber", 5, {"ORK-103"}),
    ("2. oppsummer", "2. ikke oppsummer", 6, {"ORK-203"}),
    ("2. oppsummer samtalen (kort)", "2.", 6, {"ORK-202"}),
    ("2. oppsummer samtalen (kort)", "2. send epost til deltakerne", 6, {"ORK-301"}),
    ("samtalen (kort)", "samtalen når den er klar", 6, {"ORK-204"}),
    ("samtalen (kort)", "samtalen om to timer", 6, {"ORK-203"}),
    ("3. oppdater rss-feed", "3. oppdater rss-feed og oppsummer samtalen", 7, {"ORK-208"}),
    ("3. oppdater rss-feed", "3. opdater rss-feed", 7, {"ORK-301"}),
    ("3. oppdater rss-feed", "3. oppdater værmeldingen", 7, {"ORK-301"}),
    ('"Pipeline feilet"', '"Pipeline feilet', 9, {"ORK-402"}),
    ('"Pipeline feilet" (bug)', "", 9, {"ORK-405"}),
    ('opprett oppgave "Pipeline', 'oprett oppgave "Pipeline', 9, {"ORK-301"}),
]


@pytest.mark.parametrize(("old", "new", "line", "expected"), MUTATIONS)
def test_one_mistake_is_one_error(old: str, new: str, line: int, expected: set[str]) -> None:
    assert old in RECIPE
    compilation = compile_recipe(RECIPE.replace(old, new, 1), vocabulary())
    assert len(compilation.errors) == 1, [(item.code, item.span) for item in compilation.errors]
    assert compilation.errors[0].span.line == line
    assert compilation.errors[0].code in expected


def test_independent_errors_are_all_reported_in_order() -> None:
    text = RECIPE.replace("podcast", "podcst").replace("oppsummer", "opsumer").replace("rss-feed", "værmeldingen")
    assert [item.span.line for item in compile_recipe(text, vocabulary()).errors] == [2, 6, 7]


def test_after_fifty_diagnostics_the_rest_is_counted() -> None:
    text = HEADER + "\n".join(f"{number}. kok kaffe\n   ved feil: kok te" for number in range(1, 51))
    compilation = compile_recipe(text, vocabulary())
    assert (len(compilation.diagnostics), compilation.more) == (50, 50)
    assert "… og 50 til" in render_box(compilation)


def test_columns_count_code_points_and_utf16_units() -> None:
    text = HEADER + '1. opprett oppgave "🎙️🎙️" (bug)\n2. 🎙 opsumer samtalen'
    record = diagnostics_to_json(compile_recipe(text, vocabulary()))
    (start,) = [item["range"]["start"] for item in record["diagnostics"] if item["code"] == "ORK-301"]
    assert start == {"line": 3, "col": 6, "col16": 6}


def test_every_code_has_a_sentence_in_both_languages() -> None:
    for code in codes().values():
        assert set(code.message) == set(code.help) == {"nb", "en"}
