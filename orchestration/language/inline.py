"""Lines that hold what should stand on lines of their own: a condition or a step behind NÅR, a fallback behind a step."""

from __future__ import annotations

from typing import Protocol

from orchestration.language.keywords import IF, ON_ERROR, THEN, UNLESS, Keyword, keyword_at
from orchestration.language.words import Token

_INLINE_IF = frozenset({"hvis", "viss", "dersom", "if", "unless", "med"})
_THEN_WORDS = frozenset({"så", "da", "då", "then"})


class Reader(Protocol):
    """What the vocabulary knows about a row of tokens; asked only about lines without a keyword."""

    def is_action(self, tokens: list[Token]) -> bool: ...
    def is_event(self, tokens: list[Token]) -> bool: ...
    def is_condition(self, tokens: list[Token]) -> bool: ...


def failure(tokens: list[Token]) -> tuple[int, Keyword] | None:
    """ "…, ved feil: …" after a step on its own line: the colon is what makes it one."""
    for index in range(1, len(tokens)):
        keyword = keyword_at(tokens[index:])
        if keyword and keyword.concept == ON_ERROR and tokens[index + keyword.length - 1].text == ":":
            return index, keyword
    return None


def _keyword_if(tokens: list[Token]) -> tuple[int, Keyword] | None:
    """HVIS inside a NÅR line; "om" is too common a word to count here."""
    for index in range(1, len(tokens)):
        if tokens[index].key in _INLINE_IF and tokens[index].kind == "word":
            keyword = keyword_at(tokens[index:])
            if keyword and keyword.concept in (IF, UNLESS):
                return index, keyword
    return None


def _then(tokens: list[Token]) -> tuple[int, int] | None:
    """(index, count) of ":" or ", så" between a header and what to do."""
    for index, token in enumerate(tokens[:-1]):
        if token.text == ":" and index > 0:
            after = keyword_at(tokens[index + 1 :])
            return index, 1 + (after.length if after and after.concept == THEN else 0)
        if token.text == "," and tokens[index + 1].key not in ("så", "da", "då", "then"):
            return index, 1
        if token.text == "," and tokens[index + 1].key in ("så", "da", "då", "then") and index + 2 < len(tokens):
            return index, 2
    return None


def condition(rest: list[Token], reader: Reader) -> tuple[int, Keyword] | None:
    """Where a condition begins inside a NÅR line: at HVIS, or at "og" when what follows is no event."""
    found = _keyword_if(rest)
    if found:
        return found
    for index in range(1, len(rest) - 1):
        joined = rest[index].key in ("og", "and") and reader.is_event(rest[:index])
        if joined and reader.is_condition(rest[index + 1 :]):
            return index, Keyword(IF, rest[index], 1)
    return None


def step(rest: list[Token], reader: Reader) -> tuple[list[Token], list[Token]]:
    """ "NÅR møtet er slutt: oppsummer samtalen": the header's own words, and the step behind them."""
    found = _then(rest)
    if found is None or not reader.is_action(rest[found[0] + found[1] :]):
        return rest, []
    head = rest[: found[0]]
    if rest[found[0]].text == "," and not reader.is_event(head):
        return rest, []
    return head, rest[found[0] + found[1] :]
