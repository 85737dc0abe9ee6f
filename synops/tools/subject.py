"""The node that a call is about: its text, whatever kind it is, its language, and the settings of its collection."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple
from uuid import UUID

from synops.store.collections import CollectionConfig, UnknownCollection, collection_config
from synops.store.nodes import Node, UnknownNode, get_node
from synops.store.segments import Recording, collections_of, recordings_of, segments_of
from synops.store.sql import Cursor
from synops.tools.call import Call
from synops.tools.failures import BadInput, NoInput

# A thick book has a million. What is longer is no text of a newsroom, and would keep a worker for hours.
LONGEST_TEXT: Final = 2_000_000


class Subject(NamedTuple):
    """`text` is what was said or written. `collection` is the one whose settings count; None only by hand, for a loose node."""

    node: Node
    text: str
    language: str
    recordings: tuple[Recording, ...]
    collection: CollectionConfig | None
    collections: tuple[UUID, ...]

    @property
    def names(self) -> tuple[str, ...]:
        """The collection's name list."""
        return self.collection.names if self.collection else ()

    def prompt(self, key: str) -> str:
        """The collection's own instruction for a tool, or nothing."""
        return self.collection.prompts.get(key, "") if self.collection else ""


def bounded(text: str, what: str) -> str:
    """The text, or BadInput when it is too long to be worked on as one."""
    if len(text) > LONGEST_TEXT:
        raise BadInput(f"{what} has {len(text):,} characters, and at most {LONGEST_TEXT:,} are read at once; divide it")
    return text


def read_node(cur: Cursor, node_id: UUID) -> Node:
    """The node, or NoInput."""
    try:
        return get_node(cur, node_id)
    except UnknownNode as error:
        raise NoInput(str(error)) from error


def read_subject(call: Call, cur: Cursor, node_id: UUID) -> Subject:
    """Everything about a node that a text tool needs. Raises NoInput for a node that is not there, BadInput for a huge one."""
    node = read_node(cur, node_id)
    recordings = _recordings(cur, node)
    collections = [call.collection_id] if call.collection_id else collections_of(cur, node_id)
    collection = _first_collection(cur, collections)
    spoken = "\n".join(" ".join(segment.text for segment in recording.segments) for recording in recordings)
    whole = "\n\n".join(part for part in (node.content.strip(), spoken.strip()) if part)
    text = bounded(whole, f'"{node.title}" ({node.id})')
    language = _language(node, recordings) or (collection.language if collection else "nb")
    return Subject(node, text, language, tuple(recordings), collection, tuple(collections))


def _recordings(cur: Cursor, node: Node) -> list[Recording]:
    if node.node_kind == "media":
        return [Recording(node.id, node.title, dict(node.metadata), tuple(segments_of(cur, node.id)))]
    return [one for one in recordings_of(cur, node.id) if one.transcribed]


def _first_collection(cur: Cursor, collections: Sequence[UUID]) -> CollectionConfig | None:
    for collection in collections:
        try:
            return collection_config(cur, collection)
        except UnknownCollection:
            continue  # a node may belong to a conversation, which has no settings
    return None


def _language(node: Node, recordings: Sequence[Recording]) -> str:
    told = [node.metadata.get("language")]
    for recording in recordings:
        transcript = recording.metadata.get("transcript")
        told.append(transcript.get("language") if isinstance(transcript, dict) else None)
    return next((one for one in told if isinstance(one, str) and one), "")
