"""The compilation as the box that people read: ✓ and ✗ per line, what is wrong, what to write instead."""

from __future__ import annotations

import textwrap
import unicodedata

from orchestration.language.compile import Compilation, Line
from orchestration.language.diagnostics import Diagnostic
from orchestration.language.keywords import step_number
from orchestration.language.messages import help_text, message, note_text, suggestion_text, text

MARKS = {"ok": "✓", "warning": "!", "error": "✗"}
_COLOURS = {"ok": "\x1b[32m", "warning": "\x1b[33m", "error": "\x1b[31m"}
_LEAST = 44
_MOST = 88


def render_box(compilation: Compilation, lang: str = "nb", *, colour: bool = False) -> str:
    """Every step and every line with something to say, in the order of the text, and a count at the foot."""
    blocks = [_block(compilation, number, lang) for number in _numbers(compilation)]
    body = [row for block in blocks for row in (*block, ("", ""))]
    body.append(("", _footer(compilation, lang)))
    width = max(_LEAST, *(columns(row) + 4 for _, row in body))
    title = f"┌─ {text('title', lang)} "
    top = title + "─" * (width - columns(title) + 1) + "┐"
    rows = [_row(row, width, status if colour else "") for status, row in [("", ""), *body]]
    return "\n".join([top, *rows, "└" + "─" * width + "┘"]) + "\n"


def columns(said: str) -> int:
    """Terminal columns: combining marks take none, East Asian wide characters and emoji two."""
    return sum(
        0 if unicodedata.combining(character) else 2 if unicodedata.east_asian_width(character) in "WF" else 1
        for character in said
    )


def _row(said: str, width: int, status: str) -> str:
    padding = " " * (width - 2 - columns(said))
    mark = (
        f"{_COLOURS[status]}{said[:1]}\x1b[0m{said[1:]}" if status in _COLOURS and said[:1] in MARKS.values() else said
    )
    return f"│  {mark}{padding}│"


def _numbers(compilation: Compilation) -> list[int]:
    lines = {line.line for line in compilation.lines} | {item.span.line for item in compilation.diagnostics}
    return sorted(lines)


def _block(compilation: Compilation, number: int, lang: str) -> list[tuple[str, str]]:
    here = [item for item in compilation.diagnostics if item.span.line == number]
    lines = [line for line in compilation.lines if line.line == number]
    status = _status(here, lines)
    said = _said(compilation, number, lines)
    rows = [(status, f"{MARKS[status]} {text('line', lang, number=str(number))}: {shortened(visible(said))}")]
    rows += [("", f"  → {shortened(visible(line.chosen))}") for line in lines if line.chosen]
    for item in here:
        rows += [("", "  " + row) for said in _explained(item, lang) for row in _wrapped(visible(said))]
    return rows


def _said(compilation: Compilation, number: int, lines: list[Line]) -> str:
    """A step without its number, any other line whole."""
    whole = compilation.source.line(number)
    text_start = len(whole) - len(whole.lstrip("\ufeff \t\u00a0"))
    return lines[0].text if lines and step_number(whole, number, text_start) else whole[text_start:].rstrip()


def _status(here: list[Diagnostic], lines: list[Line]) -> str:
    found = {item.severity for item in here} | {line.status for line in lines}
    return "error" if "error" in found else "warning" if "warning" in found else "ok"


def shortened(said: str) -> str:
    return said if len(said) <= _MOST else said[: _MOST - 1] + "…"


def visible(said: str) -> str:
    """Control characters as their names and tabs as four spaces: the box must keep its shape."""
    out = []
    for character in said.replace("\t", "    "):
        odd = unicodedata.category(character) in ("Cc", "Cf", "Cs", "Zl", "Zp")
        out.append(f"U+{ord(character):04X}" if odd else character)
    return "".join(out)


def _explained(item: Diagnostic, lang: str) -> list[str]:
    """Error, then what may have been meant, then facts; general help only where there is nothing better."""
    rows = [f"{text(item.severity, lang)}: {straight(message(item, lang))}"]
    rows += [_suggested(straight(suggestion_text(one, lang))) for one in item.suggestions]
    rows += [straight(note_text(note, lang)) for note in item.notes]
    if not item.suggestions and not item.notes:
        rows.append(f"{text('help', lang)}: {straight(help_text(item, lang))}")
    return rows


def _wrapped(said: str) -> list[str]:
    """Long sentences on several rows, the later ones indented."""
    return textwrap.wrap(said, _MOST, subsequent_indent="  ", break_on_hyphens=False) or [""]


def _suggested(said: str) -> str:
    """The box writes "Mente du: …"; sentences elsewhere have no colon."""
    return said.replace('Mente du "', 'Mente du: "').replace('Did you mean "', 'Did you mean: "')


def straight(said: str) -> str:
    return said.replace("«", '"').replace("»", '"')


def _footer(compilation: Compilation, lang: str) -> str:
    errors, warnings = len(compilation.errors), len(compilation.warnings)
    counts = [_count("errors", errors, lang)] if errors else []
    counts += [_count("warnings", warnings, lang)] if warnings else []
    more = [text("more", lang, count=str(compilation.more))] if compilation.more else []
    said = ", ".join(counts + more)
    if errors:
        return f"{said}. {text('try_again', lang)}"
    return f"{text('none_wrong', lang)} {said}." if said else text("none_wrong", lang)


def _count(what: str, count: int, lang: str) -> str:
    return text(f"{what}_one", lang) if count == 1 else text(f"{what}_many", lang, count=str(count))
