"""What the compiler has to say, as data: a code, a place, arguments, suggestions with edits.

Nothing here is text for people; `messages` turns a record into a sentence in bokmål or English when it is shown.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from orchestration.language.source import Span

Args = Mapping[str, Sequence[str]]
"""What the placeholders of a message stand for: a text, or several that are listed."""

MACHINE = "machine"
"""The edit says what the author meant: `--fix` applies it."""
MAYBE = "maybe"
"""The edit is a guess: a person chooses it."""
PLACEHOLDER = "placeholder"
"""The edit leaves something for a person to fill in."""


@dataclass(frozen=True, slots=True)
class Edit:
    """Replace the text at `span`; the new text may hold line breaks, the span may not."""

    span: Span
    text: str


@dataclass(frozen=True, slots=True)
class Suggestion:
    """A way out. `show` is the text that `label` (a key of the message catalogue) puts in quotes."""

    show: str
    applicability: str
    edits: tuple[Edit, ...] = ()
    label: str = "did_you_mean"


@dataclass(frozen=True, slots=True)
class Note:
    """A further fact, as a key of the message catalogue; with a place it is a label on other text."""

    key: str
    args: Args = field(default_factory=dict)
    span: Span | None = None


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """One mistake. `severity` is error, warning or info and is no part of the code's meaning."""

    code: str
    severity: str
    span: Span
    args: Args = field(default_factory=dict)
    suggestions: tuple[Suggestion, ...] = ()
    notes: tuple[Note, ...] = ()


class Reporter:
    """Collects diagnostics of one compile; drops an error that only repeats one already reported at its place."""

    def __init__(self, severities: Mapping[str, str]) -> None:
        self._severities = severities
        self.found: list[Diagnostic] = []
        self._errors: dict[int, list[Span]] = {}

    def report(
        self,
        code: str,
        span: Span,
        args: Args | None = None,
        suggestions: tuple[Suggestion, ...] = (),
        notes: tuple[Note, ...] = (),
        severity: str | None = None,
    ) -> None:
        level = severity or self._severities[code]
        errors = self._errors.setdefault(span.line, [])
        if any(old.overlaps(span) for old in errors):
            return
        if level == "error":
            errors.append(span)
        self.found.append(Diagnostic(code, level, span, args or {}, suggestions, notes))

    def failed_at(self, line: int) -> bool:
        return bool(self._errors.get(line))

    @property
    def failed(self) -> bool:
        return any(self._errors.values())

    def sorted(self) -> tuple[Diagnostic, ...]:
        return tuple(sorted(self.found, key=lambda item: (item.span, item.code)))
