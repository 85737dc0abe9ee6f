"""What rules see: the case, its documents with their facts, and totals over all of them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

MOST_EVIDENCE = 5


class Document(NamedTuple):
    """A document that was read. `facts` are {name: {"value", "quote", "page"}}, `text_hash` its text in the store."""

    id: str
    name: str
    kind: str
    facts: Mapping[str, Mapping[str, Any]]
    text_hash: str | None = None

    def seen(self) -> dict[str, Any]:
        """As expressions see it: the facts' bare values."""
        values = {name: decimals(fact.get("value")) for name, fact in self.facts.items()}
        return {"id": self.id, "name": self.name, "kind": self.kind, "facts": values}


class CaseData(NamedTuple):
    """A case as rules see it: `case` is the replica's row with costs, assessments and certificates."""

    case: Mapping[str, Any]
    documents: Sequence[Document]

    def of_kinds(self, kinds: Sequence[str]) -> list[Document]:
        """The documents of these kinds; all of them when none is named."""
        return [document for document in self.documents if not kinds or document.kind in kinds]

    def variables(self) -> dict[str, Any]:
        """The variables of a rule of scope `case`.

        `kinds` and `facts` spare an expression the loop over all documents, which CEL bounds at 10,000 rounds.
        """
        return {
            "case": decimals(self.case),
            "documents": [document.seen() for document in self.documents],
            "kinds": _counts(document.kind for document in self.documents),
            "facts": self._totals(),
        }

    def _totals(self) -> dict[str, dict[str, Any]]:
        values: dict[str, list[Any]] = {}
        for document in self.documents:
            for name, fact in document.facts.items():
                values.setdefault(name, []).append(fact.get("value"))
        return {name: _total(found) for name, found in values.items()}


def decimals(value: Any) -> Any:
    """Numbers as CEL doubles throughout: JSON writes 31000.0 as 31000, and CEL multiplies no integer with a decimal."""
    if isinstance(value, int) and not isinstance(value, bool):
        return float(value)
    if isinstance(value, Mapping):
        return {key: decimals(item) for key, item in value.items()}
    return [decimals(item) for item in value] if isinstance(value, list) else value


def _counts(kinds: Iterable[str]) -> dict[str, int]:
    counted: dict[str, int] = {}
    for kind in kinds:
        counted[kind] = counted.get(kind, 0) + 1
    return counted


def _total(values: Sequence[Any]) -> dict[str, Any]:
    """Count, first, least and greatest of a fact over all documents, and of numbers the sum."""
    total: dict[str, Any] = {"count": len(values), "first": decimals(values[0])}
    numbers = [value for value in values if isinstance(value, int | float) and not isinstance(value, bool)]
    texts = [value for value in values if isinstance(value, str)]
    if numbers:
        total |= {"sum": float(sum(numbers)), "min": float(min(numbers)), "max": float(max(numbers))}
    elif texts:  # ISO dates sort as text
        total |= {"min": min(texts), "max": max(texts)}
    return total


def evidence(documents: Iterable[Document], names: Sequence[str]) -> list[dict[str, Any]]:
    """Where these facts stand, at most five of them: [{"fact", "value", "quote", "page", "document"}]."""
    found = (
        {"fact": name, **document.facts[name], "document": document.id}
        for document in documents
        for name in names
        if name in document.facts
    )
    return [place for place, _ in zip(found, range(MOST_EVIDENCE), strict=False)]
