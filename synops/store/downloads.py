"""What synops-stats keeps: how far each log has been read, the windows that are still open, and the downloads counted."""

from __future__ import annotations

import datetime
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from synops.store.sanitise import clean_text, dumps
from synops.store.sql import Cursor, load


@dataclass(frozen=True, slots=True)
class Position:
    """How far a log was read: unpacked bytes, and the size that the file had."""

    at: int
    size: int


@dataclass(frozen=True, slots=True)
class StoredWindow:
    """A row of `download_windows`."""

    path: str
    client: str
    started: datetime.datetime
    last: datetime.datetime
    spans: list[list[int]]
    counted: bool


@dataclass(frozen=True, slots=True)
class Episode:
    """What a published file belongs to, and its length in seconds where that is known."""

    node: UUID
    collection: UUID
    seconds: float | None


def lock_statistics(cur: Cursor) -> None:
    """One reader of logs at a time, until the transaction ends."""
    cur.execute("SELECT pg_advisory_xact_lock(hashtext('synops.statistics'))")


def positions(cur: Cursor) -> dict[str, Position]:
    """By the digest of the log's first line."""
    cur.execute("SELECT first_line, position, packed_size FROM log_positions")
    return {row[0]: Position(row[1], row[2]) for row in cur.fetchall()}


def keep_position(cur: Cursor, first_line: str, name: str, position: Position) -> None:
    """Remember how far a log has been read."""
    cur.execute(
        """INSERT INTO log_positions AS old (first_line, name, position, packed_size, read_at)
           VALUES (%(first_line)s, %(name)s, %(at)s, %(size)s, now())
           ON CONFLICT (first_line) DO UPDATE
           SET name = excluded.name, position = excluded.position, packed_size = excluded.packed_size, read_at = now()""",
        {"first_line": first_line, "name": clean_text(name), "at": position.at, "size": position.size},
    )


def windows_of(cur: Cursor, keys: Iterable[tuple[str, str]]) -> list[StoredWindow]:
    """The windows of these files and listeners."""
    wanted = list(keys)
    cur.execute(
        load("synops.store", "download_windows"),
        {"paths": [path for path, _ in wanted], "clients": [client for _, client in wanted]},
    )
    return [StoredWindow(row[0], row[1], row[2], row[3], json.loads(row[4]), row[5]) for row in cur.fetchall()]


def keep_windows(cur: Cursor, windows: Sequence[Mapping[str, Any]]) -> None:
    """Store windows: rows {path, client, before, started, last, spans, counted}; `before` is the start it was stored with."""
    cur.execute(load("synops.store", "keep_windows"), {"rows": dumps(windows)})


def forget_windows(cur: Cursor, kept: datetime.timedelta) -> int:
    """Drop the windows that nothing can fall into any more, and with them every trace of who listened.

    Counted from the newest request and not from now: logs may be brought in days later, and in pieces.
    """
    # Index: download_windows_old, for both ends.
    cur.execute(
        "DELETE FROM download_windows WHERE last_at < (SELECT max(last_at) FROM download_windows) - %(kept)s::interval",
        {"kept": kept},
    )
    return cur.rowcount


def add_downloads(cur: Cursor, rows: Sequence[Mapping[str, Any]]) -> None:
    """Add to the counts: rows {node, collection, day, app, downloads}."""
    cur.execute(load("synops.store", "add_downloads"), {"rows": dumps(rows)})


def episodes_with(cur: Cursor, digests: Iterable[str]) -> dict[str, list[Episode]]:
    """What each file is the sound of, by digest: itself, or the recording that it is a version of; in every collection."""
    cur.execute(load("synops.store", "episodes_with_file"), {"digests": sorted(set(digests))})
    found: dict[str, list[Episode]] = {}
    for digest, node, collection, seconds in cur.fetchall():
        found.setdefault(digest, []).append(Episode(UUID(str(node)), UUID(str(collection)), seconds))
    return found
