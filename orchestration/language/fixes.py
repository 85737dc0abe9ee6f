"""Applying suggestions to the text."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from orchestration.language.diagnostics import MACHINE, Edit
from orchestration.language.source import Source

if TYPE_CHECKING:
    from orchestration.language.compile import Compilation


def apply(text: str, edits: Iterable[Edit]) -> str:
    """The text with the edits made, lines joined by newlines; of two that overlap the first is made."""
    lines = list(Source(text).lines)
    for edit in reversed(_without_overlap(edits)):
        span = edit.span
        line = lines[span.line - 1]
        lines[span.line - 1] = line[: span.start] + edit.text + line[span.end :]
    return "\n".join(lines)


def _without_overlap(edits: Iterable[Edit]) -> list[Edit]:
    kept: list[Edit] = []
    for edit in sorted(dict.fromkeys(edits), key=lambda item: item.span):
        if not kept or not kept[-1].span.overlaps(edit.span):
            kept.append(edit)
    return kept


def machine_edits(compilation: Compilation) -> list[Edit]:
    """The edits that may be made unasked: the first such suggestion of each diagnostic."""
    found: list[Edit] = []
    for diagnostic in compilation.diagnostics:
        sure = [item for item in diagnostic.suggestions if item.applicability == MACHINE]
        found += sure[0].edits if sure else ()
    return found
