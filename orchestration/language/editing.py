"""What an editor asks while a recipe is written: what may stand here, what stands there, the text in good form."""

from __future__ import annotations

from dataclasses import dataclass

from orchestration.language import packs
from orchestration.language.compile import Compilation, Line, compile_recipe
from orchestration.language.describe import Tool, first_phrase
from orchestration.language.keywords import IF, ON_ERROR, UNLESS, WHEN, keyword_at, step_number
from orchestration.language.messages import help_text, message, shown
from orchestration.language.print_human import print_human
from orchestration.language.print_technical import print_technical
from orchestration.language.source import Source
from orchestration.language.vocabulary import Vocabulary
from orchestration.language.words import Token, tokenize


@dataclass(frozen=True, slots=True)
class Proposal:
    """A text that may be written at a place, and what it stands for."""

    text: str
    detail: str


def complete(text: str, line: int, column: int, vocabulary: Vocabulary, lang: str = "nb") -> list[Proposal]:
    """What may be written at a code point column (0-based) of a line (1-based)."""
    source = Source(text)
    before = source.line(line)[:column]
    start = len(before) - len(before.lstrip("\ufeff \t\u00a0"))
    number = step_number(before + " ", line, start)
    if number is not None:
        return _step(tokenize(before, line, min(number.span.end, len(before))), source, line, vocabulary, lang)
    tokens = tokenize(before, line, start)
    keyword = keyword_at(tokens)
    if keyword is None or (len(before) == tokens[-1].span.end and len(tokens) <= keyword.length):
        return _keywords(lang)
    if keyword.concept == WHEN:
        return event_phrases(lang)
    if keyword.concept in (IF, UNLESS):
        return condition_phrases(lang)
    if keyword.concept == ON_ERROR:
        return _step(tokens[keyword.length :], source, line, vocabulary, lang)
    return []


def _keywords(lang: str) -> list[Proposal]:
    words = packs.printing(lang)
    return [Proposal(f"{words['when']} ", ""), Proposal(f"{words['if']} ", ""), Proposal(f"{words['on_error']} ", "")]


def event_phrases(lang: str) -> list[Proposal]:
    """What may stand behind NÅR, with the event that each means."""
    words = packs.printing(lang)
    found = [Proposal(str(phrase), name) for name, phrase in words["events"].items()]
    weekly = str(words["clock"]["weekly"]).replace("{days}", packs.raw_pack(lang)["clock"]["days"][1])
    return [*found, Proposal(weekly.replace("{time}", "08:00"), "scheduled.due")]


def event_in_words(event: str, lang: str) -> str:
    """An event as one would write it behind NÅR; one that is unknown as it is."""
    return str(packs.printing(lang)["events"].get(event, event))


def condition_phrases(lang: str) -> list[Proposal]:
    """What may stand behind HVIS, with the condition that each means."""
    words = packs.printing(lang)["conditions"]
    found = []
    for predicate in ("has_trait", "has_media", "node_kind"):
        values = packs.raw_pack(lang)["conditions"][predicate]
        found += [
            Proposal(f"{words[predicate][0]} {phrases[0]}", f"{predicate} {value}") for value, phrases in values.items()
        ]
    return [*found, Proposal(f'{words["has_tag"][0]} "…"', "has_tag")]


def _step(tokens: list[Token], source: Source, line: int, vocabulary: Vocabulary, lang: str) -> list[Proposal]:
    """Inside brackets the tool's choices, elsewhere verbs."""
    depth = sum((token.text == "(") - (token.text == ")") for token in tokens if token.kind == "mark")
    if depth > 0:
        tool = _tool_of(source, line, vocabulary)
        return _choices(tool, lang) if tool else []
    found = [
        Proposal(_with_object(tool, lang), tool.description.get(shown(lang), tool.name)) for tool in vocabulary.ranked()
    ]
    return [*found, Proposal(f'{packs.printing(lang)["work_item"]} "…"', "work_item")]


def _with_object(tool: Tool, lang: str) -> str:
    """The verb, with its object where the verb alone says little."""
    alias = tool.alias(lang)
    bound = next((param for param in tool.params if param.bind and param.hints), None)
    if bound is None or len(alias.split()) > 1:
        return alias
    hint = first_phrase(bound.hints, lang)
    return f"{alias} {packs.printing(lang)['definite'].get(hint, hint)}"


def _tool_of(source: Source, line: int, vocabulary: Vocabulary) -> Tool | None:
    """The tool of a step that is still being written: read as if it ended before its bracket."""
    said = source.line(line).partition("(")[0]
    start = len(said) - len(said.lstrip())
    number = step_number(said, line, start)
    body = said[number.span.end :] if number else said.partition(":")[2] or said
    trial = compile_recipe(f"NÅR innspilling avsluttet\n1. {body}", vocabulary)
    name = trial.lines[0].chosen.split(" ")[0] if trial.lines else ""
    return vocabulary.tools.get(name)


def _choices(tool: Tool, lang: str) -> list[Proposal]:
    found = []
    for param in tool.params:
        found += [Proposal(first_phrase(words, lang) or value, f"{param.flag} {value}") for value, words in param.enum]
        if param.slot == "number":
            found.append(Proposal(f"10 {first_phrase(param.units or param.hints, lang)}".strip(), param.flag))
    return found


def hover(compilation: Compilation, line: int, vocabulary: Vocabulary, lang: str = "nb") -> str:
    """Markdown on one line: the command it compiles to, its tool, and what is wrong with it; empty when nothing."""
    parts = [
        _explained(found, vocabulary, lang) for found in compilation.lines if found.line == line and found.compiled
    ]
    here = [item for item in compilation.diagnostics if item.span.line == line]
    parts += [f"**{item.code}** {message(item, lang)}\n\n{help_text(item, lang)}" for item in here]
    return "\n\n".join(parts)


def _explained(found: Line, vocabulary: Vocabulary, lang: str) -> str:
    tool = vocabulary.tools.get(found.compiled.split(" ")[0])
    described = tool.description.get(shown(lang), "") if tool else ""
    return f"```\n{found.compiled}\n```" + (f"\n\n{described}" if described else "")


def formatted(compilation: Compilation, vocabulary: Vocabulary, lang: str = "nb") -> str | None:
    """The recipe in the canonical form of its own layer; None while it has errors."""
    if compilation.plan is None:
        return None
    if compilation.layer == "technical":
        return print_technical(compilation.plan, vocabulary)
    return print_human(compilation.plan, vocabulary, lang)


def language_of(text: str) -> str:
    """The language to format a recipe in: that of its keywords."""
    source = Source(text)
    for number, line in enumerate(source.lines, 1):
        keyword = keyword_at(tokenize(line.lstrip(), number))
        if keyword and keyword.token.key in ("when", "whenever", "if"):
            return "en"
        if keyword and keyword.token.key == "viss":
            return "nn"
    return "nb"
