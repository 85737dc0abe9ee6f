"""One line → tokens, each with its place.

Words are compared by `key`: composed (NFC), case-folded, invisible characters removed, every hyphen a break, so
that "RSS–feed", "rss feed" and a decomposed "å" all meet the vocabulary in one form. Spans stay in the user's text.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from orchestration.language.source import Span

HYPHENS = "-\u2010\u2011\u2012\u2013\u2014\u2015\u2212\ufe63\uff0d"
OPENING_QUOTES = '"\u201c\u201d\u201e\u201f\u00ab\u00bb\u2033\uff02'
INVISIBLE = "\u00ad\u200b\u200c\u200d\u2060\ufeff\ufe0e\ufe0f\u180e"
BIDI = "\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"

# \w+ alone would split decomposed letters; apostrophes stay in words ("don't").
_WORD = rf"[^\W_](?:[\w\u0300-\u036f'\u2019{INVISIBLE}])*"
_NUMBER = rf"[{HYPHENS}+]?[0-9]+(?:[.,:][0-9]+)*"
_VARIABLE = r"\{[^{}\n]*\}"
_TOKEN = re.compile(
    rf"(?P<space>[\s{INVISIBLE}{BIDI}]+)|(?P<variable>{_VARIABLE})|(?P<number>(?<![\w]){_NUMBER}(?![^\W\d_]))|(?P<word>{_WORD})|(?P<mark>.)",
    re.DOTALL,
)
_DELETE = dict.fromkeys(map(ord, INVISIBLE + BIDI))


@dataclass(frozen=True, slots=True)
class Token:
    """kind: word, number, variable, quoted, mark. `key` is what is compared; for a quoted text its content."""

    kind: str
    text: str
    key: str
    span: Span
    closed: bool = True
    hyphen: bool = False
    """True when a hyphen joins this word to the one before it."""


@lru_cache(maxsize=4096)
def key_of(text: str) -> str:
    """The form in which words are compared."""
    return unicodedata.normalize("NFC", text.translate(_DELETE)).casefold().replace("\u2019", "'")


def split_key(phrase: str) -> tuple[str, ...]:
    """A vocabulary phrase → the keys of its words and numbers."""
    return tuple(token.key for token in tokenize(phrase, 1) if token.kind in ("word", "number"))


def tokenize(text: str, line: int, start: int = 0, end: int | None = None) -> list[Token]:
    """Everything visible in text[start:end]; spaces are dropped, nothing else is."""
    stop = len(text) if end is None else end
    return list(_tokens(text, line, start, stop))


def _tokens(text: str, line: int, position: int, stop: int) -> Iterator[Token]:
    previous_end, previous_kind = -1, ""
    hyphen_at = -1
    while position < stop:
        if text[position] in OPENING_QUOTES:
            token = _quoted(text, line, position, stop)
            yield token
            position, previous_kind = token.span.end, "quoted"
            previous_end = position
            continue
        match = _TOKEN.match(text, position, stop)
        if match is None:  # never: the last alternative matches any character
            return
        kind, position = match.lastgroup or "mark", match.end()
        if kind == "space":
            continue
        after_word = previous_kind == "word" and previous_end == match.start()
        if after_word and match.group() in HYPHENS and position < stop and text[position].isalnum():
            hyphen_at = position
            continue
        joined = hyphen_at == match.start()
        yield Token(
            kind, match.group(), _key(kind, match.group()), Span(line, match.start(), match.end()), hyphen=joined
        )
        previous_end, previous_kind = match.end(), kind


def _key(kind: str, text: str) -> str:
    if kind == "number":
        return "".join("-" if character in HYPHENS else character for character in text)
    return key_of(text)


def _quoted(text: str, line: int, start: int, stop: int) -> Token:
    """Any opening with any closing double quote: phones and word processors mix them."""
    content: list[str] = []
    position = start + 1
    while position < stop:
        character = text[position]
        if character == "\\" and position + 1 < stop and text[position + 1] in OPENING_QUOTES + "\\":
            content.append(text[position + 1])
            position += 2
            continue
        if character in OPENING_QUOTES:
            value = "".join(content)
            return Token("quoted", text[start : position + 1], value, Span(line, start, position + 1))
        content.append(character)
        position += 1
    value = "".join(content).rstrip()
    return Token("quoted", text[start:stop], value, Span(line, start, stop), closed=False)


def span_of(tokens: list[Token]) -> Span:
    """From the first to the last of `tokens` (not empty)."""
    return tokens[0].span.to(tokens[-1].span)


def say(tokens: list[Token]) -> str:
    """The tokens as they would be quoted in a message."""
    out = ""
    end = -1
    for token in tokens:
        out += ("" if not out else "-" if token.hyphen else " " if token.span.start > end else "") + token.text
        end = token.span.end
    return out
