"""Reads what conditions and event variables need to know about nodes, for a whole batch in two statements."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any
from uuid import UUID

from orchestration.conditions import Facts, Medium, Subject, media_kind
from orchestration.planning import without_jit
from synops.store.sql import Cursor, load

Known = Mapping[UUID, Facts]


def read_facts(cursor: Cursor, nodes: Iterable[UUID]) -> dict[UUID, Facts]:
    """Facts by node; a node that does not exist is absent."""
    wanted = list(dict.fromkeys(nodes))
    if not wanted:
        return {}
    without_jit(cursor)
    cursor.execute(load("orchestration.sql", "facts"), {"nodes": wanted})
    return {row[0]: _facts(*row) for row in cursor.fetchall()}


def read_traits(cursor: Cursor, collections: Iterable[UUID]) -> dict[UUID, frozenset[str]]:
    """The traits of collections, casefolded; what is no collection is absent."""
    wanted = list(dict.fromkeys(collections))
    if not wanted:
        return {}
    cursor.execute(
        """SELECT id, (metadata -> 'traits')::text FROM nodes
           WHERE id = ANY(%(ids)s::uuid[]) AND node_kind = 'collection'""",
        {"ids": wanted},
    )
    return {row[0]: _words(json.loads(row[1] or "null")) for row in cursor.fetchall()}


def subject(facts: Facts, traits: Mapping[UUID, frozenset[str]], collection: UUID | None) -> Subject:
    """The node as seen from one of its collections."""
    return Subject(facts, traits.get(collection, frozenset()) if collection else frozenset())


def read_subject(cursor: Cursor, node: UUID, collection: UUID | None) -> Subject | None:
    """One node and its collection; None when the node is gone."""
    facts = read_facts(cursor, [node]).get(node)
    if facts is None:
        return None
    return subject(facts, read_traits(cursor, [collection] if collection else []), collection)


def collection_subject(cursor: Cursor, collection: UUID, node: UUID | None = None) -> Subject:
    """A collection seen by itself, in place of a node that is gone (`node`) or that there never was."""
    nothing = Facts(node or collection, around=frozenset({collection}))
    return subject(nothing, read_traits(cursor, [collection]), collection)


def _facts(
    id: UUID, kind: str, title: str, fields: str, homes: list[UUID], around: list[UUID], media: str, tags: list[str]
) -> Facts:
    own: dict[str, Any] = json.loads(fields)
    traits = _words(own.pop("traits"))
    return Facts(
        node_id=id,
        kind=kind,
        title=title,
        traits=traits,
        tags=frozenset(tag.casefold() for tag in tags),
        media=tuple(_own_file(id, own) or _files(json.loads(media))),
        homes=tuple(homes),
        around=frozenset(around),
        fields=own,
    )


def _own_file(id: UUID, fields: Mapping[str, str | None]) -> list[Medium]:
    """A media node is its own file."""
    digest = fields.get("cas_hash")
    return [Medium(media_kind(fields.get("mime") or ""), digest, id)] if digest else []


def _files(media: list[dict[str, str]]) -> list[Medium]:
    return [Medium(media_kind(item["mime"] or ""), item["cas_hash"], UUID(item["id"])) for item in media]


def _words(value: Any) -> frozenset[str]:
    """Traits are a list of names, or an object with a name per key."""
    names = value if isinstance(value, list | dict) else ()
    return frozenset(name.casefold() for name in names if isinstance(name, str))
