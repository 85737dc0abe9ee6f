"""Words that would turn a step into something else: they are refused, never skipped.

"ikke transkriber" must not transcribe, "vent 10 minutter" must not be dropped, "skal vi kanskje …" is no order.
"""

from __future__ import annotations

from collections.abc import Container, Iterable

from orchestration.language import packs
from orchestration.language.diagnostics import MAYBE, Edit, Reporter, Suggestion
from orchestration.language.phrase import Phrase
from orchestration.language.words import Token, say, span_of


def refuses(phrase: Phrase, covered: Iterable[int], reporter: Reporter) -> bool:
    """Report the first word that changes the meaning; `covered` are words that belong to a hint or a verb."""
    known = set(covered)
    if _doubt(phrase, reporter) or _negation(phrase, known, reporter) or _waiting(phrase, reporter):
        return True
    return _limit(phrase, known, reporter)


def _first(table: str, keys: list[str], covered: Container[int] = ()) -> tuple[int, int] | None:
    for index in range(len(keys)):
        entry = packs.fixed("words", table).longest(keys, index)
        if entry and index not in covered:
            return index, len(entry.phrase)
    return None


def _doubt(phrase: Phrase, reporter: Reporter) -> bool:
    found = _first("doubt", phrase.keys)
    if found is None:
        return False
    words = phrase.words[found[0] : found[0] + found[1]]
    reporter.report("ORK-209", span_of(words), {"phrase": say(words)}, (_delete(words),))
    return True


def _delete(words: list[Token]) -> Suggestion:
    """Not for the machine to do: only the author knows whether the step is wanted."""
    return Suggestion(say(words), MAYBE, (Edit(span_of(words), ""),), "remove")


def _negation(phrase: Phrase, covered: set[int], reporter: Reporter) -> bool:
    """A tool may have "uten pauser" among its own words; any other negation is the author's."""
    found = _first("negation", phrase.keys, covered)
    if found is None:
        return False
    index = found[0]
    if phrase.keys[index] in packs.word_set("without") and index:
        _report_tail(phrase.words[index:], reporter)
    else:
        reporter.report("ORK-203", span_of(phrase.words), {"phrase": say(phrase.words)})
    return True


def _waiting(phrase: Phrase, reporter: Reporter) -> bool:
    keys = phrase.keys
    content = [key for key in keys if key not in packs.word_set("stop")]
    if content and content[0] in packs.word_set("waiting"):
        reporter.report("ORK-203", span_of(phrase.words), {"phrase": say(phrase.words)})
        return True
    for index in range(len(keys) - 2):
        number = phrase.words[index + 1].kind == "number" or keys[index + 1] in packs.word_set("counts")
        if keys[index] in packs.word_set("in") and number and keys[index + 2] in packs.word_set("units"):
            words = phrase.words[index : index + 3]
            reporter.report("ORK-203", span_of(words), {"phrase": say(words)})
            return True
    return False


def _limit(phrase: Phrase, covered: set[int], reporter: Reporter) -> bool:
    keys = phrase.keys
    for index in range(len(keys)):
        entry = packs.fixed("words", "limits").longest(keys, index)
        if entry and index not in covered:
            _report_tail(phrase.words[index:], reporter)
            return True
    return False


def _report_tail(words: list[Token], reporter: Reporter) -> None:
    place = span_of(words)
    fix = Suggestion(say(words), MAYBE, (Edit(place, ""),), "remove")
    reporter.report("ORK-204", place, {"phrase": say(words)}, (fix,))
