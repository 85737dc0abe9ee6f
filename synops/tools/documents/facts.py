"""Finds a document's kind and its facts, each with the words it was read from and their page."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from synops.tools.documents.extractors import Extractor, Fact, Kind
from synops.tools.documents.pages import Reading
from synops.tools.documents.values import value_of

UNKNOWN = "unknown"
QUOTE_CHARACTERS = 300
KIND_CHARACTERS = 20_000
"""A document says at its beginning what it is; an appendix of hundreds of pages must not outvote that."""


def exclusion(extractor: Extractor, reading: Reading) -> str | None:
    """The words by which the document says that it may not be read, if it does, on its first page."""
    head = reading.text[:KIND_CHARACTERS]
    found = (pattern.search(head) for pattern in extractor.excluded)
    return next((match.group(0).strip() for match in found if match), None)


def kind_of(extractor: Extractor, reading: Reading) -> Kind | None:
    """The kind with the most of its signs in the text, the first of equals; None when none has enough."""
    head = reading.text[:KIND_CHARACTERS]
    scores = [(_score(kind, reading, head), -place) for place, kind in enumerate(extractor.kinds)]
    best, place = max(scores, default=(0, 0))
    return extractor.kinds[-place] if best else None


def _score(kind: Kind, reading: Reading, head: str) -> int:
    if kind.media_type and kind.media_type != reading.media_type:
        return 0
    seen = sum(pattern.search(head) is not None for pattern in kind.signs)
    # Every document of a media type is of a kind that asks for nothing else.
    return seen if seen >= kind.at_least and kind.signs else int(not kind.signs and bool(kind.media_type))


def facts_of(kind: Kind, reading: Reading) -> dict[str, dict[str, Any]]:
    """{fact: {"value", "quote", "page"}}; a fact that is not found is absent. Pages count from 1, 0 = the headers."""
    found = {fact.name: _find(fact, reading) for fact in kind.facts}
    return {name: fact for name, fact in found.items() if fact is not None}


def _find(fact: Fact, reading: Reading) -> dict[str, Any] | None:
    if fact.property and (stated := _stated(fact, reading.properties)) is not None:
        return stated
    for pattern in fact.patterns:
        for number, page in enumerate(reading.pages, 1):
            for match in pattern.finditer(page):
                value = value_of(fact.type, match.group(1) if pattern.groups else match.group(0))
                if value is not None:
                    return {"value": value, "quote": quote(page, match), "page": number}
    return None


def _stated(fact: Fact, properties: Mapping[str, str]) -> dict[str, Any] | None:
    text = properties.get(fact.property, "")
    value = value_of(fact.type, text) if text else None
    return None if value is None else {"value": value, "quote": text[:QUOTE_CHARACTERS], "page": 0}


def quote(page: str, match: re.Match[str]) -> str:
    """The match with the rest of its lines: what a person needs to find the place again."""
    start = page.rfind("\n", 0, match.start()) + 1
    end = page.find("\n", match.end())
    return " ".join(page[start : end if end >= 0 else len(page)].split())[:QUOTE_CHARACTERS]
