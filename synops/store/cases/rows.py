"""A case as rules see it: the replica's row with its costs, assessments and certificates, and its documents' facts."""

from __future__ import annotations

import json
from typing import Any

from synops.store.sql import Cursor, load


class UnknownCase(LookupError):
    """The replica holds no such case."""


def case_data(cur: Cursor, number: str) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """(case, documents that have been read: [{"id", "name", "kind", "facts", "text_hash"}]). Raises UnknownCase."""
    case = case_row(cur, number)
    cur.execute(load("synops.store.cases", "read_documents"), {"number": number})
    documents = [
        {"id": key, "name": name, "kind": kind, "facts": json.loads(facts), "text_hash": text_hash}
        for key, name, kind, facts, text_hash in cur.fetchall()
    ]
    return case, documents


def case_row(cur: Cursor, number: str) -> dict[str, Any]:
    """The case with what the replica knows of it; dates are ISO texts, amounts numbers. Raises UnknownCase."""
    cur.execute(load("synops.store.cases", "case_row"), {"number": number})
    row = cur.fetchone()
    if row is None:
        raise UnknownCase(f"the replica holds no case {number}")
    case: dict[str, Any] = json.loads(row[0])
    return case
