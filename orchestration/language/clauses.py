"""One clause of a HVIS line: which word is its subject, its verb, its value, its negation."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache

from orchestration.language import packs
from orchestration.language.words import Token

PREDICATES = ("has_trait", "has_media", "has_tag", "node_kind")
_PRONOUNS = frozenset({"den", "det", "han", "hun", "dei", "it", "this", "that"})


@dataclass(slots=True)
class ClauseWords:
    tokens: list[Token]
    subject: str = ""
    verb: str = ""
    cue: str = ""
    value: tuple[str, str] | None = None
    negations: list[Token] = field(default_factory=list)
    quoted: Token | None = None
    left: list[Token] = field(default_factory=list)
    readings: tuple[tuple[str, str], ...] = ()
    """Predicate and value pairs that the value word may mean."""


@cache
def _cue(name: str) -> frozenset[str]:
    return frozenset(
        word for entry in packs.nouns("conditions.cues").entries if entry.meaning == name for word in entry.phrase[0]
    )


@cache
def verbs() -> Mapping[str, str]:
    found = {entry.base[0]: entry.meaning for entry in packs.fixed("conditions.cues").entries}
    return {word: meaning for word, meaning in found.items() if meaning in ("have", "be")} | {
        "mangler": "have",
        "manglar": "have",
        "lacks": "have",
    }


def read(tokens: list[Token], traits: frozenset[str]) -> ClauseWords:
    """Sort the words of one clause."""
    clause = ClauseWords(tokens)
    keys = [token.key if token.kind == "word" else "\0" for token in tokens]
    index = 0
    while index < len(tokens):
        index += _take(clause, tokens, keys, index, traits)
    return clause


def _take(clause: ClauseWords, tokens: list[Token], keys: list[str], index: int, traits: frozenset[str]) -> int:
    token, key = tokens[index], keys[index]
    if token.kind == "quoted":
        clause.quoted = token
        return 1
    negation = packs.fixed("keywords", "not").longest(keys, index)
    if negation:
        clause.negations.append(token)
        clause.verb = clause.verb or verbs().get(key, "")
        return len(negation.phrase)
    if key in verbs() and not clause.verb:
        clause.verb = verbs()[key]
        return 1
    cue = next((name for name in PREDICATES if key in _cue(name)), "")
    if cue and (clause.verb or clause.subject or cue == "has_tag"):
        clause.cue = clause.cue or cue
        return 1
    return _take_noun(clause, tokens, keys, index, traits)


def _take_noun(clause: ClauseWords, tokens: list[Token], keys: list[str], index: int, traits: frozenset[str]) -> int:
    """Before the verb a noun is the subject, after it the value."""
    subject = packs.nouns().longest(keys, index)
    readings, length = _readings(keys, index, traits)
    if not clause.verb and not clause.subject and subject and not (readings and index == len(keys) - 1):
        clause.subject = subject.meaning
        return len(subject.phrase)
    if readings and not clause.readings:
        clause.readings = readings
        return length
    if subject and clause.readings and not clause.subject:  # "det finnes lyd i innspillingen"
        clause.subject = subject.meaning
        return len(subject.phrase)
    if clause.cue == "has_tag" and clause.quoted is None and not clause.readings and keys[index] not in _fillers():
        clause.quoted = tokens[index]
        return 1
    if keys[index] not in _fillers() and keys[index] not in _PRONOUNS:
        clause.left.append(tokens[index])
    return 1


@cache
def _fillers() -> frozenset[str]:
    return packs.word_set("stop")


def _readings(keys: list[str], index: int, traits: frozenset[str]) -> tuple[tuple[tuple[str, str], ...], int]:
    """All (predicate, value) that the longest value phrase at `index` may mean."""
    found: list[tuple[str, str]] = []
    length = 0
    for predicate in ("has_trait", "has_media", "node_kind"):
        entry = packs.nouns(f"conditions.{predicate}").longest(keys, index)
        if entry and len(entry.phrase) >= length:
            found = found if len(entry.phrase) == length else []
            length = len(entry.phrase)
            found.append((predicate, entry.meaning))
    if not found and keys[index] in traits:
        return (("has_trait", keys[index]),), 1
    return tuple(found), length
