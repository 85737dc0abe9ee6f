"""Text → tree: which line is what. Shared by both layers; what a line *means* is decided later.

Every line ends up in the tree or in a diagnostic. A line that cannot be placed is never passed over.
"""

from __future__ import annotations

from orchestration.language import inline
from orchestration.language import keywords as kw
from orchestration.language.characters import check_line, too_many
from orchestration.language.comments import end_of_content
from orchestration.language.diagnostics import MACHINE, MAYBE, Edit, Reporter, Suggestion
from orchestration.language.inline import Reader
from orchestration.language.keywords import as_on_error, span_with, without_comma
from orchestration.language.source import Source, Span, base_indent, indent_of
from orchestration.language.tree import Action, Header, Recipe, Remark, Step
from orchestration.language.whole import OnError, State, Whole
from orchestration.language.words import Token, span_of, tokenize

MAX_STEPS = 50
_COMMANDS = ("synops", "work_item")


class Structure:
    """One reading of one source."""

    def __init__(self, source: Source, reporter: Reporter, reader: Reader, layer: str = "auto") -> None:
        self.source = source
        self.reporter = reporter
        self.reader = reader
        self.layer = layer
        self.state = State()
        self.base_indent = base_indent(source)
        self.end = 0
        """Where the content of the line being read ends."""

    def read(self) -> Recipe:
        for line in range(1, len(self.source.lines) + 1):
            if check_line(self.source, line, self.reporter):
                self._line(line)
        Whole(self.state, self.source, self.reporter).check()
        return self.state.recipe

    def _line(self, line: int) -> None:
        text = self.source.line(line)
        start = len(text) - len(text.lstrip("\ufeff \t\u00a0\u2007\u202f\u2009"))
        if not text[start:].strip():
            self.state.blank = True
            return
        if text.startswith(("#", "//"), start):
            self._comment(text[start:].rstrip())
            return
        if text.startswith("--", start) and self._continue_command(line, start):
            return
        self.end = end_of_content(self.source, line, start, self.reporter)
        known = self._content(line, start)
        self.state.blank = False
        self.state.unknown_before = not known

    def _comment(self, text: str) -> None:
        self.state.remarks.append(Remark("# " + text.lstrip("#/").strip()))

    def _continue_command(self, line: int, start: int) -> bool:
        steps = self.state.recipe.steps
        if not steps:
            return False
        last = steps[-1].action
        late = [entry.action for entry in self.state.on_errors if entry.line > steps[-1].line]
        action = late[-1] if late else last
        if not action.command:
            return False
        action.more.append(Span(line, start, len(self.source.line(line).rstrip())))
        return True

    def _content(self, line: int, start: int) -> bool:
        """Place one line; False when it is unknown."""
        text = self.source.line(line)
        number = kw.step_number(text, line, start)
        if number is not None and not kw.double_number(text, line, start):
            self._step(line, number, number.span.end)
            return True
        if kw.double_number(text, line, start):
            number = self._double_number(text, line, start)
            self._step(line, number, number.span.end)
            return True
        tokens = tokenize(text, line, start, self.end)
        failure = kw.failure_clause(tokens)
        keyword = failure or kw.keyword_at(tokens)
        if keyword is not None:
            return self._keyword_line(line, keyword, tokens)
        return self._bare_line(line, start, tokens)

    def _double_number(self, text: str, line: int, start: int) -> kw.Number:
        """ "1. 2. …" and "1.1 …": steps have no steps of their own."""
        place = kw.double_number(text, line, start) or Span(line, start, start)
        number = len(self.state.recipe.steps) + 1
        args = {"written": self.source.slice(place).strip(), "actual": str(number)}
        fix = Suggestion(f"{number}. ", MACHINE, (Edit(place, f"{number}. "),), "write")
        self.reporter.report("ORK-206", place, args, (fix,), severity="error")
        return kw.Number(number, place, proper=True)

    # Lines with a keyword

    def _keyword_line(self, line: int, keyword: kw.Keyword, tokens: list[Token]) -> bool:
        rest = tokens[keyword.length :]
        if keyword.concept == kw.WHEN:
            self._when(keyword, rest)
        elif keyword.concept in (kw.IF, kw.UNLESS):
            self._if(keyword, rest)
        elif keyword.concept in (kw.AND, kw.OR) and self.state.recipe.conditions and not self.state.recipe.steps:
            self._continue_condition(keyword, tokens, rest)
        elif keyword.concept == kw.ON_ERROR:
            self._on_error(line, keyword, tokens, rest)
        elif keyword.concept == kw.THEN and not rest:
            return True  # "Så:" between header and steps says nothing more
        elif keyword.concept == kw.THEN and self.reader.is_action(rest):
            self._step(line, None, rest[0].span.start, written=tokens[0].span.start)
        else:
            return self._bare_line(line, tokens[0].span.start, tokens)
        return True

    def _when(self, keyword: kw.Keyword, rest: list[Token]) -> None:
        if self.state.recipe.when is not None:
            self.reporter.report("ORK-102", keyword.token.span)
            return
        self.state.anchor("when")
        rest, action = inline.step(rest, self.reader)
        found = inline.condition(rest, self.reader)
        if found:
            index, condition = found
            head, tail = rest[:index], rest[index + condition.length :]
            rest = head[:-1] if head and head[-1].text in (",", ";") else head
            self._if(condition, tail)
        self.state.recipe.when = Header(keyword.token, rest, span_with(keyword.token, rest))
        self._add_inline_step(rest, action)

    def _if(self, keyword: kw.Keyword, rest: list[Token]) -> None:
        if self.state.recipe.when is None and self._is_only_event(rest):
            self._wrong_keyword(keyword.token.span, "NÅR")
            self._when(keyword, rest)
            return
        if self.state.recipe.steps:
            self.reporter.report("ORK-205", span_with(keyword.token, rest))
            return
        self.state.anchor("if")
        rest, action = inline.step(rest, self.reader)
        header = Header(keyword.token, rest, span_with(keyword.token, rest), negated=keyword.concept == kw.UNLESS)
        self.state.recipe.conditions.append(header)
        self._add_inline_step(rest, action)

    def _is_only_event(self, rest: list[Token]) -> bool:
        return bool(rest) and self.reader.is_event(rest) and not self.reader.is_condition(rest)

    def _continue_condition(self, keyword: kw.Keyword, tokens: list[Token], rest: list[Token]) -> None:
        again = kw.keyword_at(rest)
        if again and again.concept in (kw.IF, kw.UNLESS):
            self._if(again, rest[again.length :])
        elif keyword.concept == kw.AND:
            self._if(kw.Keyword(kw.IF, keyword.token, keyword.length), rest)
        else:
            self.state.recipe.conditions[-1].tokens += tokens

    def _add_inline_step(self, head: list[Token], tail: list[Token]) -> None:
        if not tail:
            return
        number = len(self.state.recipe.steps) + 1
        line = tail[0].span.line
        start = head[-1].span.end if head else tail[0].span.start
        fix = Suggestion(
            f"{number}. ", MACHINE, (Edit(Span(line, start, tail[0].span.start), f"\n{number}. "),), "new_line"
        )
        self.reporter.report("ORK-207", span_of(tail), {"number": str(number)}, (fix,))
        self._add_step(line, None, self._action(span_of(tail)))

    # Steps

    def _step(self, line: int, number: kw.Number | None, start: int, written: int | None = None) -> None:
        text = self.source.line(line)
        body = Span(line, start, max(start, self.end))
        place = number.span if number else Span(line, start if written is None else written, start)
        tokens = tokenize(text, line, start, self.end)
        failure = inline.failure(tokens)
        if failure:
            index, keyword = failure
            body = Span(line, start, without_comma(tokens[:index]))
            self._add_step(line, number, self._action(body), place)
            tail = tokens[index + keyword.length :]
            self._on_error(line, keyword, tokens[index:], tail, indented=True)
        elif body.start >= body.end:
            self.reporter.report("ORK-202", self.source.whole(line))
            self.state.anchor(f"step {len(self.state.recipe.steps) + 1}")
        else:
            self._add_step(line, number, self._action(body, tokens), place)

    def _add_step(self, line: int, number: kw.Number | None, action: Action, place: Span | None = None) -> None:
        steps = self.state.recipe.steps
        if len(steps) == MAX_STEPS:
            self.reporter.report("ORK-005", action.span, too_many("steg", MAX_STEPS + 1, MAX_STEPS))
        if len(steps) < MAX_STEPS:
            self.state.anchor(f"step {len(steps) + 1}")
            steps.append(Step(line, number.written if number else None, action))
            self.state.numbers.append((number, place or Span(0, 0, 0)))

    def _action(self, body: Span, tokens: list[Token] | None = None) -> Action:
        if tokens is None:
            tokens = tokenize(self.source.line(body.line), body.line, body.start, body.end)
        first = tokens[0].key if tokens else ""
        raw = len(tokens) > 1 and first in ("teknisk", "technical", "raw") and tokens[1].text == ":"
        if raw and len(tokens) > 2:
            return Action(Span(body.line, tokens[2].span.start, body.end), tokens[2:], command=True)
        command = self.layer == "technical" or (first in _COMMANDS and (first != "synops" or tokens[1:2] != []))
        return Action(body, tokens, command=command and not raw)

    # Fallbacks

    def _on_error(
        self, line: int, keyword: kw.Keyword, tokens: list[Token], rest: list[Token], indented: bool | None = None
    ) -> None:
        colon = tokens[keyword.length - 1].text == ":"
        if keyword.token.key not in kw.CANONICAL_ON_ERROR or not colon:
            written = keyword.token.span.to(tokens[keyword.length - 1].span)
            english = keyword.token.key in ("on failure", "if it fails", "on fail")
            fix = Suggestion(
                "on error:" if english else "ved feil:",
                MACHINE,
                (Edit(written, "on error:" if english else "ved feil:"),),
                "write",
            )
            self.reporter.report("ORK-605", written, {"phrase": keyword.token.text}, (fix,))
        if not rest:
            self.reporter.report("ORK-202", keyword.token.span)
            return
        text = self.source.line(line)
        body = Span(line, rest[0].span.start, self.end)
        self.state.anchor(f"fallback {len(self.state.on_errors)}")
        if indented is None:
            indented = indent_of(text) > self.base_indent
        steps = len(self.state.recipe.steps)
        entry = OnError(line, self._action(body), indented, self.state.blank, steps, keyword.token.span)
        self.state.on_errors.append(entry)

    # Lines without a keyword

    def _bare_line(self, line: int, start: int, tokens: list[Token]) -> bool:
        if not tokens:
            return True
        if self._command_line(tokens) or self.reader.is_action(tokens):
            self._step(line, None, start)
            return True
        if self._misspelt_keyword(line, tokens):
            return True
        if not self.state.unknown_before:
            self.reporter.report("ORK-104", self.source.whole(line))
        return False

    @staticmethod
    def _command_line(tokens: list[Token]) -> bool:
        return tokens[0].text == "synops" and len(tokens) > 1 and tokens[1].hyphen

    def _misspelt_keyword(self, line: int, tokens: list[Token]) -> bool:
        """A wrong keyword is told by its spelling or, when it is a word of its own, by its place in the recipe."""
        recipe, rest = self.state.recipe, tokens[1:]
        count = kw.misspelt_on_error(tokens)
        if count and recipe.steps:
            self._wrong_keyword(span_of(tokens[: count - 1]), "ved feil")
            self._on_error(line, kw.Keyword(kw.ON_ERROR, as_on_error(tokens[:count]), count), tokens, tokens[count:])
            return True
        if recipe.steps or not rest:
            return recipe.when is None and not recipe.steps and self._missing_when(tokens)
        concept = kw.WHEN if recipe.when is None else kw.IF
        near = kw.misspelt(tokens[0], (concept,) if concept == kw.IF else (kw.WHEN, kw.IF))
        if near is None and concept == kw.WHEN and self.reader.is_event(tokens):
            return self._missing_when(tokens)
        if near is None and concept == kw.WHEN and self.reader.is_event(rest):
            near = (kw.WHEN, "når")
        if near is None and len(rest) > 1 and rest[0].kind != "mark" and self.reader.is_condition(rest):
            near = (kw.IF, "hvis")
        if near is None:
            return False
        self._wrong_keyword(tokens[0].span, near[1].upper())
        keyword = kw.Keyword(near[0], tokens[0], 1)
        return self._keyword_line(line, keyword, tokens)

    def _wrong_keyword(self, span: Span, right: str) -> None:
        fix = Suggestion(right, MAYBE, (Edit(span, right),))
        self.reporter.report("ORK-103", span, {"word": self.source.slice(span)}, (fix,))

    def _missing_when(self, tokens: list[Token]) -> bool:
        if not self.reader.is_event(tokens):
            return False
        place = span_of(tokens)
        text = "NÅR " + self.source.slice(place)
        fix = Suggestion(text, MACHINE, (Edit(Span(place.line, place.start, place.start), "NÅR "),), "write")
        self.reporter.report("ORK-101", place, {}, (fix,))
        self.state.anchor("when")
        self.state.recipe.when = Header(tokens[0], tokens, place)
        return True
