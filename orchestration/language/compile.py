"""Text → plan. The one way in: commands, editor, language server and drafting all call `compile_recipe`."""

from __future__ import annotations

from dataclasses import dataclass, replace

from orchestration.language import actions, conditions, events, misspelling, technical
from orchestration.language.characters import check_size
from orchestration.language.context import Context
from orchestration.language.diagnostics import Diagnostic, Reporter
from orchestration.language.events import Trigger
from orchestration.language.messages import severities
from orchestration.language.plan import Alternative, Clause, Comment, Plan, PlanStep, ToolCall
from orchestration.language.plan import Trigger as PlanTrigger
from orchestration.language.print_technical import command
from orchestration.language.source import Source
from orchestration.language.structure import Structure
from orchestration.language.tree import Action, Fallback, Recipe, Step
from orchestration.language.verbs import NOUN, candidates
from orchestration.language.vocabulary import Vocabulary
from orchestration.language.words import Token, key_of

MAX_DIAGNOSTICS = 50
LAYERS = ("auto", "human", "technical")


@dataclass(frozen=True, slots=True)
class Line:
    """What became of one line of the text."""

    line: int
    status: str
    """ok, warning or error."""
    text: str
    step: int | None = None
    compiled: str = ""
    """The whole command."""
    chosen: str = ""
    """The command with only what the author's words chose."""


@dataclass(frozen=True, slots=True)
class Compilation:
    """`plan` is None exactly when a diagnostic is an error."""

    plan: Plan | None
    diagnostics: tuple[Diagnostic, ...]
    lines: tuple[Line, ...]
    lexicon_hash: str
    source: Source
    layer: str = "human"
    more: int = 0
    """Diagnostics beyond the limit of 50."""

    @property
    def errors(self) -> tuple[Diagnostic, ...]:
        return tuple(item for item in self.diagnostics if item.severity == "error")

    @property
    def warnings(self) -> tuple[Diagnostic, ...]:
        return tuple(item for item in self.diagnostics if item.severity == "warning")


def compile_recipe(text: str, vocabulary: Vocabulary, *, layer: str = "auto") -> Compilation:
    """Compile a recipe of either layer, or of both mixed.

    Args:
        text: any text at all; what is wrong with it is in the diagnostics.
        vocabulary: the tools there are.
        layer: "human" or "technical" to take only that one, "auto" to take each line as it is.

    Raises:
        ValueError: an unknown layer. Nothing else, for any text.
    """
    if layer not in LAYERS:
        raise ValueError(f"layer is one of {', '.join(LAYERS)}, not {layer!r}")
    first = _Compiler(text, vocabulary, layer).run()
    if not first.errors:
        return first
    return misspelling.read_through(first, lambda right: _Compiler(right, vocabulary, layer).run()) or first


class _Reader:
    """Answers the structure's questions about lines without a keyword."""

    def __init__(self, vocabulary: Vocabulary) -> None:
        self.vocabulary = vocabulary

    def is_action(self, tokens: list[Token]) -> bool:
        words = [token for token in tokens if token.kind != "mark"]
        found = candidates(words[:12], self.vocabulary) if words else []
        return bool(found) and (found[0].kind != NOUN or not found[0].left)

    def is_event(self, tokens: list[Token]) -> bool:
        return events.matches(tokens)

    def is_condition(self, tokens: list[Token]) -> bool:
        return conditions.matches(tokens, self.vocabulary.traits)


