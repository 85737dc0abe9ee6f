"""The inflected forms of a vocabulary word, generated from its base form.

Generating forward (and listing irregulars in the packs) can be read, tested and checked for collisions; a stemmer
would join words that differ ("publiser"/"publikum") and part words that belong together. Too many forms do no harm
as long as no two tools share one, which `lint` checks.
"""

from __future__ import annotations

from functools import lru_cache

VOWELS = "aeiouyæøå"


@lru_cache(maxsize=8192)
def norwegian_noun(word: str) -> frozenset[str]:
    """Definite, plural and genitive, all genders, bokmål and nynorsk."""
    if len(word) < 3 or not word.isalpha():
        return frozenset({word})
    forms = {word}
    if word.endswith("e"):
        stem = word[:-1]
        forms |= {word + "n", word + "t", word + "r", word + "ne", stem + "a", stem + "ar", stem + "ane", stem + "ene"}
    elif word.endswith(("el", "er")):
        stem = word[:-2] + word[-1]
        forms |= {word + "en", word + "et", word + "a", stem + "e", stem + "er", stem + "ene", stem + "ane", stem + "a"}
        forms |= {word + "e", word + "ne", word + "ar", word + "ane"}
    else:
        doubled = word + word[-1] if word[-1] in "mnl" and word[-2] in VOWELS else word
        for stem in {word, doubled}:
            forms |= {stem + ending for ending in ("en", "et", "a", "er", "ene", "ar", "ane")}
    return frozenset(forms | {form + "s" for form in forms})


@lru_cache(maxsize=8192)
def norwegian_verb(word: str) -> frozenset[str]:
    """Imperative (the base) → infinitive, present, passive, past, participle and -ing noun, both written norms."""
    if len(word) < 3 or not word.isalpha():
        return frozenset({word})
    stem = word[:-1] if word.endswith("e") else word
    endings = ("e", "er", "es", "et", "te", "t", "a", "ar", "ast", "ing", "inga", "ingen", "inger", "ingar")
    forms = {word} | {stem + ending for ending in endings}
    if stem.endswith(("v", "g", "gg")):
        forms |= {stem + "de", stem + "d"}
    if len(stem) > 2 and stem[-1] == stem[-2]:
        forms |= {stem[:-1] + "t", stem[:-1] + "te"}
    if stem.endswith(("er", "el")) and not stem.endswith("eer"):
        forms |= {stem + "a"}
    if word.endswith("le"):  # varsle, samle: the participle keeps the e
        forms |= {word + "t", word + "r", word + "s"}
    return frozenset(forms)


@lru_cache(maxsize=8192)
def english_noun(word: str) -> frozenset[str]:
    if len(word) < 3 or not word.isalpha():
        return frozenset({word})
    plural = word[:-1] + "ies" if word.endswith("y") and word[-2] not in VOWELS else word + "s"
    return frozenset({word, plural, word + "es" if word.endswith(("s", "x", "ch")) else plural})


@lru_cache(maxsize=8192)
def english_verb(word: str) -> frozenset[str]:
    if len(word) < 3 or not word.isalpha():
        return frozenset({word})
    if word.endswith("e"):
        return frozenset({word, word + "s", word + "d", word[:-1] + "ing"})
    if word.endswith("y") and word[-2] not in VOWELS:
        return frozenset({word, word[:-1] + "ies", word[:-1] + "ied", word + "ing"})
    return frozenset({word, word + "s", word + "es", word + "ed", word + "ing"})


def verb_forms(word: str, language: str) -> frozenset[str]:
    return english_verb(word) if language == "en" else norwegian_verb(word)


def noun_forms(word: str, language: str) -> frozenset[str]:
    return english_noun(word) if language == "en" else norwegian_noun(word)
