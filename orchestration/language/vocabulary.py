"""All the words that recipes may use: the tools' own, ready to be found in a line, over the language packs."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from orchestration.language import packs
from orchestration.language.describe import ANY, Param, Tool, Words, read_tool
from orchestration.language.packs import Entry, Phrase, PhraseTable
from orchestration.language.words import split_key

WORK_ITEM = "work_item"
"""Stands where a tool's name stands, for the built-in "opprett oppgave"."""


@dataclass(frozen=True, slots=True)
class Hint:
    """A phrase that sets a parameter: to a value, or (value None) to the variable the parameter binds."""

    phrase: Phrase
    base: tuple[str, ...]
    param: Param
    value: str | None
    language: str


@dataclass(frozen=True)
class Vocabulary:
    """The tools by name, in name order: no result depends on the order in which they were given."""

    tools: Mapping[str, Tool]
    traits: frozenset[str] = field(default_factory=frozenset)
    digest: str = ""
    off: Mapping[str, Tool] = field(default_factory=dict)
    """Tools that are turned off or gone: their words are known only to say so."""

    @classmethod
    def from_tools(cls, described: Iterable[Mapping[str, Any]], traits: Iterable[str] = ()) -> Vocabulary:
        """Read `--describe` records; of two with one name the last is taken.

        Args:
            described: the records, in full or short form; one with `available: false` is known only as turned off.
            traits: further values of has_trait in use in this installation.

        Raises:
            ValueError: a record that cannot be read.
        """
        records = {str(item.get("name") or item.get("binary")): item for item in described}
        every = {name: read_tool(records[name]) for name in sorted(records)}
        tools = {name: tool for name, tool in every.items() if records[name].get("available", True)}
        off = {name: tool for name, tool in every.items() if name not in tools}
        text = json.dumps([records[name] for name in tools], sort_keys=True, ensure_ascii=False, default=str)
        whole = f"{packs.packs_digest()}\0{text}".encode("utf-8", "surrogatepass")
        return cls(tools, frozenset(traits), hashlib.sha256(whole).hexdigest()[:16], off)

    @property
    def lexicon_hash(self) -> str:
        """Changes when any word that recipes may use does: stored plans with another hash are recompiled."""
        return self.digest

    @cached_property
    def aliases(self) -> PhraseTable:
        """Verb phrases; the meaning of each is its tool."""
        table = PhraseTable()
        for tool in self.tools.values():
            for language, phrase in (*tool.aliases, *tool.former_aliases):
                _add_alias(table, tool.name, language, phrase)
        for language in packs.LANGUAGES:
            for phrase in packs.raw_pack(language)["builtins"][WORK_ITEM]:
                _add_alias(table, WORK_ITEM, language, phrase)
        return table

    @cached_property
    def _former(self) -> frozenset[tuple[str, tuple[str, ...]]]:
        pairs = [(tool, phrase) for tool in self.tools.values() for _, phrase in tool.former_aliases]
        return frozenset((tool.name, split_key(phrase)) for tool, phrase in pairs)

    def is_former(self, entry: Entry) -> bool:
        """Whether this verb phrase is understood only because its tool once had it."""
        return (entry.meaning, entry.base) in self._former

    @cached_property
    def _current(self) -> list[Entry]:
        return [entry for entry in self.aliases.entries if not self.is_former(entry)]

    @cached_property
    def turned_off(self) -> Vocabulary:
        """The words of the tools that are off, as a vocabulary of their own."""
        return Vocabulary(self.off)

    @cached_property
    def noun_aliases(self) -> PhraseTable:
        """What is left of a verb phrase when a hurried author drops the verb: "rss-feed", "sammendrag"."""
        table = PhraseTable()
        particles, making = packs.word_set("particles"), packs.word_set("light") | packs.word_set("update")
        for entry in self.aliases.entries:
            rest = entry.base[1:]
            if rest and entry.base[0] in making and rest[0] not in particles:
                table.add(Entry(entry.phrase[1:], entry.meaning, entry.base, entry.language))
        return table

    @cached_property
    def suggest_for(self) -> PhraseTable:
        """Phrases people write that no tool answers to; the meaning of each is the tool to suggest."""
        table = PhraseTable()
        for tool in self.tools.values():
            for language, phrase in tool.suggest_for:
                _add_alias(table, tool.name, language, phrase)
        return table

    @cached_property
    def known_words(self) -> list[str]:
        """Every form of every word of an alias, in alphabetical order."""
        forms = {key for entry in self._current for places in entry.phrase for key in places}
        return sorted(form for form in forms if len(form) > 2)

    @cached_property
    def joined_aliases(self) -> dict[str, str]:
        """Aliases written without spaces → as they are."""
        return {"".join(entry.base): " ".join(entry.base) for entry in self._current}

    @cached_property
    def _hints(self) -> dict[str, tuple[Hint, ...]]:
        return {name: tuple(_hints(tool)) for name, tool in self.tools.items()}

    def hints(self, tool: str) -> tuple[Hint, ...]:
        return self._hints[tool]

    @cached_property
    def results(self) -> dict[tuple[str, ...], tuple[Phrase, tuple[str, ...]]]:
        """Words for results → (phrase, output fields that they may mean)."""
        found: dict[tuple[str, ...], tuple[Phrase, tuple[str, ...]]] = {}
        named = [(field, words) for tool in self.tools.values() for field, words in tool.result_words.items()]
        for language in packs.LANGUAGES:
            for field_name, phrases in packs.raw_pack(language)["results"].items():
                named.append((field_name, tuple((language, phrase) for phrase in phrases)))
        for field_name, words in named:
            for language, phrase in words:
                base = split_key(phrase)
                fields = found.get(base, ((), ()))[1]
                fields = fields if field_name in fields else (*fields, field_name)
                found[base] = (packs.noun_phrase(base, language), fields)
        return found

    @cached_property
    def results_by_first(self) -> dict[str, list[tuple[Phrase, tuple[str, ...]]]]:
        """The same by any form of their first word, longest first."""
        found: dict[str, list[tuple[Phrase, tuple[str, ...]]]] = {}
        for entry in sorted(self.results.values(), key=lambda item: -len(item[0])):
            for key in entry[0][0]:
                found.setdefault(key, []).append(entry)
        return found

    @cached_property
    def _hints_by_first(self) -> dict[str, dict[str, list[Hint]]]:
        found: dict[str, dict[str, list[Hint]]] = {name: {} for name in self.tools}
        for name, hints in self._hints.items():
            for hint in hints:
                for key in hint.phrase[0]:
                    found[name].setdefault(key, []).append(hint)
        return found

    def hints_starting(self, tool: str, key: str) -> list[Hint]:
        """The tool's hints that may begin with this word."""
        return self._hints_by_first[tool].get(key, [])

    def ranked(self) -> list[Tool]:
        """Tools in the order in which they are offered: by rank, then by name."""
        return sorted(self.tools.values(), key=lambda tool: (tool.rank is None, tool.rank or 0, tool.name))

    def available(self, language: str, count: int = 3) -> tuple[str, ...]:
        """The verbs of the tools offered first."""
        return tuple(tool.alias(language) for tool in self.ranked())[:count]


