"""Whether a recipe's conditions hold for a node. Pure: steward, dry run and “why didn't it run?” must agree."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from uuid import UUID

from orchestration.language.plan import Clause, Condition


@dataclass(frozen=True)
class Medium:
    """A file of a node: `kind` is audio, video, image or document."""

    kind: str
    cas_hash: str
    node_id: UUID


@dataclass(frozen=True)
class Facts:
    """What is known about a node when its event is read."""

    node_id: UUID
    kind: str = ""
    title: str = ""
    traits: frozenset[str] = frozenset()
    """The node's own."""
    tags: frozenset[str] = frozenset()
    media: tuple[Medium, ...] = ()
    homes: tuple[UUID, ...] = ()
    """The collections it belongs to, itself when it is one."""
    around: frozenset[UUID] = frozenset()
    """The node, and everything it belongs to over any number of edges."""
    fields: Mapping[str, str | None] = field(default_factory=dict)
    """Single values of its metadata that events pass on."""


@dataclass(frozen=True)
class Subject:
    """A node as seen from one of its collections: what conditions are asked about."""

    facts: Facts
    collection_traits: frozenset[str] = frozenset()

    @property
    def likeness(self) -> Hashable:
        """Equal for two subjects between which no condition can tell."""
        facts = self.facts
        media = frozenset(medium.kind for medium in facts.media)
        return facts.kind, facts.traits, facts.tags, media, self.collection_traits


def all_hold(conditions: Sequence[Clause], subject: Subject) -> bool:
    """Whether every clause holds; a clause of several conditions holds when any of them does."""
    return not failing(conditions, subject)


def failing(conditions: Sequence[Clause], subject: Subject) -> list[Clause]:
    """The clauses that do not hold, in the recipe's order."""
    return [clause for clause in conditions if not any(holds(condition, subject) for condition in clause)]


def holds(condition: Condition, subject: Subject) -> bool:
    """One condition, its negation included. An unknown predicate never holds, negated or not."""
    test = _TESTS.get(condition.predicate)
    if test is None:
        return False
    return test(condition.value.casefold(), subject) is not condition.negated


def _has_trait(value: str, subject: Subject) -> bool:
    return value in subject.collection_traits or value in subject.facts.traits


def _has_media(value: str, subject: Subject) -> bool:
    return any(medium.kind == value for medium in subject.facts.media)


def _has_tag(value: str, subject: Subject) -> bool:
    return value in subject.facts.tags


def _node_kind(value: str, subject: Subject) -> bool:
    return subject.facts.kind.casefold() == value


_TESTS: Mapping[str, Callable[[str, Subject], bool]] = {
    "has_trait": _has_trait,
    "has_media": _has_media,
    "has_tag": _has_tag,
    "node_kind": _node_kind,
}

_MEDIA_KINDS = {"audio": "audio", "video": "video", "image": "image", "text": "document", "application": "document"}


def media_kind(mime: str) -> str:
    """audio, video, image or document, from a MIME type; anything unknown is a document."""
    return _MEDIA_KINDS.get(mime.partition("/")[0].casefold(), "document")
