"""Which known word a wrong one was meant to be.

Optimal string alignment, at most a third of the word's length (at least one): the rule of rustc and Gleam, measured
there and here to suggest nothing for words that are merely alike. Never the word itself.
"""

from __future__ import annotations

from rapidfuzz import process
from rapidfuzz.distance import OSA


def limit(word: str) -> int:
    """The largest distance at which a word may still be a misspelling."""
    return max(len(word) // 3, 1)


def closest(word: str, known: list[str], count: int = 3) -> list[str]:
    """The nearest of `known`, nearest first, then alphabetically; those tied with the best only."""
    found = process.extract(word, known, scorer=OSA.distance, score_cutoff=limit(word), limit=count * 2)
    near = sorted((distance, text) for text, distance, _ in found if text != word and _close_enough(word, text))
    return [text for distance, text in near if distance == near[0][0]][:count]


def _close_enough(word: str, text: str) -> bool:
    """Two-letter words resemble everything; of a phrase, every word must be near its counterpart."""
    if min(len(word), len(text)) < 2 or limit(word) >= max(len(word), len(text)):
        return False
    said, known = word.split(), text.split()
    if len(said) == 1 or len(said) != len(known):
        return True
    return all(one == other or OSA.distance(one, other) <= limit(one) for one, other in zip(said, known, strict=True))


def unique(word: str, known: list[str]) -> str | None:
    """The one nearest word, or None when two are equally near or none is near."""
    found = process.extract(word, known, scorer=OSA.distance, score_cutoff=limit(word), limit=3)
    near = sorted((distance, text) for text, distance, _ in found if text != word)
    if not near or (len(near) > 1 and near[1][0] == near[0][0]):
        return None
    return near[0][1]
