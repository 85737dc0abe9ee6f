"""The language packs: words that belong to the language itself, read from packs/*.toml.

The packs are read together: bokmål, nynorsk and English are all understood in every recipe, whole or mixed.
"""

from __future__ import annotations

import hashlib
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from orchestration.language.forms import noun_forms, verb_forms
from orchestration.language.words import split_key

LANGUAGES = ("nb", "nn", "en")
_FOLDER = Path(__file__).parent / "packs"

Phrase = tuple[frozenset[str], ...]
"""One set of accepted word keys per place."""


@dataclass(frozen=True, slots=True)
class Entry:
    """A phrase and what it stands for."""

    phrase: Phrase
    meaning: str
    base: tuple[str, ...]
    language: str


class PhraseTable:
    """Finds phrases at a place in a row of word keys, longest first."""

    def __init__(self, entries: Iterable[Entry] = ()) -> None:
        self._by_first: dict[str, list[Entry]] = {}
        self.entries: list[Entry] = []
        for entry in entries:
            self.add(entry)

    def add(self, entry: Entry) -> None:
        self.entries.append(entry)
        for key in entry.phrase[0]:
            bucket = self._by_first.setdefault(key, [])
            bucket.append(entry)
            bucket.sort(key=lambda item: -len(item.phrase))

    def at(self, keys: list[str], index: int) -> Iterator[Entry]:
        """Every phrase that stands at `index`, longest first."""
        for entry in self._by_first.get(keys[index], ()) if index < len(keys) else ():
            end = index + len(entry.phrase)
            if end <= len(keys) and all(keys[index + i] in entry.phrase[i] for i in range(len(entry.phrase))):
                yield entry

    def longest(self, keys: list[str], index: int) -> Entry | None:
        return next(self.at(keys, index), None)

    def starting(self, key: str) -> list[Entry]:
        return self._by_first.get(key, [])

    def bases(self) -> list[str]:
        return list(dict.fromkeys(" ".join(entry.base) for entry in self.entries))


@dataclass(frozen=True, slots=True)
class Event:
    name: str
    technical: str
    pairs: tuple[tuple[frozenset[str], frozenset[str]], ...]
    variables: tuple[str, ...]
    implies: Mapping[str, Mapping[str, str]]


@cache
def raw_pack(language: str) -> dict[str, Any]:
    """One pack as written."""
    return tomllib.loads((_FOLDER / f"{language}.toml").read_text(encoding="utf-8"))


@cache
def packs_digest() -> str:
    digest = hashlib.sha256()
    for path in sorted(_FOLDER.glob("*.toml")):
        digest.update(path.read_bytes())
    return digest.hexdigest()


@cache
def events() -> dict[str, Event]:
    """All events by name; "clock" is scheduled.due from a cron line."""
    data = tomllib.loads((_FOLDER / "events.toml").read_text(encoding="utf-8"))
    return {name: _event(name, item) for name, item in data.items()}


def _event(name: str, item: Mapping[str, Any]) -> Event:
    pairs = tuple((frozenset(pair["nouns"]), frozenset(pair["states"])) for pair in item["pairs"])
    return Event(name, item["technical"], pairs, tuple(item["variables"]), item.get("implies", {}))


@cache
def fixed(section: str, concept: str = "") -> PhraseTable:
    """Uninflected phrases of `section` in all languages; the meaning of each is its concept."""
    table = PhraseTable()
    for language in LANGUAGES:
        for name, phrases in _section(language, section).items():
            if concept in ("", name) and isinstance(phrases, list):
                for phrase in phrases:
                    words = split_key(phrase)
                    table.add(Entry(tuple(frozenset({word}) for word in words), name, words, language))
    return table


@cache
def nouns(section: str = "nouns") -> PhraseTable:
    """Inflected nouns of `section`; the meaning of each is its concept."""
    table = PhraseTable()
    for language in LANGUAGES:
        for name, phrases in _section(language, section).items():
            for phrase in phrases:
                words = split_key(phrase)
                table.add(Entry(noun_phrase(words, language), name, words, language))
    return table


def _section(language: str, section: str) -> dict[str, Any]:
    data: Any = raw_pack(language)
    for part in section.split("."):
        data = data.get(part, {})
    return dict(data)


@cache
def word_set(name: str) -> frozenset[str]:
    """The single-word phrases of [words].name in all languages."""
    return frozenset(entry.base[0] for entry in fixed("words", name).entries if len(entry.base) == 1)


@cache
def _irregular(section: str) -> dict[str, frozenset[str]]:
    found: dict[str, set[str]] = {}
    for language in LANGUAGES:
        for base, forms in raw_pack(language).get(section, {}).items():
            found.setdefault(base, set()).update({base, *forms})
    return {base: frozenset(forms) for base, forms in found.items()}


@cache
def verb(word: str, language: str) -> frozenset[str]:
    """All forms of a verb given as the imperative."""
    return _irregular("irregular_verbs").get(word, frozenset()) | verb_forms(word, language)


@cache
def noun(word: str, language: str) -> frozenset[str]:
    """All forms of a noun given in any form the vocabulary uses."""
    return _irregular("irregular_nouns").get(word, frozenset()) | noun_forms(word, language)


def noun_phrase(words: tuple[str, ...], language: str) -> Phrase:
    particles = word_set("particles")
    return tuple(frozenset({word}) if word in particles else noun(word, language) for word in words)


def verb_phrase(words: tuple[str, ...], language: str) -> Phrase:
    """A verb and what belongs to it: "skriv ut", "oppdater rss feed"."""
    return (verb(words[0], language), *noun_phrase(words[1:], language))


@cache
def light_verbs() -> frozenset[str]:
    """All forms of the verbs that mean little more than "make"."""
    entries = fixed("words", "light").entries
    return frozenset(form for entry in entries if len(entry.base) == 1 for form in verb(entry.base[0], entry.language))


@cache
def begin_verbs() -> frozenset[str]:
    """All forms of the verbs that may stand before a noun of action: "start transkribering av …"."""
    entries = fixed("words", "begin").entries
    return frozenset(form for entry in entries if len(entry.base) == 1 for form in verb(entry.base[0], entry.language))


def printing(language: str) -> dict[str, Any]:
    """The [print] section: the words that the printers use."""
    section: dict[str, Any] = raw_pack(language)["print"]
    return section
