"""What a payload leaves open and the graph says: which agent answers, with which model, in which voice (spec, jobbkø §4.1).

Tools only take `--agent-id`, `--model`, `--intelligence` and `--voice`; where the choice comes from is the queue's
business, and is looked up when the job is about to run. What the payload says always wins. Keys: docs/agents.md.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any
from uuid import UUID

from jobs.queue import ClaimedJob
from synops.store.sql import Cursor, load
from synops.tools.describe import Description

CHOSEN = ("agent_id", "model", "intelligence", "voice")
TIERS = (1, 2, 3)


def completed(cursor: Cursor, description: Description, job: ClaimedJob) -> ClaimedJob:
    """The job with what its tool takes, its payload leaves open and somebody has chosen. One query, or none."""
    open_params = [name for name in CHOSEN if description.param(name) and job.payload.get(name) is None]
    if not open_params:
        return job
    nodes = _read(cursor, [str(job.collection_id), *_ids(job.payload, "agent_id", "node_id")])
    collection = nodes.get(str(job.collection_id), {})
    payload = dict(job.payload)
    if "agent_id" in open_params and (agent := _text(_mapping(collection.get("agents")).get("default"))):
        payload["agent_id"] = agent
        nodes |= _read(cursor, _ids(payload, "agent_id"))
    agents = [nodes.get(id, {}) for id in _ids(payload, "agent_id")]
    subjects = [nodes.get(id, {}) for id in _ids(payload, "node_id")]
    choices = {
        "model": _first(_models(agents, collection, job.job_type)),
        "intelligence": _tier(agents),
        "voice": _first(_voices(agents, subjects, collection, job.job_type)),
    }
    payload |= {name: choices[name] for name in open_params if choices.get(name) is not None}
    return replace(job, payload=payload)


def _tier(agents: list[Mapping[str, Any]]) -> int | None:
    tiers = (agent.get("tier") for agent in agents)
    return next((tier for tier in tiers if type(tier) is int and tier in TIERS), None)


def _models(agents: list[Mapping[str, Any]], collection: Mapping[str, Any], job_type: str) -> Iterator[Any]:
    """By job type in a collection, because a speech model and a language model have the same flag."""
    yield from (agent.get("model") for agent in agents)
    yield _mapping(collection.get("models")).get(job_type)


def _voices(
    agents: list[Mapping[str, Any]], subjects: list[Mapping[str, Any]], collection: Mapping[str, Any], job_type: str
) -> Iterator[Any]:
    yield from (node.get("voice") for node in (*agents, *subjects))
    yield _mapping(collection.get("voices")).get(job_type)
    yield collection.get("voice")


def _read(cursor: Cursor, ids: list[str]) -> dict[str, Mapping[str, Any]]:
    cursor.execute(load("jobs.sql", "lookup"), {"ids": ids})
    return {str(id): json.loads(metadata) for id, metadata in cursor.fetchall()}


def _ids(payload: Mapping[str, Any], *names: str) -> list[str]:
    """The ids under these keys; what is none is refused later, when the payload is checked."""
    found = []
    for name in names:
        try:
            found.append(str(UUID(payload[name])))
        except (KeyError, ValueError, TypeError, AttributeError):
            continue
    return found


def _first(values: Iterator[Any]) -> str | None:
    return next((text for value in values if (text := _text(value))), None)


def _text(value: Any) -> str:
    return value.strip() if isinstance(value, str) else ""


def _mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}
