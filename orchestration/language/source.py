"""The recipe's text as numbered lines, and places in it.

A place is a line and a range of code points, never an offset into the whole text: browsers join lines with one
character, forms post two, and the compiler must point at the same word either way.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

MAX_BYTES = 64 * 1024
MAX_LINES = 200
MAX_COLUMNS = 500

# Not str.splitlines(): it also breaks at VT, FF, NEL and U+2028, which editors show inside a line.
_LINE_BREAK = re.compile(r"\r\n|\r|\n")


@dataclass(frozen=True, slots=True, order=True)
class Span:
    """Code points `start` up to but not including `end` (0-based) of `line` (1-based)."""

    line: int
    start: int
    end: int

    def to(self, other: Span) -> Span:
        """From the start of this span to the end of `other`; a span never leaves its line."""
        if other.line != self.line:
            return self
        return Span(self.line, min(self.start, other.start), max(self.end, other.end))

    def overlaps(self, other: Span) -> bool:
        if self.line != other.line:
            return False
        if self.start == other.start:
            return True
        return self.start < other.end and other.start < self.end


@dataclass(frozen=True, slots=True)
class Source:
    """A recipe's text, exactly as sent."""

    text: str
    lines: tuple[str, ...] = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "lines", tuple(_LINE_BREAK.split(self.text)))

    def line(self, number: int) -> str:
        return self.lines[number - 1]

    def slice(self, span: Span) -> str:
        return self.line(span.line)[span.start : span.end]

    def utf16(self, line: int, column: int) -> int:
        """Code point column → UTF-16 column, the unit of browsers and of the language server protocol."""
        before = self.line(line)[:column]
        return column + sum(1 for character in before if ord(character) > 0xFFFF)

    def code_points(self, line: int, column16: int) -> int:
        """The way back; a column inside a surrogate pair is rounded down."""
        units = 0
        for index, character in enumerate(self.line(line)):
            units += 2 if ord(character) > 0xFFFF else 1
            if units > column16:
                return index
        return len(self.line(line))

    def last_text_line(self) -> int:
        """The last line with a visible character, else 1: errors about the end point at something real."""
        for number in range(len(self.lines), 0, -1):
            if self.lines[number - 1].strip("\ufeff \t"):
                return number
        return 1

    def whole(self, line: int) -> Span:
        """The visible part of a line."""
        text = self.line(line)
        start = len(text) - len(text.lstrip("\ufeff \t\u00a0"))
        return Span(line, min(start, len(text.rstrip())), len(text.rstrip()))


def indent_of(text: str) -> int:
    """How far in a line begins; a byte order mark is no indent."""
    bare = text.lstrip("\ufeff")
    return len(bare) - len(bare.lstrip())


def base_indent(source: Source) -> int:
    """A recipe pasted from a reply is indented as a whole; that is column 0. Comments do not count."""
    lines = [text for text in source.lines if text.strip("\ufeff \t\u00a0")]
    indents = [indent_of(text) for text in lines if not text.lstrip("\ufeff \t\u00a0").startswith(("#", "//"))]
    return min(indents, default=0)
