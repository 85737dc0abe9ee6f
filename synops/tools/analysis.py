"""What a recording is about, without a model: title and description quoted, keywords and names counted, chapters at pauses."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any, Final

from synops.store.segments import Segment
from synops.tools.extractive import choose, split_sentences
from synops.tools.keywords import keywords, mentions

LONGEST_TITLE: Final = 80
DESCRIPTION_SENTENCES: Final = 3
SHORTEST_CHAPTER_MS: Final = 60_000
MOST_CHAPTERS: Final = 12
# A shorter pause is only a breath.
PAUSE_MS: Final = 1_200


def analyse(text: str, language: str, names: Sequence[str]) -> dict[str, Any]:
    """Title, description, keywords and names of a text."""
    sentences = split_sentences(" ".join(text.split()))
    told = [sentences[at] for at in choose(sentences, DESCRIPTION_SENTENCES, language)]
    best = [sentences[at] for at in choose(sentences, 1, language)]
    return {
        "title": shortened(best[0]) if best else "",
        "description": " ".join(told),
        "keywords": keywords(text, language),
        "names": [mention.name for mention in mentions(text, language, names)][:20],
    }


def shortened(sentence: str) -> str:
    """A sentence as a title: without its full stop, cut at a word."""
    title = sentence.strip().rstrip(".")
    if len(title) <= LONGEST_TITLE:
        return title
    return title[: LONGEST_TITLE - 1].rsplit(" ", 1)[0].rstrip(",;:–-") + "…"


def chapters(segments: Sequence[Segment], language: str) -> list[dict[str, Any]]:
    """Chapters that begin after the longest pauses, each a minute or more, named by their keywords. None = one piece."""
    starts = _starts(segments)
    if len(starts) < 2:
        return []
    ends = [*starts[1:], len(segments)]
    return [
        {
            "start_ms": 0 if at == 0 else segments[at].start_ms,
            "title": _title(segments[at:end], language),
        }
        for at, end in zip(starts, ends, strict=True)
    ]


def _starts(segments: Sequence[Segment]) -> list[int]:
    """The indices of the segments that begin a chapter: pauses by length, as long as no chapter gets too short."""
    if not segments:
        return []
    pauses = [(later.start_ms - before.end_ms, at) for at, (before, later) in enumerate(pairwise(segments), start=1)]
    chosen = [0]
    end = segments[-1].end_ms
    for length, at in sorted(pauses, key=lambda pause: (-pause[0], pause[1])):
        if length < PAUSE_MS or len(chosen) >= MOST_CHAPTERS:
            break
        borders = [*(segments[one].start_ms for one in chosen), end]
        if all(abs(segments[at].start_ms - border) >= SHORTEST_CHAPTER_MS for border in borders):
            chosen.append(at)
    return sorted(chosen)


def _title(segments: Sequence[Segment], language: str) -> str:
    words = keywords(" ".join(segment.text for segment in segments), language, 3)
    return ", ".join(words).capitalize() or segments[0].text[:LONGEST_TITLE]
