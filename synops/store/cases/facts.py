"""Facts of documents, kept by document and extractor version: reading a document twice finds the same.

Table `case_facts` (jobs.pipelines.cases). Index: case_facts_once (cas_hash, extractor).
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from synops.store.sanitise import dumps
from synops.store.sql import Cursor


def stored_facts(cur: Cursor, cas_hash: str, extractor: str) -> dict[str, Any] | None:
    """What was found in the document of this digest by this extractor; None when it has not been read yet."""
    cur.execute(
        "SELECT found::text FROM case_facts WHERE cas_hash = %(digest)s AND extractor = %(extractor)s",
        {"digest": cas_hash, "extractor": extractor},
    )
    row = cur.fetchone()
    found = json.loads(row[0]) if row else None
    return found if isinstance(found, dict) and "kind" in found and "text_hash" in found else None


def store_facts(cur: Cursor, cas_hash: str, extractor: str, found: Mapping[str, Any]) -> None:
    """Keep what was found; it replaces what an earlier run has kept."""
    cur.execute(
        """INSERT INTO case_facts (cas_hash, extractor, found) VALUES (%(digest)s, %(extractor)s, %(found)s::jsonb)
           ON CONFLICT (cas_hash, extractor) DO UPDATE SET found = EXCLUDED.found, read_at = now()""",
        {"digest": cas_hash, "extractor": extractor, "found": dumps(dict(found))},
    )
