"""Transcripts: the timed sentences of a recording, in `transcription_segments`, and the recordings that a file belongs to."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from synops.store.sanitise import clean_text, dumps
from synops.store.sql import Cursor, load


@dataclass(frozen=True, slots=True)
class Segment:
    """What is said from `start_ms` to `end_ms`, in milliseconds from the start of the recording."""

    start_ms: int
    end_ms: int
    text: str


@dataclass(frozen=True, slots=True)
class Recording:
    """A media node with a transcript, or without one: `transcribed` is what its metadata says, segments or not."""

    media_id: UUID
    title: str
    metadata: dict[str, Any]
    segments: tuple[Segment, ...]

    @property
    def transcribed(self) -> bool:
        """Has it been transcribed? Silence has no segments and is transcribed all the same."""
        return "transcript" in self.metadata or bool(self.segments)


def media_with_file(cur: Cursor, digest: str, collection_id: UUID | None) -> list[UUID]:
    """The media nodes that hold a file, oldest id first; with a collection only those that belong to it.

    A media node belongs to the collections it is joined to, and to those of the nodes it is media of.
    """
    cur.execute(load("synops.store", "media_with_file"), {"digest": digest, "collection": collection_id})
    return [UUID(str(row[0])) for row in cur.fetchall()]


def collections_of(cur: Cursor, node_id: UUID) -> list[UUID]:
    """The collections of a node, through itself or through what it is media of."""
    cur.execute(load("synops.store", "collections_of"), {"node": node_id})
    return [UUID(str(row[0])) for row in cur.fetchall()]


def replace_segments(cur: Cursor, media_id: UUID, segments: Sequence[Segment]) -> None:
    """Make `segments` the transcript of a media node, whatever it was before. The node's row orders writers."""
    cur.execute("SELECT 1 FROM nodes WHERE id = %(media)s FOR UPDATE", {"media": media_id})
    cur.execute("DELETE FROM transcription_segments WHERE node_id = %(media)s", {"media": media_id})
    rows = [
        {"seq": seq, "start_ms": segment.start_ms, "end_ms": segment.end_ms, "content": clean_text(segment.text)}
        for seq, segment in enumerate(segments, start=1)
    ]
    cur.execute(
        """INSERT INTO transcription_segments (node_id, seq, start_ms, end_ms, content)
           SELECT %(media)s, seq, start_ms, end_ms, content
           FROM jsonb_to_recordset(%(rows)s::jsonb) AS x (seq int, start_ms int, end_ms int, content text)""",
        {"media": media_id, "rows": dumps(rows)},
    )


def segments_of(cur: Cursor, media_id: UUID) -> list[Segment]:
    """The sentences of one media node, in order."""
    # Index: transcription_segments_once (node, seq).
    cur.execute(
        "SELECT start_ms, end_ms, content FROM transcription_segments WHERE node_id = %(media)s ORDER BY seq",
        {"media": media_id},
    )
    return [Segment(*row) for row in cur.fetchall()]


def recordings_of(cur: Cursor, node_id: UUID) -> list[Recording]:
    """The media of a communication (edges `has_media`) in order of their edges, each with its transcript."""
    cur.execute(load("synops.store", "recordings_of"), {"node": node_id})
    return [
        Recording(UUID(str(row[0])), row[1], json.loads(row[2]), tuple(Segment(*item) for item in json.loads(row[3])))
        for row in cur.fetchall()
    ]
