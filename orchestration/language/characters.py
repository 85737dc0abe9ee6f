"""Sizes and characters that no recipe may have, found before anything is read."""

from __future__ import annotations

import unicodedata

from orchestration.language.diagnostics import MACHINE, Edit, Reporter, Suggestion
from orchestration.language.source import MAX_BYTES, MAX_COLUMNS, MAX_LINES, Source, Span
from orchestration.language.words import BIDI, INVISIBLE


def check_size(source: Source, reporter: Reporter) -> bool:
    """False when the text is too big to read at all."""
    size = len(source.text.encode("utf-8", "surrogatepass"))
    first = Span(1, 0, min(len(source.line(1)), 80))
    if size > MAX_BYTES:
        reporter.report("ORK-001", first, {"size": str(size), "limit": str(MAX_BYTES)})
        return False
    count = len(source.lines) - (not source.lines[-1])
    if count > MAX_LINES:
        reporter.report("ORK-005", source.whole(MAX_LINES), too_many("linjer", count, MAX_LINES))
        return False
    return True


def too_many(what: str, count: int, limit: int) -> dict[str, str]:
    return {"what": what, "count": str(count), "limit": str(limit)}


def check_line(source: Source, line: int, reporter: Reporter) -> bool:
    """Report bad characters of one line; False when the line is too long to read."""
    text = source.line(line)
    if len(text) > MAX_COLUMNS:
        reporter.report("ORK-005", Span(line, 0, 80), too_many("tegn", len(text), MAX_COLUMNS))
        return False
    for column, character in enumerate(text):
        if not (character.isalnum() or character in ' .,:()"-'):
            _check_character(character, line, column, reporter)
    return True


def _check_character(character: str, line: int, column: int, reporter: Reporter) -> None:
    code = _code_for(character, line, column)
    if code:
        span = Span(line, column, column + 1)
        name = f"U+{ord(character):04X}"
        fix = Suggestion(name, MACHINE, (Edit(span, ""),), "remove")
        reporter.report(code, span, {"character": name}, (fix,))


def _code_for(character: str, line: int, column: int) -> str:
    if character == "\ufeff" and line == 1 and column == 0:
        return ""  # a byte order mark
    if character in BIDI:
        return "ORK-004"
    if character in INVISIBLE:
        return "ORK-006"
    forbidden = unicodedata.category(character) in ("Cc", "Cs", "Co", "Cn") and character != "\t"
    return "ORK-002" if forbidden else ""
