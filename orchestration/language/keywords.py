"""The keyword that a line begins with: NÅR, HVIS, ved feil, a step number, or none."""

from __future__ import annotations

import re
from dataclasses import dataclass

from orchestration.language import packs
from orchestration.language.source import Span
from orchestration.language.suggest import closest
from orchestration.language.words import HYPHENS, Token, span_of

WHEN, IF, UNLESS, AND, OR, ON_ERROR, THEN = "when", "if", "unless", "and", "or", "on_error", "then"
_AT_LINE_START = (WHEN, IF, UNLESS, AND, OR, ON_ERROR, THEN)

_NUMBER = re.compile(
    rf"(?P<word>(?:steg|trinn|punkt|step)\s+)?(?P<open>\()?(?P<number>[0-9]{{1,3}})(?P<end>\s?[.):]+(?![0-9])|(?=\s))\s*"
    rf"|(?P<bullet>[{HYPHENS}*•·◦▪](?![{HYPHENS}]))\s*",
    re.IGNORECASE,
)
CANONICAL_ON_ERROR = ("ved feil", "ved_feil", "on error")


@dataclass(frozen=True, slots=True)
class Keyword:
    concept: str
    token: Token
    """The keyword as one token."""
    length: int
    """Tokens taken, a following colon included."""


@dataclass(frozen=True, slots=True)
class Number:
    written: int | None
    span: Span
    proper: bool
    """False for a bullet, "steg 1:" or a number without full stop."""


def step_number(text: str, line: int, start: int) -> Number | None:
    """The step number or bullet at `start`, with the space after it."""
    match = _NUMBER.match(text, start)
    if match is None or (match.group("bullet") and match.end() == match.end("bullet") and match.end() < len(text)):
        return None
    span = Span(line, start, match.end())
    if match.group("bullet"):
        return Number(None, span, proper=False)
    proper = not match.group("word") and not match.group("open") and match.group("end").strip()[:1] in (".", ")")
    return Number(int(match.group("number")), span, proper)


_DOUBLE = re.compile(r"(?P<numbers>[0-9]{1,3}\s?[.)]\s*[0-9]{1,3}(?:[.)]\s*|\s+))(?=[^\W\d])")


def double_number(text: str, line: int, start: int) -> Span | None:
    """ "1.1 " or "1. 2. " before words."""
    match = _DOUBLE.match(text, start)
    return Span(line, start, match.end()) if match else None


def keyword_at(tokens: list[Token]) -> Keyword | None:
    """The longest keyword at the start of a line."""
    keys = [token.key if token.kind == "word" else "\0" for token in tokens]
    for entry in packs.fixed("keywords").at(keys, 0):
        if entry.meaning in _AT_LINE_START:
            return _keyword(entry.meaning, tokens, len(entry.phrase))
    return None


def _keyword(concept: str, tokens: list[Token], count: int) -> Keyword:
    head = tokens[:count]
    key = " ".join(token.key for token in head)
    whole = Token("word", key, key, span_of(head))
    colon = count < len(tokens) and tokens[count].text in (":", ",")
    return Keyword(concept, whole, count + colon)


def failure_clause(tokens: list[Token]) -> Keyword | None:
    """ "hvis transkriberingen feiler: …": a condition in form, a fallback in meaning."""
    first = keyword_at(tokens)
    if first is None or first.concept not in (IF, WHEN, ON_ERROR):
        return None
    for index, token in enumerate(tokens[:10]):
        if token.text in (":", ","):
            fails = any(word.key in packs.word_set("fails") for word in tokens[:index])
            return _keyword(ON_ERROR, tokens, index) if fails else None
    return None


def misspelt(token: Token, concepts: tuple[str, ...]) -> tuple[str, str] | None:
    """(concept, right spelling) when `token` is nearly one of the one-word keywords of `concepts`."""
    if token.kind != "word":
        return None
    spellings = {
        entry.base[0]: entry.meaning
        for entry in packs.fixed("keywords").entries
        if entry.meaning in concepts and len(entry.base) == 1 and entry.base[0] not in ("om", "once")
    }
    near = closest(token.key, list(spellings))
    return (spellings[near[0]], near[0]) if near else None


def misspelt_on_error(tokens: list[Token]) -> int:
    """How many tokens, the colon included, are a misspelt "ved feil:"; 0 when none."""
    for index, token in enumerate(tokens[:4]):
        if token.text == ":" and index:
            said = " ".join(word.key for word in tokens[:index])
            return index + 1 if closest(said, ["ved feil", "on error"]) else 0
    return 0


def as_on_error(tokens: list[Token]) -> Token:
    return Token("word", "ved feil", "ved feil", span_of(tokens[:-1]))


def without_comma(tokens: list[Token]) -> int:
    last = tokens[-2] if len(tokens) > 1 and tokens[-1].text in (",", ";") else tokens[-1]
    return last.span.end


def span_with(keyword: Token, rest: list[Token]) -> Span:
    return keyword.span.to(rest[-1].span) if rest else keyword.span