def languages_of(language: str) -> tuple[str, ...]:
    """The languages whose inflection a word gets."""
    return ("nb", "en") if language == ANY else (language,)


def _add_alias(table: PhraseTable, tool: str, language: str, phrase: str) -> None:
    base = split_key(phrase)
    if base:
        kinds = [packs.verb_phrase(base, inflection) for inflection in languages_of(language)]
        table.add(Entry(_union(kinds), tool, base, language))


def _union(phrases: list[Phrase]) -> Phrase:
    return tuple(frozenset().union(*places) for places in zip(*phrases, strict=True))


def _hints(tool: Tool) -> Iterable[Hint]:
    for param in tool.params:
        yield from _phrases(param, param.hints, None)
        if param.bind:
            yield from _same_concept(param)
        for value, words in param.enum:
            yield from _phrases(param, words, value)
            if not any(split_key(phrase) == split_key(value) for _, phrase in words):
                yield from _phrases(param, ((ANY, value),), value)


def _same_concept(param: Param) -> Iterable[Hint]:
    """ "møte" also in the other languages: a tool need not translate the things that recipes are about."""
    said = {_without_article(split_key(phrase)) for _, phrase in param.hints}
    entries = packs.nouns().entries
    concepts = {entry.meaning for entry in entries for base in said if _is_form(base, entry)}
    for entry in entries:
        if entry.meaning in concepts and entry.base not in said:
            yield Hint(entry.phrase, entry.base, param, None, entry.language)


def _is_form(base: tuple[str, ...], entry: Entry) -> bool:
    return len(base) == len(entry.phrase) and all(word in forms for word, forms in zip(base, entry.phrase, strict=True))


def _phrases(param: Param, words: Words, value: str | None) -> Iterable[Hint]:
    for language, phrase in words:
        base = _without_article(split_key(phrase))
        if base:
            kinds = [_object_phrase(base, inflection) for inflection in languages_of(language)]
            yield Hint(_union(kinds), base, param, value, language)


def _without_article(base: tuple[str, ...]) -> tuple[str, ...]:
    return base[1:] if len(base) > 1 and base[0] in ("the", "a", "an", "den", "det", "ein", "en") else base


def _object_phrase(base: tuple[str, ...], language: str) -> Phrase:
    return tuple(frozenset().union(*(packs.noun(stem, language) for stem in _stems(word, language))) for word in base)


def _stems(word: str, language: str) -> set[str]:
    """The word, and what it may be the definite form of: tools write "lydfilen" where the lexicon has "lydfil"."""
    if language == "en":
        return {word}
    found = {word}
    for ending in ("ene", "ane", "en", "et", "ne", "n", "a"):
        stem = word.removesuffix(ending)
        if stem != word and len(stem) >= 5:
            found.add(stem)
    return found
