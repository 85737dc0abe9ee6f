"""What `sync_tools` stores: each discovered tool as a `cli_tool` node, so that recipes, forms and prompts know it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias
from uuid import UUID, uuid5

from jobs.tool_discovery import Discovery, Problem, Tool
from synops.store.identities import NAMESPACE, SYSTEM_COLLECTION_ID
from synops.store.sanitise import dumps
from synops.store.sql import Cursor, load
from synops.tools.describe import Description


def tool_node_id(name: str) -> UUID:
    """The id of a tool's node: the same in every installation."""
    return uuid5(NAMESPACE, f"cli_tool:{name}")


@dataclass(frozen=True)
class Synced:
    """What `sync_tools` did: names of tools that are new, changed or gone, and what could not be used."""

    added: tuple[str, ...]
    changed: tuple[str, ...]
    removed: tuple[str, ...]
    problems: tuple[Problem, ...]

    @property
    def anything(self) -> bool:
        """Whether the set of usable tools is another than before."""
        return bool(self.added or self.changed or self.removed)


def sync(cursor: Cursor, discovery: Discovery) -> Synced:
    """Make the cli_tool nodes say what `discovery` found. A tool that is gone keeps its node, marked unavailable."""
    usable, clashes = _without_clashes(discovery)
    before = _stored(cursor)
    wanted = {name: _metadata(tool) for name, tool in usable.items()}
    for name, metadata in wanted.items():
        if before.get(name) != metadata:
            _upsert(cursor, name, metadata)
    gone = [name for name, metadata in before.items() if name not in wanted and metadata.get("available", True)]
    for name in gone:
        _upsert(cursor, name, {**before[name], "available": False})
    return Synced(
        added=tuple(sorted(set(wanted) - set(before))),
        changed=tuple(sorted(name for name in set(wanted) & set(before) if wanted[name] != before[name])),
        removed=tuple(sorted(gone)),
        problems=discovery.problems + tuple(clashes),
    )


def _without_clashes(discovery: Discovery) -> tuple[dict[str, Tool], list[Problem]]:
    owner = discovery.by_job_type()
    usable, clashes = {}, []
    for name, tool in sorted(discovery.tools.items()):
        taken = [f"{job_type} ({owner[job_type].name})" for job_type in tool.job_types if owner[job_type] is not tool]
        if taken:
            clashes.append(Problem(tool.path, f"serves a job type that another tool has: {', '.join(taken)}"))
        else:
            usable[name] = tool
    return usable, clashes


def _metadata(tool: Tool) -> dict[str, Any]:
    return {**tool.description.to_json(), "available": True}


def _stored(cursor: Cursor) -> dict[str, dict[str, Any]]:
    cursor.execute("SELECT metadata::text FROM nodes WHERE node_kind = 'cli_tool' AND metadata ? 'name'")
    documents = (json.loads(row[0]) for row in cursor.fetchall())
    return {document["name"]: document for document in documents}


def _upsert(cursor: Cursor, name: str, metadata: dict[str, Any]) -> None:
    node = tool_node_id(name)
    cursor.execute(
        load("jobs.sql", "upsert_tool"),
        {"id": node, "title": name, "metadata": dumps(metadata), "collection": SYSTEM_COLLECTION_ID},
    )


Stamp: TypeAlias = tuple[tuple[str, str], ...]
"""Every tool's node, and the transaction and place of its last writing: two in one transaction differ by place."""

_known: dict[Stamp, Mapping[str, Description]] = {}


def descriptions(cursor: Cursor) -> Mapping[str, Description]:
    """The available tools by job type, as last synced: what may be enqueued.

    Parsed only when a node has been written since: every checked enqueue asks.
    """
    stamp = _stamp(cursor)
    if (known := _known.get(stamp)) is None:
        known = _parsed(cursor)
        _known.clear()
        _known[stamp] = known
    return known


def _stamp(cursor: Cursor) -> Stamp:
    cursor.execute("SELECT id::text, xmin::text || ctid::text FROM nodes WHERE node_kind = 'cli_tool' ORDER BY id")
    return tuple((id, written) for id, written in cursor.fetchall())


def _parsed(cursor: Cursor) -> dict[str, Description]:
    found: dict[str, Description] = {}
    for document in _stored(cursor).values():
        if document.get("available", True):
            description = Description.from_json(document)
            for job_type in description.job_types or (description.job_type({}),):
                found[job_type] = description
    return found
