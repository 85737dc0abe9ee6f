"""A recorded conversation as sentences: what was said, in which recording, and when."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, datetime
from typing import NamedTuple
from uuid import UUID

from synops.store.collections import CollectionConfig, UnknownCollection, collection_config
from synops.store.nodes import Node
from synops.store.people import people_with
from synops.store.segments import Recording, collections_of, recordings_of
from synops.tools.call import Call
from synops.tools.failures import BadInput, NoInput


class Sentence(NamedTuple):
    """A sentence of the transcript and when it begins."""

    text: str
    recording: int
    start_ms: int


class Conversation(NamedTuple):
    """A communication with its transcribed recordings, those who took part, and the collections it belongs to."""

    node: Node
    recordings: tuple[Recording, ...]
    participants: tuple[str, ...]
    collections: tuple[UUID, ...]
    collection: CollectionConfig | None

    @property
    def language(self) -> str:
        """What was spoken, by the first transcript that knows; Norwegian when none does."""
        return next((language for item in self.recordings if (language := _language(item))), "nb")

    @property
    def day(self) -> date | None:
        """The day it took place, for "by Friday"."""
        for key in ("ended_at", "started_at"):
            try:
                return datetime.fromisoformat(str(self.node.metadata.get(key))).date()
            except ValueError:
                continue
        return None

    @property
    def prompts(self) -> dict[str, str]:
        """The collection's own instructions by tool."""
        return dict(self.collection.prompts) if self.collection else {}


def read_conversation(call: Call, node_id: UUID) -> Conversation:
    """The conversation in one snapshot. Raises NoInput without a transcript, BadInput for what is none."""
    from synops.tools.database import reading
    from synops.tools.subject import bounded, read_node

    with reading(call) as cur:
        node = read_node(cur, node_id)
        if node.node_kind != "communication":
            raise BadInput(f"node {node_id} is of kind {node.node_kind}, not a communication")
        recordings = tuple(item for item in recordings_of(cur, node_id) if item.transcribed)
        if not recordings:
            raise NoInput(f'"{node.title}" ({node_id}) has no transcript; run synops-transcribe on its recording first')
        bounded("".join(one.text for item in recordings for one in item.segments), f'the transcript of "{node.title}"')
        collections = (call.collection_id,) if call.collection_id else tuple(collections_of(cur, node_id))
        try:
            collection = collection_config(cur, collections[0]) if collections else None
        except UnknownCollection:
            collection = None
        people = tuple(person.name for person in people_with(cur, node_id, ["participant", "owner"]) if person.name)
    return Conversation(node, recordings, people, collections, collection)


def sentences_of(recordings: Sequence[Recording]) -> list[Sentence]:
    """All sentences in order. A recogniser's segments break anywhere, so text is joined before it is split."""
    from synops.tools.extractive import split_sentences

    found = []
    for number, recording in enumerate(recordings):
        text, starts = "", []
        for segment in recording.segments:
            starts.append((len(text), segment.start_ms))
            text += segment.text + " "
        at = 0
        for sentence in split_sentences(text):
            place = text.find(sentence.split(" ", 1)[0], at)
            at = max(at, place)
            found.append(Sentence(sentence, number, max(ms for offset, ms in starts if offset <= at)))
            at += len(sentence)
    return found


def _language(recording: Recording) -> str:
    transcript = recording.metadata.get("transcript")
    language = transcript.get("language") if isinstance(transcript, dict) else None
    return language if isinstance(language, str) else ""
