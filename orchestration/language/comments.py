"""A comment behind something else on its line: it is not read, and said to belong on a line of its own."""

from __future__ import annotations

from orchestration.language.diagnostics import MACHINE, Edit, Reporter, Suggestion
from orchestration.language.source import Source, Span
from orchestration.language.words import tokenize


def end_of_content(source: Source, line: int, start: int, reporter: Reporter) -> int:
    """Where the line's content ends: before a trailing comment, which is reported, or at its last visible character."""
    text = source.line(line)
    end = len(text.rstrip())
    if "#" not in text[start:]:
        return end
    depth, before = 0, start
    for token in tokenize(text, line, start):
        if token.kind == "mark" and token.text in "()":
            depth += 1 if token.text == "(" else -1
        apart = token.span.start > before
        if token.kind == "mark" and token.text == "#" and depth <= 0 and apart and token.span.start > start:
            _report(source, line, start, Span(line, token.span.start, end), before, reporter)
            return before
        before = token.span.end
    return end


def _report(source: Source, line: int, start: int, comment: Span, before: int, reporter: Reporter) -> None:
    """The fix moves the comment above its line."""
    said = source.slice(comment)
    own = Edit(Span(line, start, start), f"{said}\n")
    cut = Edit(Span(line, before, comment.end), "")
    reporter.report("ORK-210", comment, {"comment": said}, (Suggestion(said, MACHINE, (own, cut), "new_line"),))
