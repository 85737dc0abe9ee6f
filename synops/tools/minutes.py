"""Minutes of a meeting: decisions, actions with owner and date, open questions. By rules each is a sentence that was said."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from datetime import date
from typing import Any, Final

from synops.tools.conversation import Sentence
from synops.tools.dates import due
from synops.tools.extractive import LEMMAS

MOST: Final = 30
SUMMARY_SENTENCES: Final = 3
HEADINGS: Final = {
    "nb": ("Sammendrag", "Beslutninger", "Oppgaver", "Åpne spørsmål", "Ingen.", "ansvar", "frist"),
    "nn": ("Samandrag", "Avgjerder", "Oppgåver", "Opne spørsmål", "Ingen.", "ansvar", "frist"),
    "en": ("Summary", "Decisions", "Actions", "Open questions", "None.", "owner", "due"),
}

_DECISION: Final = re.compile(
    r"\b(?:vedtok|vedtatt|vedteke|vedtar|besluttet|beslutta|besluttes|bestemte|bestemt|bestemmer|godkjente|godkjent|"
    r"konkluderte|konklusjonen|enige om|enig om|samde om|semje om|vi går for|decided|agreed|approved|resolved|"
    r"go(?:ing)? with|conclusion)\b",
    re.IGNORECASE,
)
_NOT: Final = re.compile(r"\b(?:ikke|ikkje|aldri|not|never|n't)\b", re.IGNORECASE)
_PERSON: Final = r"[A-ZÆØÅÄÖ][\w'’-]+(?: [A-ZÆØÅÄÖ][\w'’-]+)?"
_DOES: Final = (
    r"(?:skal|må|tar|tek|sender|lager|lagar|skriver|skriv|sjekker|sjekkar|ringer|ringjer|ordner|ordnar|følger opp|"
    r"følgjer opp|undersøker|undersøkjer|kontakter|kontaktar|forbereder|førebur|legger fram|legg fram|inviterer|bestiller|"
    r"bestiller|will|must|shall|is going to|takes|sends|writes|checks|calls|prepares|follows up)"
)
_ACTION: Final = re.compile(rf"(?:^|[\s,«“\"])(?P<owner>{_PERSON}|[Jj]eg|[Ee]g|[Vv]i|[Dd]u|I|[Ww]e|[Yy]ou) {_DOES}\b")
_CHARGED: Final = re.compile(
    rf"(?P<owner>{_PERSON}) (?:har|får) ansvar\w*|(?:[Aa]nsvarlig|[Aa]nsvar|[Oo]wner)(?: er|:| is) (?P<other>{_PERSON})|"
    rf"(?P<third>{_PERSON}) is responsible"
)
_SPEAKERS: Final = frozenset({"jeg", "eg", "vi", "du", "i", "we", "you"})


def minutes(sentences: Sequence[Sentence], language: str, people: Iterable[str], day: date | None) -> dict[str, Any]:
    """What the sentences hold, each entry with its place. `people` are the names that may own an action."""
    from synops.tools.extractive import choose

    known = _names(sentences, people, language)
    texts = [sentence.text for sentence in sentences]
    wanted = min(SUMMARY_SENTENCES, max(1, len(texts) // 2))
    found: dict[str, Any] = {
        "summary": " ".join(texts[at] for at in choose(texts, wanted, language)),
        "decisions": [],
        "actions": [],
        "questions": [],
    }
    for sentence in sentences:
        kind, entry = _entry(sentence, known, day)
        if kind and len(found[kind]) < MOST:
            found[kind].append(entry)
    return found


def _entry(sentence: Sentence, known: frozenset[str], day: date | None) -> tuple[str, dict[str, Any]]:
    """Which list a sentence belongs to, and what stands there of it; no list for most."""
    entry: dict[str, Any] = {
        "text": sentence.text,
        "recording": sentence.recording,
        "start_ms": sentence.start_ms,
    }
    if sentence.text.rstrip().endswith("?"):
        return ("questions" if len(sentence.text.split()) > 3 else ""), entry
    if _DECISION.search(sentence.text):
        return "decisions", entry
    owner = _owner(sentence.text, known)
    if owner is None:
        return "", entry
    words, when = due(sentence.text, day)
    return "actions", {**entry, "owner": owner or None, "due": words or None, "due_date": when and when.isoformat()}


def _owner(text: str, known: frozenset[str]) -> str | None:
    """Who has something to do; empty for "I" and "we", which a transcript without speakers can't tell; None = nobody."""
    if found := _CHARGED.search(text):
        return found["owner"] or found["other"] or found["third"]
    for match in _ACTION.finditer(text):
        who = match["owner"]
        if _NOT.match(text, match.end() + 1):
            continue  # "skal ikke"
        if who.casefold() in _SPEAKERS:
            return ""
        # "Saken skal opp": a capital letter at the beginning makes no name.
        if set(who.split()) & known:
            return who
    return None


def _names(sentences: Sequence[Sentence], people: Iterable[str], language: str) -> frozenset[str]:
    """Words that are names here: of those who took part, with a capital letter inside a sentence, or no words at all."""
    inside = (word for sentence in sentences for word in re.findall(r"(?<=[\w,] )[A-ZÆØÅÄÖ][\w'’-]+", sentence.text))
    given = (word for name in people for word in name.split())
    first = (sentence.text.split(" ", 1)[0] for sentence in sentences)
    return frozenset((*inside, *given, *(word for word in first if _is_name(word, language))))


def _is_name(word: str, language: str) -> bool:
    """A capital letter, and no word of the language: "Saken" begins a sentence, and "Kate" may be a word; people tell."""
    from simplemma import is_known

    return word[:1].isupper() and not is_known(word.casefold(), LEMMAS.get(language, "nb"))


def as_markdown(found: Mapping[str, Any], language: str) -> str:
    """The minutes as a text for people."""
    summary, decisions, actions, questions, none, owner, when = HEADINGS.get(language, HEADINGS["nb"])
    parts = [f"## {summary}", found["summary"]]
    for heading, key in ((decisions, "decisions"), (actions, "actions"), (questions, "questions")):
        lines = [f"- {' '.join(one['text'].split())}{_whose(one, owner, when)}" for one in found[key]]
        parts += [f"## {heading}", "\n".join(lines) or none]
    return "\n\n".join(parts)


def _whose(entry: Mapping[str, Any], owner: str, when: str) -> str:
    known = [f"{label}: {entry[key]}" for label, key in ((owner, "owner"), (when, "due")) if entry.get(key)]
    return f" ({'; '.join(known)})" if known else ""
