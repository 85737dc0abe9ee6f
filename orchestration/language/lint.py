"""What is wrong with the words that tools bring: checked when a tool is registered, and by name.

Two tools must not answer to one phrase in any of its forms, and no verb may begin with a word that changes a meaning.
The compiler is safe without this (it reports an ambiguity rather than guess), but an author cannot mend a tool.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from orchestration.language import packs
from orchestration.language.describe import Param, Tool
from orchestration.language.packs import Entry
from orchestration.language.vocabulary import WORK_ITEM, Vocabulary

MAX_WORDS, MAX_LETTERS = 5, 60
_FORBIDDEN = re.compile(r"[0-9\"'«»“”(){}#:,;]")
_NAMESPACES = ("steps", "error", "input", "upstream", "run")


@dataclass(frozen=True, slots=True)
class Problem:
    """`tool` is the one to change; `other` the tool that it collides with, if any."""

    tool: str
    sentence: str
    other: str = ""
    verb: str = ""
    """The verb that the tool should not have, when the problem is one."""


def lint(vocabulary: Vocabulary, first_come: Sequence[str] = ()) -> list[Problem]:
    """Every problem. Of two tools with one verb the later in `first_come` is the one to change; else by name."""
    found = [problem for tool in vocabulary.tools.values() for problem in _of_tool(tool)]
    return found + list(_collisions(vocabulary, first_come)) + list(_false_suggestions(vocabulary))


def _of_tool(tool: Tool) -> Iterator[Problem]:
    for _, alias in tool.aliases:
        reason = _reserved(alias)
        if reason:
            yield Problem(tool.name, f"the verb “{alias}” {reason}", verb=alias)
    for param in tool.params:
        yield from _of_param(tool, param)


def _reserved(alias: str) -> str:
    words = alias.casefold().split()
    if not words or len(alias) < 2:
        return "is too short"
    if len(words) > MAX_WORDS or len(alias) > MAX_LETTERS:
        return f"is longer than {MAX_WORDS} words or {MAX_LETTERS} letters"
    if _FORBIDDEN.search(alias):
        return "holds a digit or a mark that has a meaning in recipes"
    forbidden = packs.word_set("negation") | packs.word_set("waiting") | packs.word_set("limits")
    keywords = {
        entry.base[0] for entry in packs.fixed("keywords").entries if entry.meaning in ("when", "if", "on_error")
    }
    if words[0] in forbidden | keywords:
        return f"begins with “{words[0]}”, which changes what a step means"
    return ""


def _of_param(tool: Tool, param: Param) -> Iterator[Problem]:
    names = {name for event in packs.events().values() for name in event.variables}
    for bind in param.bind:
        space, _, name = bind.partition(".")
        if space not in _NAMESPACES and (space != "event" or name not in names):
            yield Problem(tool.name, f"{param.flag} is bound to {{{bind}}}, which no event gives")
    said: dict[str, str] = {}
    for value, words in param.enum:
        for _, phrase in words:
            other = said.setdefault(phrase.casefold(), value)
            if other != value:
                yield Problem(tool.name, f"“{phrase}” chooses both {other} and {value} of {param.flag}")


def _collisions(vocabulary: Vocabulary, first_come: Sequence[str]) -> Iterator[Problem]:
    """Phrases of two tools that share a form of every word."""
    order = {name: place for place, name in enumerate((WORK_ITEM, *first_come))}
    entries = sorted(
        vocabulary.aliases.entries, key=lambda entry: (order.get(entry.meaning, 999), entry.meaning, entry.base)
    )
    by_form: dict[str, list[Entry]] = {}
    seen: set[tuple[str, str, str]] = set()
    for entry in entries:
        near = [other for key in sorted(entry.phrase[0]) for other in by_form.get(key, ())]
        for other in near:
            key = (entry.meaning, " ".join(entry.base), other.meaning)
            if other.meaning != entry.meaning and key not in seen and _same(entry, other):
                seen.add(key)
                said = f"the verb “{' '.join(entry.base)}” is also “{' '.join(other.base)}” of {other.meaning}"
                yield Problem(entry.meaning, said, other.meaning, " ".join(entry.base))
        for form in entry.phrase[0]:
            by_form.setdefault(form, []).append(entry)


def _same(entry: Entry, other: Entry) -> bool:
    if len(entry.phrase) != len(other.phrase):
        return False
    return all(one & two for one, two in zip(entry.phrase, other.phrase, strict=True))


def _false_suggestions(vocabulary: Vocabulary) -> Iterator[Problem]:
    real = {entry.base: entry.meaning for entry in vocabulary.aliases.entries}
    for entry in vocabulary.suggest_for.entries:
        if entry.base in real:
            said = f"“{' '.join(entry.base)}” is suggested for, but is a verb of {real[entry.base]}"
            yield Problem(entry.meaning, said, real[entry.base])
