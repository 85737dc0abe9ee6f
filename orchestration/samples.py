"""Recipes to begin with: a first one that runs on any machine, and the shipped ones, in the reader's language."""

from __future__ import annotations

from dataclasses import dataclass

from orchestration.language import compile_recipe, print_human
from orchestration.seeds import SEEDS, text_of
from orchestration.vocabulary import database_vocabulary

FIRST = "first"
_FIRST = {
    "nb": (
        "Min første oppskrift",
        "NÅR innspilling avsluttet\n\n1. lag bølgeform av lydfilen\n2. varsle redaksjonen\n",
    ),
    "en": ("My first recipe", "WHEN a recording ended\n\n1. make waveform of the recording\n2. notify the editors\n"),
}


@dataclass(frozen=True)
class Sample:
    """A text to begin with, under the name that the address of a new recipe has."""

    name: str
    title: str
    text: str = ""


def samples(language: str) -> list[Sample]:
    """Their names and titles; the first one first."""
    return [Sample(FIRST, _FIRST[_shown(language)][0]), *(Sample(seed.name, seed.title) for seed in SEEDS)]


def sample(name: str, language: str) -> Sample | None:
    """One with its text; a shipped one is printed in the reader's language where the tools that it needs are known."""
    if name == FIRST:
        return Sample(FIRST, *_FIRST[_shown(language)])
    seed = next((one for one in SEEDS if one.name == name), None)
    if seed is None:
        return None
    text = text_of(seed.name)
    if _shown(language) != "nb":
        words = database_vocabulary()
        plan = compile_recipe(text, words).plan
        text = print_human(plan, words, "en") if plan else text
    return Sample(seed.name, seed.title, text)


def _shown(language: str) -> str:
    return "en" if language == "en" else "nb"