class _Compiler:
    def __init__(self, text: str, vocabulary: Vocabulary, layer: str) -> None:
        self.source = Source(text)
        self.vocabulary = vocabulary
        self.layer = layer
        self.reporter = Reporter(severities())
        self.lines: list[Line] = []

    def run(self) -> Compilation:
        recipe = Recipe()
        if check_size(self.source, self.reporter):
            recipe = Structure(self.source, self.reporter, _Reader(self.vocabulary), self.layer).read()
        trigger, clauses = self._header(recipe)
        context = Context(self.source, self.vocabulary, self.reporter, trigger)
        steps = [self._step(step, number, context) for number, step in enumerate(recipe.steps, 1)]
        failure = self._failure(recipe, context)
        plan = None
        if not self.reporter.failed and trigger is not None:
            plan = Plan(
                PlanTrigger(trigger.event, tuple(clauses), trigger.schedule),
                tuple(step for step in steps if step is not None),
                failure,
                self.vocabulary.lexicon_hash,
                tuple(Comment(remark.before, remark.text) for remark in recipe.remarks),
            )
        return self._result(plan, recipe)

    def _header(self, recipe: Recipe) -> tuple[Trigger | None, list[Clause]]:
        trigger = None
        if recipe.when is not None:
            trigger = events.resolve(recipe.when.tokens, recipe.when.keyword.span, self.reporter)
        clauses: list[Clause] = [(condition,) for condition in trigger.implied] if trigger else []
        for header in recipe.conditions:
            found = conditions.resolve(header, self.vocabulary.traits, self.reporter)
            clauses += [clause for clause in found if clause not in clauses]
        return trigger, clauses

    def _step(self, step: Step, number: int, context: Context) -> PlanStep | None:
        context.number, context.fallback = number, False
        first = self._action(step.action, step.line, number, context)
        context.fallback = True
        rest = [self._action(fallback.action, fallback.line, number, context) for fallback in step.fallbacks]
        if isinstance(first, ToolCall):
            context.earlier[number] = self.vocabulary.tools[first.tool]
        alternatives = [first, *rest]
        found = tuple(item for item in alternatives if item is not None)
        if len(found) < len(alternatives):
            return None
        return PlanStep(number, step.line, self._said(step.action), found)

    def _failure(self, recipe: Recipe, context: Context) -> tuple[Alternative, ...]:
        fallback: Fallback | None = recipe.failure
        if fallback is None:
            return ()
        context.number, context.fallback = len(recipe.steps) + 1, True
        found = self._action(fallback.action, fallback.line, None, context)
        return (found,) if found is not None else ()

    def _action(self, action: Action, line: int, step: int | None, context: Context) -> Alternative | None:
        said: list[str] = []
        if action.command:
            found = technical.resolve(action, context)
        else:
            found, said = actions.resolve(action, context)
        self.lines.append(self._line(action, line, step, found, said))
        return found

    def _line(self, action: Action, line: int, step: int | None, found: Alternative | None, said: list[str]) -> Line:
        whole = command(found, self.vocabulary) if found else ""
        only = None if action.command else frozenset(said)
        chosen = command(found, self.vocabulary, only) if found else ""
        return Line(line, "ok" if found else "error", self._said(action), step, whole, chosen)

    def _said(self, action: Action) -> str:
        parts = [self.source.slice(span) for span in (action.span, *action.more)]
        return " ".join(part.strip() for part in parts)

    def _result(self, plan: Plan | None, recipe: Recipe) -> Compilation:
        diagnostics = self.reporter.sorted()
        lines = tuple(self._with_status(line, diagnostics) for line in sorted(self.lines, key=lambda item: item.line))
        return Compilation(
            plan,
            diagnostics[:MAX_DIAGNOSTICS],
            lines,
            self.vocabulary.lexicon_hash,
            self.source,
            _layer_of(recipe),
            max(0, len(diagnostics) - MAX_DIAGNOSTICS),
        )

    def _with_status(self, line: Line, diagnostics: tuple[Diagnostic, ...]) -> Line:
        here = {item.severity for item in diagnostics if item.span.line == line.line}
        status = "error" if "error" in here or line.status == "error" else "warning" if "warning" in here else "ok"
        return replace(line, status=status)


def _layer_of(recipe: Recipe) -> str:
    """Technical when every action is a command; "teknisk:" steps belong to the human layer."""
    found = [step.action for step in recipe.steps]
    commands = [
        action.command and key_of(action.tokens[0].text) in ("synops", "work_item") for action in found if action.tokens
    ]
    return "technical" if commands and all(commands) else "human"
