"""What a text is about, without a model: its rare words, and the names that it mentions. Nothing is invented.

A lemma counts for more the oftener it stands in the text and the rarer it is in the language (wordfreq). For Norwegian
that is bokmål's frequency for nynorsk too: asked for "nn", the library guesses and says so on stderr.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple

from synops.tools.extractive import LEMMAS, split_sentences

ENGINE: Final = "extractive"
FREQUENCIES: Final = {"nn": "nb", "no": "nb"}
# Zipf frequency: how many of a billion words, as a power of ten. Above this a word is everyday.
EVERYDAY: Final = 7.0
RARITY: Final = 1.5
SHORTEST: Final = 4
# Rarer than a Zipf frequency of 5: "kommune" (5.3) says little, "eiendomsskatt" much.
RARE_ENOUGH: Final = 2.0
# Each name is counted in the whole text; a text of nothing but names would take for ever.
MOST_NAMES: Final = 300

_WORD = re.compile(r"[^\W\d_]+(?:[-'’][^\W\d_]+)*")
_NAME = re.compile(r"[A-ZÆØÅÄÖ][\w'’-]+(?:\s+(?:av|von|van|de|der|of)?\s*[A-ZÆØÅÄÖ][\w'’-]+)*")


class Mention(NamedTuple):
    """A name, how often it stands in the text, and the first sentence with it."""

    name: str
    times: int
    evidence: str


def keywords(text: str, language: str, most: int = 10) -> list[str]:
    """The telling words of a text as lemmas, the most telling first."""
    counts = lemma_counts(text, language)
    names = {word.casefold() for mention in mentions(text, language) for word in mention.name.split()}
    rare = {
        lemma: found
        for lemma in counts
        if len(lemma) >= SHORTEST and lemma not in names and (found := rarity(lemma, language)) >= RARE_ENOUGH
    }
    weights = {lemma: (1 + math.log(counts[lemma])) * found**RARITY for lemma, found in rare.items()}
    return sorted(weights, key=lambda lemma: (-weights[lemma], lemma))[:most]


def lemma_counts(text: str, language: str) -> Counter[str]:
    """How often each lemma stands in a text."""
    from simplemma import lemmatize

    lang = LEMMAS.get(language, "en")
    known: dict[str, str] = {}
    words = [word.casefold() for word in _WORD.findall(text)]
    for word in set(words):
        known[word] = lemmatize(word, lang=lang).casefold()
    return Counter(known[word] for word in words)


def rarity(lemma: str, language: str) -> float:
    """0 for the commonest words, 7 for one that the language's word list does not have."""
    from wordfreq import zipf_frequency

    lang = FREQUENCIES.get(language, language if language in ("nb", "en", "sv", "da", "de") else "en")
    return max(0.0, EVERYDAY - zipf_frequency(lemma, lang))


def mentions(text: str, language: str, known: Iterable[str] = ()) -> list[Mention]:
    """Names in the text: those of the list `known`, and capitalised words that do not merely begin a sentence."""
    sentences = split_sentences(text)
    found: dict[str, Mention] = {}
    for name in known:
        holding = [sentence for sentence in sentences if name_pattern(name).search(sentence)]
        if holding:
            found[name] = Mention(name, sum(len(name_pattern(name).findall(one)) for one in holding), holding[0])
    for name, sentence in ((name, one) for one in sentences for name in _inner_names(one, language)):
        if len(found) >= MOST_NAMES:
            break
        if not any(name == other or name in other.split() for other in found):
            found[name] = Mention(name, len(name_pattern(name).findall(text)), sentence)
    return sorted(found.values(), key=lambda mention: (-mention.times, mention.name))


def name_pattern(name: str, any_case: bool = False) -> re.Pattern[str]:
    """Finds a name as a word, in the genitive too ("Nordmanns"). Case counts: Per is a man, per is a preposition."""
    return re.compile(rf"(?<!\w){re.escape(name)}(?:['’]?s)?(?!\w)", re.IGNORECASE if any_case else 0)


def _inner_names(sentence: str, language: str) -> Sequence[str]:
    """Capitalised words, but a sentence's first word only when the language has no such word and a name goes on from it."""
    begun = len(sentence) - len(sentence.lstrip(" \"'«“(-–—"))
    names = []
    for match in _NAME.finditer(sentence):
        words = match[0].split()
        # "Ordfører Kari Nordmann sier": the first word is capitalised by its place alone.
        if match.start() <= begun and (len(words) == 1 or _is_word(words[0], language)):
            words = words[1:]
        names.append(" ".join(words))
    return [name for name in names if len(name) > 1 and not _is_pronoun(name)]


def _is_word(word: str, language: str) -> bool:
    from simplemma import is_known

    return bool(is_known(word.casefold(), LEMMAS.get(language, "en")))


def _is_pronoun(name: str) -> bool:
    return name.casefold() in ("i", "de", "dere", "i'm", "i'll", "i'd", "i've", "mr", "mrs", "dr")
