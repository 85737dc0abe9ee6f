"""The text of a document as its readers give it: one string a page, and what the file says about itself."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

MOST_CHARACTERS = 20_000_000
"""Of one document; what comes after is left out and said so. A thousand dense pages are three million."""

# Kept: tab and newline. Gone: other controls, lone surrogates, and the marks that PDFs leave at hyphenated line ends.
_NOISE = re.compile("(?:\ufffe|\u00ad|\x02)\r?\n?|[\x00-\x08\x0b-\x1f\x7f\ud800-\udfff\ufffe\uffff]")
_SPACES = re.compile(r"[ \t\u00a0\u2007\u202f]+")
_BLANK_LINES = re.compile(r"\n{3,}")
_BLOCK = 1 << 20


@dataclass(frozen=True, slots=True)
class Reading:
    """A document that has been read: `pages` in order, `properties` from its own headers, `warnings` as sentences."""

    media_type: str
    pages: tuple[str, ...]
    properties: Mapping[str, str] = field(default_factory=dict)
    warnings: tuple[str, ...] = ()

    @property
    def characters(self) -> int:
        """How much text there is, white space at the ends of pages aside."""
        return sum(map(len, self.pages))

    @property
    def text(self) -> str:
        """All pages, with a form feed between them, as plain-text files have it."""
        return "\f".join(self.pages)


def tidy(text: str) -> str:
    """Text with one kind of space and newline, so that an extractor's patterns need not know the file's format."""
    plain = text.replace("\r\n", "\n").replace("\r", "\n")
    return _BLANK_LINES.sub("\n\n", "".join(map(_tidy_lines, _blocks(plain)))).strip()


def _blocks(text: str) -> Iterator[str]:
    """Whole lines, about a million characters at a time: a line of its own costs fifty bytes beside its letters, and a
    text of 20 million may be two million lines."""
    begin = 0
    while begin < len(text):
        newline = text.find("\n", begin + _BLOCK)
        end = newline + 1 if newline >= 0 else len(text)
        yield text[begin:end]
        begin = end


def _tidy_lines(block: str) -> str:
    return "\n".join(_SPACES.sub(" ", line).strip() for line in _NOISE.sub("", block).split("\n"))


def bounded(pages: Iterable[str]) -> tuple[tuple[str, ...], bool]:
    """The pages up to the limit, tidied, and whether some were cut off."""
    kept: list[str] = []
    room = MOST_CHARACTERS
    for page in pages:
        if room <= 0:
            return tuple(kept), True
        kept.append(tidy(page)[:room])
        room -= len(kept[-1])
    return tuple(kept), room <= 0
