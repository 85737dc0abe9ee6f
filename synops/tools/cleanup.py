"""Texts put in order by rules: what was dictated without its hesitations, and facts as sentences of their own.

Only letters that say nothing are taken away, and signs and spaces put right: no word is exchanged for another.
"""

from __future__ import annotations

import re
from typing import Any, Final

from synops.tools.extractive import split_sentences
from synops.tools.keywords import mentions

PARAGRAPH_SENTENCES: Final = 4
MOST_FACTS: Final = 40

_FILLERS: Final = re.compile(
    r"(?:,\s*)?(?<!\w)(?:e+h+m*|ø+h+|ø+m+|ehh*|hm+|mhm+|uh+m*|um+|erm+)(?!\w)\s*,?", re.IGNORECASE
)
# "det det var" and "at vi at vi skal": one or two words said twice. Longer repetitions may be meant.
_TWICE: Final = re.compile(r"(?<!\w)((?:[\w'’-]+\s+)?[\w'’-]+)(?:,?\s+\1)+(?!\w)", re.IGNORECASE)
_MEANT_TWICE: Final = frozenset(
    {"ja", "nei", "hei", "ha", "så", "veldig", "mye", "no", "yes", "very", "bye", "had", "that"}
)
# A stop with a space before it ends no abbreviation, so a new sentence begins after it.
_LOOSE_STOP: Final = re.compile(r"\s+([.!?])\s+(\w)")
_FIXES: Final = (
    (re.compile(r"\s+([,.;:!?])"), r"\1"),
    (re.compile(r",\s*([.!?;:])"), r"\1"),
    (re.compile(r",(?:\s*,)+"), ","),
    (re.compile(r"(?<!\.)\.\.(?!\.)"), "."),
    (re.compile(r"([!?])\1{2,}"), r"\1"),
    (re.compile(r"^[\s,;:.]+"), ""),
    (re.compile(r"[ \t]{2,}"), " "),
)
_FIGURE: Final = re.compile(
    r"\d|\b(?:prosent|million(?:er)?|milliard(?:er)?|tusen|hundre|percent|million|billion|thousand)\b", re.IGNORECASE
)


def cleaned(text: str) -> str:
    """The text without hesitations and stutters, each sentence with its capital letter and stop; paragraphs stay or are made."""
    given = [part for part in re.split(r"\n\s*\n", text) if part.strip()]
    paragraphs = [_sentences(part) for part in given]
    if len(paragraphs) == 1:
        one = paragraphs[0]
        paragraphs = [one[at : at + PARAGRAPH_SENTENCES] for at in range(0, len(one), PARAGRAPH_SENTENCES)]
    return "\n\n".join(" ".join(sentences) for sentences in paragraphs if sentences)


def _sentences(paragraph: str) -> list[str]:
    text = " ".join(paragraph.split())
    text = _FILLERS.sub(" ", text)
    text = _TWICE.sub(_once, text)
    text = _LOOSE_STOP.sub(lambda found: f"{found[1]} {found[2].upper()}", text)
    for pattern, replacement in _FIXES:
        text = pattern.sub(replacement, text)
    return [_dressed(sentence) for sentence in split_sentences(text.strip()) if re.search(r"\w", sentence)]


def _once(match: re.Match[str]) -> str:
    return match[0] if match[1].casefold() in _MEANT_TWICE else match[1]


def _dressed(sentence: str) -> str:
    sentence = sentence.strip()
    ended = sentence if sentence[-1:] in ".!?…:»”\"'" else sentence.rstrip(",;") + "."
    return ended[:1].upper() + ended[1:]


def facts(text: str, language: str, names: tuple[str, ...] = ()) -> list[dict[str, Any]]:
    """Sentences that state something: with a figure or a name in them, no questions. Each with its number in the text."""
    sentences = split_sentences(" ".join(text.split()))
    known = [mention.name for mention in mentions(text, language, names)]
    found = []
    for at, sentence in enumerate(sentences):
        named = [name for name in known if name in sentence]
        if not sentence.rstrip().endswith("?") and (named or _FIGURE.search(sentence)):
            found.append({"text": sentence, "sentence": at, "names": named})
    return found[:MOST_FACTS]


def as_list(found: list[dict[str, Any]]) -> str:
    """Facts as lines."""
    return "\n".join(f"- {fact['text']}" for fact in found)
