"""Brings the replica up to a dump of the source: one transaction, deletions included."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any

from synops.store.sanitise import dumps
from synops.store.sql import Cursor, load

BATCH = 1_000
TABLES = ("schemes", "statuses", "cases")
# Children before what they need only where rows are deleted; the statements say which order is right.
STATEMENTS = ("sync_schemes", "sync_cases", "sync_parts", "sync_removed", "sync_facts")


class SuspiciousDump(ValueError):
    """A dump that would empty the replica: more likely a fault of the source than the truth."""


def last_dump(cur: Cursor) -> datetime | None:
    """When the dump was made that the replica was last brought up to; None before the first."""
    cur.execute("SELECT max(generated_at) FROM case_syncs")
    row = cur.fetchone()
    return row[0] if row else None


def lock(cur: Cursor) -> None:
    """One synchronisation at a time; the lock ends with the transaction."""
    cur.execute("SELECT pg_advisory_xact_lock(hashtext('synops.cases.replica'))")


def sync(cur: Cursor, generated_at: datetime, rows: Iterable[tuple[str, Mapping[str, Any]]]) -> dict[str, int]:
    """Make the replica what the rows (table, row) say, and note the dump; counts of what changed by table.

    Raises SuspiciousDump when the dump has no case and the replica has some.
    """
    cur.execute(
        "CREATE TEMPORARY TABLE dump (of_table text, key text, document jsonb, PRIMARY KEY (of_table, key)) ON COMMIT DROP"
    )
    for batch in _batches(rows):
        cur.execute(load("synops.store.cases", "load_dump"), {"rows": dumps(batch)})
    cur.execute("ANALYZE dump")  # a new table has no statistics, and the joins below may be of 100,000 rows
    _refuse_empty(cur)
    counts: dict[str, int] = {}
    for statement in STATEMENTS:
        cur.execute(load("synops.store.cases", statement))
        counts |= {name: count for name, count in cur.fetchall() if count}
    cur.execute(
        "INSERT INTO case_syncs (generated_at, counts) VALUES (%(at)s, %(counts)s::jsonb)",
        {"at": generated_at, "counts": json.dumps(counts)},
    )
    return counts


def _refuse_empty(cur: Cursor) -> None:
    cur.execute("SELECT EXISTS (SELECT FROM case_files), EXISTS (SELECT FROM dump WHERE of_table = 'cases')")
    known, new = cur.fetchone() or (False, False)
    if known and not new:
        raise SuspiciousDump("the dump holds not one case, while the replica does; nothing was changed")


def _batches(rows: Iterable[tuple[str, Mapping[str, Any]]]) -> Iterable[list[dict[str, Any]]]:
    batch: list[dict[str, Any]] = []
    for table, row in rows:
        batch.append({"of_table": table, "key": row["key"], "document": row})
        if len(batch) == BATCH:
            yield batch
            batch = []
    if batch:
        yield batch
