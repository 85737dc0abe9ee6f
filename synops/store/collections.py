"""What a collection says about the work done for it: language, name list, prompts, podcast data.

Keys in its metadata: `slug`, `language`, `names`, `traits`, `prompts`, `podcast`, `theme`, `templates` (docs/graph.md).
Each may be absent.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from synops.store.metadata import mapping, named_texts, text, texts
from synops.store.nodes import UnknownNode, get_node
from synops.store.sql import Cursor

DEFAULT_LANGUAGE = "nb"
_SLUG = re.compile(r"[a-z0-9](?:[a-z0-9-]{0,62}[a-z0-9])?")
# Letters that Unicode does not take apart into a base letter and a mark.
_LETTERS = str.maketrans({"æ": "ae", "ø": "o", "å": "a", "ß": "ss", "đ": "d", "ð": "d", "þ": "th", "ł": "l", "ŋ": "ng"})


class UnknownCollection(LookupError):
    """There is no node with this id or slug, or it is no collection."""


@dataclass(frozen=True, slots=True)
class CollectionConfig:
    """One collection's own settings. `slug` is safe as a folder's name; `language` is nb, nn, en, …"""

    id: UUID
    slug: str
    title: str
    description: str
    language: str
    names: tuple[str, ...]
    traits: tuple[str, ...]
    prompts: Mapping[str, str]
    podcast: Mapping[str, Any]
    theme: str
    templates: Mapping[str, str]


def collection_config(cur: Cursor, collection_id: UUID) -> CollectionConfig:
    """Read a collection's settings; wrong types in its metadata count as absent. Raises UnknownCollection."""
    try:
        node = get_node(cur, collection_id)
    except UnknownNode as error:
        raise UnknownCollection(f"there is no collection {collection_id}") from error
    if node.node_kind != "collection":
        raise UnknownCollection(f"node {collection_id} is of kind {node.node_kind}, not a collection")
    data = node.metadata
    return CollectionConfig(
        id=node.id,
        slug=folder_name(data.get("slug"), node.title, node.id),
        title=node.title,
        description=node.content,
        language=text(data.get("language")) or DEFAULT_LANGUAGE,
        names=texts(data.get("names")),
        traits=texts(data.get("traits")),
        prompts=named_texts(data.get("prompts")),
        podcast=mapping(data.get("podcast")),
        theme=text(data.get("theme")),
        templates=named_texts(data.get("templates")),
    )


def find_collection(cur: Cursor, name: str) -> UUID:
    """The id of the collection that `name` means: its id, or the `slug` in its metadata. Raises UnknownCollection."""
    cur.execute(
        """SELECT id FROM nodes WHERE node_kind = 'collection'
           AND (id::text = lower(%(name)s) OR metadata->>'slug' = %(name)s) ORDER BY id LIMIT 2""",
        {"name": name},
    )
    rows = cur.fetchall()
    if len(rows) != 1:
        who = "several collections have" if rows else "no collection has"
        raise UnknownCollection(f'{who} the id or slug "{name}"')
    return UUID(str(rows[0][0]))


def collection_slugs(cur: Cursor) -> dict[UUID, str]:
    """The folder of every collection, by its id."""
    cur.execute("SELECT id, title, metadata ->> 'slug' FROM nodes WHERE node_kind = 'collection'")
    return {UUID(str(row[0])): folder_name(row[2], row[1], UUID(str(row[0]))) for row in cur.fetchall()}


def folder_name(slug: Any, title: str, node_id: UUID) -> str:
    """A name for a folder or an address: `slug` where it is usable, else one from the title and the id.

    Two may have one title, so the end of the id is part of a name made from it: its beginning is the time, which is the
    same for all that is made within a minute.
    """
    if isinstance(slug, str) and _SLUG.fullmatch(slug):
        return slug
    return f"{slugify(title)[:50]}-{str(node_id)[-8:]}".strip("-")


def slugify(title: str) -> str:
    """`title` as lower-case ASCII words joined by hyphens: "Æresgjest på Øya" → "aeresgjest-pa-oya"."""
    plain = unicodedata.normalize("NFKD", title.lower().translate(_LETTERS)).encode("ascii", "ignore").decode()
    return re.sub(r"[^a-z0-9]+", "-", plain).strip("-")
