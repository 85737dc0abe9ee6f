"""How like two answers are: exactly, by what must stand in them, by their words (ROUGE-L), by their meaning."""

from __future__ import annotations

import re
from collections.abc import Sequence

_WORD = re.compile(r"\w+")


def exact(answer: str, expected: str) -> bool:
    """The same but for case and spaces."""
    return _plain(answer) == _plain(expected)


def contains(answer: str, wanted: Sequence[str]) -> float:
    """The share of the wanted pieces that stand in the answer; 1 when nothing is wanted."""
    plain = _plain(answer)
    return sum(_plain(piece) in plain for piece in wanted) / len(wanted) if wanted else 1.0


def rouge_l(answer: str, expected: str) -> float:
    """ROUGE-L (Lin 2004): the F1 of the longest common subsequence of words. 1 = the same words in the same order."""
    one, other = _words(answer), _words(expected)
    if not one or not other:
        return float(one == other)
    common = _longest_common(one, other)
    return 2 * common / (len(one) + len(other))


def _longest_common(one: Sequence[str], other: Sequence[str]) -> int:
    """Length of the longest common subsequence, with one row of the table at a time."""
    row = [0] * (len(other) + 1)
    for word in one:
        before = 0  # the upper left neighbour
        for at, another in enumerate(other, start=1):
            above = row[at]
            row[at] = before + 1 if word == another else max(above, row[at - 1])
            before = above
    return row[-1]


def _plain(text: str) -> str:
    return " ".join(text.casefold().split())


def _words(text: str) -> list[str]:
    return _WORD.findall(text.casefold())[:2000]
