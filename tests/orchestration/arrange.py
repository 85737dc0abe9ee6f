"""What tests of recipes arrange: tools, compiled recipes, recordings, and jobs that end as a test wants them to."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any
from uuid import UUID

from django.db import connection, transaction

from jobs import queue
from jobs.preparing import preparing_cursor
from jobs.queue import ClaimedJob, Ended
from jobs.tool_nodes import tool_node_id
from orchestration.events import consume
from orchestration.models import Run
from orchestration.steward import on_finished
from synops.graph.models import Edge, Node
from tests.jobs.arrange import add_worker
from tests.people import make_node

DIGEST = "a" * 64
EVENT = "communication.ended"
TRANSCRIBE = {
    "name": "synops-transcribe",
    "job_types": ["whisper_transcribe"],
    "params": [
        {"name": "cas_hash", "type": "hash", "required": True, "bind": ["event.cas_hash"]},
        {"name": "model", "type": "string"},
        {"name": "token", "type": "string"},
    ],
}
SUMMARIZE = {
    "name": "synops-summarize",
    "job_types": ["summarize_communication"],
    "params": [{"name": "communication_id", "type": "uuid", "required": True, "bind": ["event.communication_id"]}],
}
RSS = {
    "name": "synops-rss",
    "job_types": ["rss"],
    "params": [{"name": "collection_id", "type": "uuid", "required": True, "bind": ["event.collection_id"]}],
}
NOTE = {"name": "synops-note", "job_types": ["note"], "params": [{"name": "text", "type": "text"}]}
TOOLS = (TRANSCRIBE, SUMMARIZE, RSS, NOTE)
TYPES = tuple(job_type for tool in TOOLS for job_type in tool["job_types"])


def add_tools(*tools: Mapping[str, Any]) -> None:
    """The tools, as `sync_tools` stores them."""
    for tool in tools or TOOLS:
        described = {"version": "1", "description": {}, "exit_codes": "sysexits", "available": True, **tool}
        Node.objects.update_or_create(
            id=tool_node_id(tool["name"]),
            defaults={"node_kind": "cli_tool", "title": tool["name"], "metadata": described},
        )


def call(tool: str, job_type: str, **params: Any) -> dict[str, Any]:
    return {"tool": tool, "job_type": job_type, "params": params}


def transcribe(model: str | None = None) -> dict[str, Any]:
    chosen = {"model": model} if model else {}
    return call("synops-transcribe", "whisper_transcribe", cas_hash="{event.cas_hash}", **chosen)


def note(text: str) -> dict[str, Any]:
    return call("synops-note", "note", text=text)


SUMMARIZE_IT = call("synops-summarize", "summarize_communication", communication_id="{event.communication_id}")
UPDATE_FEED = call("synops-rss", "rss", collection_id="{event.collection_id}")


def item(title: str, *tags: str) -> dict[str, Any]:
    return {"work_item": {"title": title, "tag": tags[0] if tags else None, "tags": list(tags)}}


def compiled(
    *steps: Sequence[dict[str, Any]],
    event: str = EVENT,
    conditions: Sequence[dict[str, Any]] = (),
    on_failure: Sequence[dict[str, Any]] = (),
) -> dict[str, Any]:
    """A compiled recipe; each step is its alternatives."""
    return {
        "schema": 1,
        "lexicon_hash": "test",
        "trigger": {"event": event, "conditions": list(conditions), "schedule": None},
        "steps": [
            {"number": n, "line": n + 2, "text": f"step {n}", "alternatives": list(alternatives)}
            for n, alternatives in enumerate(steps, 1)
        ],
        "on_failure": list(on_failure),
    }


def make_recipe(title: str, document: dict[str, Any], *collections: Node, state: str = "active") -> Node:
    """A recipe as saving one would leave it, without its text."""
    metadata = {"state": state, "executor": "script", "language": "en", "version": 1, "compiled": document}
    recipe = make_node("orchestration", title, metadata=metadata)
    for collection in collections:
        Edge.objects.create(source=recipe, target=collection, edge_type="belongs_to")
    return recipe


def make_recording(collection: Node | None, title: str = "Møte", mime: str = "audio/mpeg") -> Node:
    """A communication with one file."""
    recording = make_node("communication", title, into=collection)
    media = make_node("media", f"{title}.mp3", into=collection, metadata={"cas_hash": DIGEST, "mime": mime})
    Edge.objects.create(source=recording, target=media, edge_type="has_media")
    settle_outbox()
    return recording


def settle_outbox() -> None:
    """Forget the events of what a test has arranged."""
    with connection.cursor() as cursor:
        cursor.execute("UPDATE graph_events SET done_at = now() WHERE done_at IS NULL")


def end(recording: Node, at: str = "2026-05-17T12:00:00Z") -> None:
    """The communication ends: an event."""
    recording.metadata = {**recording.metadata, "ended_at": at}
    recording.save()


def started(recipe: Node) -> Run:
    """Read the outbox; the one run of the recipe."""
    consume()
    return Run.objects.get(orchestration_id=recipe.pk)


def claim_one(job_type: str | None = None) -> ClaimedJob:
    """Take the next job as a worker would."""
    with transaction.atomic(), preparing_cursor() as cursor:
        worker = add_worker(cursor)
        jobs = queue.claim(
            cursor,
            worker_id=worker,
            machine="here",
            types=[job_type] if job_type else list(TYPES),
            slots=1,
            budget=64,
        )
    assert jobs, "no job to claim"
    return jobs[0]


def finish(job: ClaimedJob, outcome: str = "succeeded", **fields: Any) -> None:
    """The job ends, and the worker tells the recipes."""
    fields.setdefault("exit_code", 0 if outcome == "succeeded" else 1)
    with transaction.atomic(), preparing_cursor() as cursor:
        finished = queue.finish(cursor, [Ended(job, outcome, **fields)])
    assert finished.changed, "the job was not ours to finish"
    on_finished(finished.changed)


def run_next(job_type: str | None = None, outcome: str = "succeeded", **fields: Any) -> ClaimedJob:
    """Claim and end the next job."""
    job = claim_one(job_type)
    finish(job, outcome, **fields)
    return job


def steps_of(run: Run) -> list[tuple[int, int, str, str]]:
    return [(s.step, s.alternative, s.tool, s.state) for s in run.steps.order_by("id")]


def log_of(run: Run) -> list[tuple[str, str, str]]:
    return [(line.tool_binary, line.status, line.reason) for line in run.log.order_by("id")]


def open_items() -> list[Node]:
    return list(Node.objects.filter(node_kind="work_item", metadata__status="open").order_by("created_at", "id"))


def edge_targets(node: UUID, edge_type: str) -> set[UUID]:
    return set(Edge.objects.filter(source_id=node, edge_type=edge_type).values_list("target_id", flat=True))


def runs_of(recipe: Node) -> int:
    return Run.objects.filter(orchestration_id=recipe.pk).count()


def consume_all() -> None:
    """Read the outbox to its end."""
    while consume().events:
        pass


def begin(collection: Node, document: dict[str, Any], title: str = "Recipe") -> tuple[Node, Run, Node]:
    recipe = make_recipe(title, document, collection)
    recording = make_recording(collection)
    end(recording)
    return recipe, started(recipe), recording
