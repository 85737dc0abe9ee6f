"""A badly misspelt but readable recipe: one summary with every correction instead of a wall of errors.

Only when each error is a misspelling with one best correction, there are at least four of them, and the corrected
text compiles. A word that is a word of its own ("sender" for "render") is never corrected unasked.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

from orchestration.language.diagnostics import MACHINE, Diagnostic, Edit, Suggestion
from orchestration.language.fixes import apply
from orchestration.language.packs import word_set
from orchestration.language.source import Source, Span
from orchestration.language.words import key_of

if TYPE_CHECKING:
    from orchestration.language.compile import Compilation

FEWEST = 4
_ROUNDS = 4
_SPELLING = ("ORK-103", "ORK-105", "ORK-111", "ORK-301", "ORK-406", "ORK-410")


def read_through(first: Compilation, compile_again: Callable[[str], Compilation]) -> Compilation | None:
    """The compilation of the corrected text with the one warning, or None when this is not such a recipe."""
    result, words = first, list[str]()
    for _ in range(_ROUNDS):
        found = [_correction(item, result.source) for item in result.diagnostics if _is_spelling(item)]
        edits = [edit for edit in found if edit is not None]
        if len(edits) < len(result.errors):
            return None
        if not edits:
            break
        words += [edit.text for edit in edits]
        result = compile_again(apply(result.source.text, edits))
    if result.errors or len(words) < FEWEST:
        return None
    return _summarized(first, result, words)


def _is_spelling(item: Diagnostic) -> bool:
    return item.code in _SPELLING and (item.severity == "error" or bool(item.suggestions))


def _correction(item: Diagnostic, source: Source) -> Edit | None:
    """The one best suggestion, if it replaces words that are no words of their own."""
    edits = item.suggestions[0].edits if item.suggestions else ()
    if len(edits) != 1 or item.suggestions[0].label != "did_you_mean" or edits[0].span != item.span:
        return None
    said = key_of(source.slice(edits[0].span))
    parted = said.count(" ") != edits[0].text.count(" ")
    return None if parted or word_set("real").intersection(said.split()) else edits[0]


def _summarized(first: Compilation, result: Compilation, words: list[str]) -> Compilation:
    edits = tuple(
        Edit(Span(number, 0, len(old)), new)
        for number, (old, new) in enumerate(zip(first.source.lines, result.source.lines, strict=True), 1)
        if old != new
    )
    place = first.source.whole(edits[0].span.line)
    fix = Suggestion("", MACHINE, edits, "correct_all")
    args = {"count": str(len(words)), "words": tuple(words)}
    summary = Diagnostic("ORK-007", "warning", place, args, (fix,))
    kept = tuple(item for item in result.diagnostics if item.code not in _SPELLING)
    return replace(result, source=first.source, diagnostics=(summary, *_inside(kept, first.source)))


def _inside(items: tuple[Diagnostic, ...], source: Source) -> tuple[Diagnostic, ...]:
    """Places of the corrected text, kept inside the lines of the author's."""
    return tuple(replace(item, span=source.whole(item.span.line), suggestions=()) for item in items)
