"""A case's manifest: its documents at the source, and the copies of them in the file store."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass

from synops.store.sanitise import dumps
from synops.store.sql import Cursor, load


@dataclass(frozen=True, slots=True)
class Line:
    """One document. `key` is the source's id, `changed_at` whatever the source says changes with the document."""

    key: str
    name: str
    size: int
    changed_at: str
    cas_hash: str
    extractor: str


def read_manifest(cur: Cursor, number: str) -> dict[str, Line]:
    """The case's lines by key. Index: case_documents_once (case_id, key)."""
    cur.execute(
        "SELECT key, name, size, changed_at, cas_hash, extractor FROM case_documents WHERE case_id = %(number)s",
        {"number": number},
    )
    return {row[0]: Line(*row) for row in cur.fetchall()}


def store_manifest(cur: Cursor, number: str, lines: Sequence[Line]) -> None:
    """Make the manifest these lines, in this order: new ones are added, others changed or removed; equal ones stay."""
    rows = [{**asdict(line), "position": position} for position, line in enumerate(lines)]
    parameters = {"number": number, "lines": dumps(rows)}
    cur.execute(load("synops.store.cases", "remove_documents"), parameters)
    cur.execute(load("synops.store.cases", "upsert_documents"), parameters)
