"""A job stays within its collection: the nodes and files that its payload names must lie there (spec, jobbkø §6).

Checked when a job is enqueued and again when it is about to run: a node may have moved meanwhile. Jobs of the system
collection are the system's own and may name anything.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from uuid import UUID

from synops.store.identities import SYSTEM_COLLECTION_ID
from synops.store.sql import Cursor, load
from synops.tools.describe import Description


def outside(
    cursor: Cursor,
    description: Description,
    payload: Mapping[str, Any],
    collection_id: UUID,
    run_id: UUID | None = None,
) -> list[str]:
    """What the payload names outside the collection, one sentence each. Needs a payload that is otherwise valid.

    A file is inside when a node of the collection holds it, or when an earlier step of the same run made it.
    """
    named = [(param.name, param.type, payload[param.name]) for param in description.params if payload.get(param.name)]
    wanted = [(name, kind, str(value)) for name, kind, value in named if kind in ("uuid", "hash")]
    if not wanted or collection_id == SYSTEM_COLLECTION_ID:
        return []
    cursor.execute(
        load("jobs.sql", "in_collection"),
        {
            "nodes": [value for _, kind, value in wanted if kind == "uuid"],
            "hashes": [value for _, kind, value in wanted if kind == "hash"],
            "collection": collection_id,
            "run": run_id,
        },
    )
    inside = {row[0] for row in cursor.fetchall()}
    what = {"uuid": "node", "hash": "file"}
    return [
        f"{name}: {what[kind]} {value} does not lie in the job's collection"
        for name, kind, value in wanted
        if value.lower() not in inside
    ]
