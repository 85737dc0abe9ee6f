"""Summaries without a language model: the sentences that most others resemble, quoted in their order. Nothing is invented.

LexRank (Erkan and Radev 2004) scores sentences by the graph of their similarities; maximal marginal relevance then
avoids saying a thing twice. Words are compared by their lemmas (simplemma). The same text gives the same summary.
"""

from __future__ import annotations

import math
import re
from collections import Counter, defaultdict
from collections.abc import Sequence
from typing import Final, TypeAlias

ENGINE: Final = "extractive"
LEMMAS: Final = {"no": "nb", "nb": "nb", "nn": "nn", "en": "en", "sv": "sv", "da": "da", "de": "de"}
SHORTEST_WORDS: Final = 4
SIMILAR: Final = 0.1
DAMPING: Final = 0.85
ROUNDS: Final = 50
# How much a sentence's likeness to what is chosen already counts against it.
REPETITION: Final = 0.5
# Sentences that are compared with one another at once: their number counts in the square.
AT_ONCE: Final = 500

_WORD = re.compile(r"[^\W\d_]+(?:[-'’][^\W\d_]+)*")
# simplemma splits after these; what follows them belongs to the same sentence.
_ABBREVIATED = re.compile(r"(?:^|\s)(?:mr|mrs|ms|dr|st|prof|kl|nr|ca|jf|dvs|osv|evt|tlf|adm|pst)\.$", re.IGNORECASE)

Vector: TypeAlias = dict[str, float]


def split_sentences(text: str) -> list[str]:
    """The sentences of a running text, with those glued together that an abbreviation had torn apart."""
    from simplemma import split_sentences as split

    whole: list[str] = []
    for piece in split(text):
        if whole and _ABBREVIATED.search(whole[-1]):
            whole[-1] += " " + piece
        else:
            whole.append(piece)
    return whole


def choose(sentences: Sequence[str], count: int, language: str) -> list[int]:
    """The indices of at most `count` sentences that say the most, in the order of the text.

    Very short sentences ("Ja.") are chosen only when there are no others. In a long text the best of each part meet in a
    final: comparing all with all would take hours for a book.
    """
    if len(sentences) <= AT_ONCE or count >= AT_ONCE // 2:
        return _chosen(sentences, count, language)
    parts = range(0, len(sentences), AT_ONCE)
    best = [at + part for part in parts for at in _chosen(sentences[part : part + AT_ONCE], count, language)]
    return [best[at] for at in choose([sentences[at] for at in best], count, language)]


def _chosen(sentences: Sequence[str], count: int, language: str) -> list[int]:
    long_enough = [at for at, text in enumerate(sentences) if len(_WORD.findall(text)) >= SHORTEST_WORDS]
    candidates = long_enough or list(range(len(sentences)))
    vectors = _vectors([sentences[at] for at in candidates], language)
    similar = _similarities(vectors)
    scores = _rank(similar, len(candidates))
    return sorted(candidates[at] for at in _diverse(scores, similar, count))


def _vectors(sentences: Sequence[str], language: str) -> list[Vector]:
    """One unit vector a sentence: lemmas weighted by how rare they are in this text."""
    counts = [_lemmas(text, language) for text in sentences]
    spread = Counter(lemma for count in counts for lemma in count)
    # What stands in so many sentences is grammar, not content; leaving it out keeps long texts fast, too.
    commonest = max(3, len(sentences) / (2 if len(sentences) < 40 else 10))
    vectors = []
    for count in counts:
        weights = {
            lemma: number * math.log(1 + len(sentences) / spread[lemma])
            for lemma, number in count.items()
            if len(lemma) > 2 and spread[lemma] <= commonest
        }
        length = math.sqrt(sum(weight * weight for weight in weights.values()))
        vectors.append({lemma: weight / length for lemma, weight in weights.items()})
    return vectors


def _lemmas(text: str, language: str) -> Counter[str]:
    from simplemma import lemmatize

    lang = LEMMAS.get(language, "en")
    return Counter(lemmatize(word.lower(), lang=lang).lower() for word in _WORD.findall(text))


def _similarities(vectors: Sequence[Vector]) -> list[dict[int, float]]:
    """For each sentence the others that share words with it, by cosine. Through an index of words: most pairs share none."""
    holders: dict[str, list[tuple[int, float]]] = defaultdict(list)
    for at, vector in enumerate(vectors):
        for lemma, weight in vector.items():
            holders[lemma].append((at, weight))
    similar: list[dict[int, float]] = [defaultdict(float) for _ in vectors]
    for pairs in holders.values():
        for at, weight in pairs:
            for other, other_weight in pairs:
                if at != other:
                    similar[at][other] += weight * other_weight
    return similar


def _rank(similar: Sequence[dict[int, float]], count: int) -> list[float]:
    """LexRank: the stationary distribution of a walk along similarities above the threshold."""
    neighbours = [[other for other, cosine in sorted(row.items()) if cosine > SIMILAR] for row in similar]
    scores = [1 / count for _ in range(count)]
    for _ in range(ROUNDS):
        arriving = [0.0] * count
        for at, others in enumerate(neighbours):
            for other in others:
                arriving[other] += scores[at] / len(others)
        scores = [(1 - DAMPING) / count + DAMPING * share for share in arriving]
    return scores


def _diverse(scores: Sequence[float], similar: Sequence[dict[int, float]], count: int) -> list[int]:
    top = max(scores, default=1.0)
    chosen: list[int] = []
    while len(chosen) < min(count, len(scores)):
        rest = [at for at in range(len(scores)) if at not in chosen]

        def worth(at: int) -> float:
            repeated = max((similar[at].get(other, 0.0) for other in chosen), default=0.0)
            return scores[at] / top - REPETITION * repeated

        chosen.append(max(rest, key=lambda at: (worth(at), -at)))
    return chosen
