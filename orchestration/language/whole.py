"""What can only be said of the whole recipe: which step a fallback belongs to, whether numbers and header are right."""

from __future__ import annotations

from dataclasses import dataclass, field

from orchestration.language.diagnostics import MACHINE, MAYBE, Edit, Reporter, Suggestion
from orchestration.language.keywords import Number
from orchestration.language.source import Source, Span
from orchestration.language.tree import Action, Fallback, Recipe, Remark

MAX_FALLBACKS = 3


@dataclass(slots=True)
class OnError:
    line: int
    action: Action
    indented: bool
    after_blank: bool
    step: int
    """Steps read before it."""
    keyword: Span


@dataclass(slots=True)
class State:
    recipe: Recipe = field(default_factory=Recipe)
    on_errors: list[OnError] = field(default_factory=list)
    remarks: list[Remark] = field(default_factory=list)
    """Comments not yet standing above anything."""
    blank: bool = True
    unknown_before: bool = False
    numbers: list[tuple[Number | None, Span]] = field(default_factory=list)

    def anchor(self, before: str) -> None:
        """The comments read so far stand above this."""
        for remark in self.remarks:
            remark.before = before
        self.recipe.remarks += self.remarks
        self.remarks = []


class Whole:
    """The last look at a recipe whose lines are all read."""

    def __init__(self, state: State, source: Source, reporter: Reporter) -> None:
        self.state = state
        self.source = source
        self.reporter = reporter

    def check(self) -> None:
        self._check_numbers()
        self._place_fallbacks()
        self._check_header()
        self.state.recipe.remarks += self.state.remarks

    def _check_numbers(self) -> None:
        for index, (number, place) in enumerate(self.state.numbers, 1):
            if place.line == 0:
                continue
            fix = (Suggestion(f"{index}. ", MACHINE, (Edit(place, f"{index}. "),), "write"),)
            if number is None or number.written is None or not number.proper:
                shown = place if place.end > place.start else self.source.whole(place.line)
                self.reporter.report("ORK-207", shown, {"number": str(index)}, fix)
            elif number.written != index:
                self.reporter.report("ORK-206", place, {"written": str(number.written), "actual": str(index)}, fix)

    def _place_fallbacks(self) -> None:
        """G20–G25: indented belongs to the step above; at column 0 after the last step it is the recipe's."""
        steps = self.state.recipe.steps
        for index, entry in enumerate(self.state.on_errors):
            if entry.step == 0:
                self.reporter.report("ORK-601", entry.keyword)
            elif entry.indented:
                self._attach(entry, index)
            elif entry.step < len(steps):
                fix = Suggestion("", MACHINE, (self._indent_edit(entry),), "indent")
                self.reporter.report("ORK-602", entry.keyword, {}, (fix,))
                self._attach(entry, index)
            elif self.state.recipe.failure is not None:
                fix = Suggestion("", MAYBE, (self._indent_edit(entry),), "indent")
                self.reporter.report("ORK-604", entry.keyword, {}, (fix,))
            else:
                self._common(entry, index)

    def _common(self, entry: OnError, index: int) -> None:
        self.state.recipe.failure = Fallback(entry.line, entry.action)
        self._rename_anchor(index, "failure")
        if not entry.after_blank:
            edit = self._indent_edit(entry)
            blank = Suggestion(
                "", MAYBE, (Edit(Span(entry.line, edit.span.start, edit.span.start), "\n"),), "blank_line"
            )
            indent = Suggestion("", MAYBE, (edit,), "indent")
            self.reporter.report("ORK-606", entry.keyword, {}, (blank, indent))

    def _indent_edit(self, entry: OnError) -> Edit:
        start = len(self.source.line(entry.line)) - len(self.source.line(entry.line).lstrip("\ufeff \t"))
        return Edit(Span(entry.line, start, start), "   ")

    def _attach(self, entry: OnError, index: int) -> None:
        step = self.state.recipe.steps[entry.step - 1]
        if len(step.fallbacks) >= MAX_FALLBACKS:
            self.reporter.report("ORK-603", entry.keyword, {"limit": str(MAX_FALLBACKS)})
            return
        step.fallbacks.append(Fallback(entry.line, entry.action, len(step.fallbacks) + 1))
        self._rename_anchor(index, f"fallback {entry.step}.{len(step.fallbacks)}")

    def _rename_anchor(self, index: int, name: str) -> None:
        for remark in self.state.recipe.remarks:
            if remark.before == f"fallback {index}":
                remark.before = name

    def _check_header(self) -> None:
        recipe, last = self.state.recipe, self.source.last_text_line()
        prose = any(item.code in ("ORK-104", "ORK-005", "ORK-202") for item in self.reporter.found)
        if recipe.when is None and recipe.steps:
            self.reporter.report("ORK-101", self.source.whole(self._first_line()))
        if not recipe.steps and not prose and not self.reporter.failed:
            self.reporter.report("ORK-201", self.source.whole(last))

    def _first_line(self) -> int:
        lines = [step.line for step in self.state.recipe.steps] + [
            item.span.line for item in self.state.recipe.conditions
        ]
        return min(lines)
