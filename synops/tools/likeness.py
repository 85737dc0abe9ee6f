"""Which of the candidates a text is about or names, without a model that writes: by title, and topics by meaning."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final, NamedTuple

from synops.store.candidates import Candidate
from synops.tools.encoder import Encoder, cosine, passages_of
from synops.tools.extractive import split_sentences
from synops.tools.keywords import lemma_counts, name_pattern

# The built-in model's cosines lie close together, so a topic must stand out from the other topics, not pass a level.
STANDS_OUT: Final = 1.0
LEVEL: Final = 0.80
LONGEST_EVIDENCE: Final = 300

_SURNAME = re.compile(r"\s+[A-ZÆØÅÄÖ]")


class Proposal(NamedTuple):
    """An edge to propose, from 0 to 1 how sure, and the sentence of the text that speaks for it."""

    candidate: Candidate
    score: float
    evidence: str


def proposals(
    text: str, language: str, candidates: Sequence[Candidate], encoder: Encoder | None, most: int
) -> list[Proposal]:
    """The best `most`, surest first: named ones are sure, topics by meaning are less so."""
    named = named_in(text, language, candidates)
    seen = {proposal.candidate.id for proposal in named}
    topics = [one for one in candidates if one.node_kind == "topic" and one.id not in seen]
    alike = by_meaning(text, topics, encoder) if encoder and topics else []
    ranked = sorted([*named, *alike], key=lambda one: (-one.score, one.candidate.title, str(one.candidate.id)))
    return ranked[:most]


def named_in(text: str, language: str, candidates: Sequence[Candidate]) -> list[Proposal]:
    """Candidates whose title stands in the text; a topic's also in another form of its words."""
    sentences = split_sentences(" ".join(text.split()))
    lemmas = [set(lemma_counts(sentence, language)) for sentence in sentences]
    found = []
    for one in candidates:
        score, at = _place(one, language, sentences, lemmas)
        if score:
            found.append(Proposal(one, score, sentences[at][:LONGEST_EVIDENCE]))
    return found


def _place(one: Candidate, language: str, sentences: Sequence[str], lemmas: Sequence[set[str]]) -> tuple[float, int]:
    """How sure, and the first sentence that names the candidate; 0 = none does."""
    topic = one.node_kind == "topic"
    pattern = name_pattern(one.title, any_case=topic)
    for at, sentence in enumerate(sentences):
        found = pattern.search(sentence)
        # "Per Olsen" is not the person who is called "Per" and no more.
        if found and not (one.node_kind == "person" and _SURNAME.match(sentence, found.end())):
            return 1.0, at
    wanted = set(lemma_counts(one.title, language)) if topic else set()
    for at, words in enumerate(lemmas):
        if wanted and wanted <= words:
            return 0.95, at
    return 0.0, 0


def by_meaning(text: str, topics: Sequence[Candidate], encoder: Encoder) -> list[Proposal]:
    """Topics whose best passage lies clearly above what topics have on average; the score is that cosine."""
    passages = passages_of(text)
    vectors = encoder.passages(passages, lambda _: None)
    best = []
    for topic in topics:
        question = encoder.query(topic.title)
        best.append(max((cosine(question, vector), -at) for at, vector in enumerate(vectors)))
    scores = [score for score, _ in best]
    mean = sum(scores) / len(scores)
    spread = (sum((score - mean) ** 2 for score in scores) / len(scores)) ** 0.5
    line = max(LEVEL, mean + STANDS_OUT * spread) if len(scores) > 2 else LEVEL + 0.05
    return [
        Proposal(topic, round(min(score, 0.94), 4), passages[-at][:LONGEST_EVIDENCE])
        for topic, (score, at) in zip(topics, best, strict=True)
        if score > line
    ]
