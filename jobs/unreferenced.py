"""Stored files that no node and no job names any more. Only what is older than a day: a file comes before its node."""

from __future__ import annotations

import time
from pathlib import Path

from synops.store.files import FileStore
from synops.store.sql import Cursor

YOUNGEST_SECONDS = 24 * 3600

_others: list[str] = []

REFERENCED = """
SELECT DISTINCT found[1] FROM (
    SELECT regexp_matches(metadata::text || content, '[0-9a-f]{64}', 'g') AS found FROM nodes
    UNION ALL
    SELECT regexp_matches(metadata::text, '[0-9a-f]{64}', 'g') FROM edges
    UNION ALL
    SELECT regexp_matches(payload::text || coalesce(result::text, ''), '[0-9a-f]{64}', 'g') FROM job_queue
) everywhere
"""


def register(statement: str) -> None:
    """Have a query asked, too, whose rows are digests that an app above still needs."""
    _others.append(statement)


def remove(cursor: Cursor, store: FileStore) -> tuple[int, int]:
    """Delete them; how many files, and bytes."""
    oldest = time.time() - YOUNGEST_SECONDS
    candidates = {path.name: path for path in _files(store.root) if path.stat().st_mtime < oldest}
    if not candidates:
        return 0, 0
    named: set[str] = set()
    for statement in (REFERENCED, *_others):
        cursor.execute(statement)
        named.update(row[0] for row in cursor.fetchall())
    loose = [path for digest, path in candidates.items() if digest not in named]
    size = sum(path.stat().st_size for path in loose)
    for path in loose:
        path.unlink(missing_ok=True)
    return len(loose), size


def _files(root: Path) -> list[Path]:
    return [path for path in root.glob("??/*") if len(path.name) == 64 and path.is_file()]
