"""Drafts without a model: what the vocabulary alone understands, and what it leaves for a person."""

from __future__ import annotations

import pytest

from orchestration.drafting.drafts import Wish, draft
from orchestration.drafting.matching import MAX_CHARACTERS, match, pieces
from tests.orchestration.language.stand_in import vocabulary

CASES = {
    "Jeg vil gjerne at du transkriberer lydfilen når møtet er slutt, og deretter oppsummerer samtalen.": """\
NÅR innspilling avsluttet

1. transkriber lydfilen
2. oppsummer samtalen
""",
    "Hver mandag kl. 8 skal rss-feeden oppdateres": """\
NÅR hver mandag kl. 08:00

1. oppdater rss-feed
""",
    "Når en artikkel er publisert og samlingen har publisering, bygg nettside for artikkelen og generer feed for "
    'samlingen. Ved feil: opprett oppgave "Nett, og feed" (bug)': """\
NÅR node publisert
HVIS samling har publisering

1. render artikkelen
2. oppdater rss-feed

ved feil: opprett oppgave "Nett, og feed" (bug)
""",
    "Når innspillingen er ferdig: rens lyden, transkriber, lag et kort sammendrag og varsle redaksjonen. "
    "Hvis samlingen har podkast og lyd.": """\
NÅR innspilling avsluttet
HVIS samling har podcast OG lyd

1. rens lyd
2. transkriber lydfilen
3. oppsummer samtalen (kort)
4. varsle redaksjonen
""",
    "kan du oppsummere samtalen og så varsle deltakerne?": """\
NÅR jeg trykker Kjør

1. oppsummer samtalen
2. varsle deltakerne
""",
}


@pytest.mark.parametrize("wish", CASES)
def test_a_wish_whose_words_are_all_known_becomes_a_script(wish, monkeypatch):
    monkeypatch.setattr("orchestration.drafting.drafts.database_vocabulary", vocabulary)
    found = draft(Wish(wish, language="nb"), {})
    assert found.compiles, found.text
    assert (found.by, found.not_understood) == ("vocabulary", ())
    assert "SYNOPS_LLM_BASE_URL" in found.advice
    assert found.text == CASES[wish]


def test_english_is_answered_in_english(monkeypatch):
    monkeypatch.setattr("orchestration.drafting.drafts.database_vocabulary", vocabulary)
    wish = "When the recording ended, transcribe the audio file and then summarize the conversation"
    assert draft(Wish(wish), {}).text.startswith("WHEN ")


@pytest.mark.parametrize(
    "wish", ["Gjør episoden klar for publisering", "ikke publiser artikkelen", "blabla", "send epost til deltakerne"]
)
def test_what_is_not_understood_is_named_and_never_guessed_at(wish):
    found = match(wish, vocabulary(), "nb")
    assert found.not_understood == [wish]
    assert "1." not in found.script
    assert f": {wish}\n" in found.script


def test_a_condition_that_is_not_understood_stays_in_sight():
    found = match("hvis det er viktig, oppsummer samtalen", vocabulary(), "nb")
    assert found.not_understood == ["det er viktig"]
    assert found.script.startswith("# ")
    assert "1. oppsummer samtalen" in found.script


@pytest.mark.parametrize(
    "wish", ["ikke transkriber", "transkriber aldri", "kanskje oppsummer samtalen", "bare rens lyden"]
)
def test_a_word_that_turns_the_sentence_round_is_never_dropped(wish):
    assert match(f"jeg vil at du {wish} lydfilen", vocabulary(), "nb").not_understood


@pytest.mark.parametrize(
    "wish", ["", "   \n", ".,;:!?", "og og og når hvis", '"', "«" * 50, "1. 2. 3.", "{event.x}" * 9]
)
def test_any_text_is_answered(wish):
    match(wish, vocabulary(), "nb")


def test_long_texts_cost_a_bounded_number_of_tries():
    assert len(pieces("transkriber lydfilen, " * 5000)) == 40
    assert sum(len(piece.text) for piece in pieces("x" * 100_000)) == MAX_CHARACTERS


def test_quoted_text_is_never_cut():
    assert [piece.text for piece in pieces('opprett oppgave "Når, og hvis. Så!" og varsle redaksjonen')] == [
        'opprett oppgave "Når, og hvis. Så!"',
        "varsle redaksjonen",
    ]
