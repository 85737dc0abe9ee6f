"""What the page of one job shows: payload, result, attempts with command and log, and where it comes from."""

from __future__ import annotations

import shlex
from collections import defaultdict
from dataclasses import dataclass
from typing import Any

from jobs.admin.columns import ran_for, state_of
from jobs.display import Shown
from jobs.models import Attempt, Job, LogChunk
from synops.graph.admin.rendering import duration, pretty
from synops.graph.models import Node


@dataclass(frozen=True)
class AttemptLine:
    """One attempt as a row of the page."""

    attempt: Attempt
    state: Shown
    command: str
    waited: str
    took: str
    log: str
    omitted: int


def page_context(job: Job) -> dict[str, Any]:
    """Everything the template needs beyond the job itself."""
    lines = attempt_lines(job)
    return {
        "job": job,
        "state": state_of(job),
        "collection": Node.objects.filter(pk=job.collection_node_id).only("title", "node_kind").first(),
        "duration": duration(ran_for(job)),
        "payload": pretty(job.payload),
        "result": pretty(job.result),
        "lines": lines,
        "current": lines[-1] if lines else None,
    }


def attempt_lines(job: Job) -> list[AttemptLine]:
    """The attempts, oldest first."""
    logs = log_by_lease(job)
    return [attempt_line(attempt, logs[attempt.lease]) for attempt in job.attempt_rows.order_by("lease")]


def attempt_line(attempt: Attempt, log: list[LogChunk]) -> AttemptLine:
    waited = attempt.started_at - attempt.due_at if attempt.due_at else None
    took = attempt.finished_at - attempt.started_at if attempt.finished_at else None
    return AttemptLine(
        attempt=attempt,
        state=Shown(attempt.outcome) if attempt.outcome else Shown.RUNNING,
        command=shlex.join(str(part) for part in attempt.argv) if attempt.argv else "",
        waited=duration(waited),
        took=duration(took),
        log="".join(chunk.text for chunk in log),
        omitted=attempt.log_dropped_bytes,
    )


def log_by_lease(job: Job) -> defaultdict[int, list[LogChunk]]:
    """The log's chunks in order, by attempt."""
    found: defaultdict[int, list[LogChunk]] = defaultdict(list)
    for chunk in job.log_chunks.order_by("lease", "seq"):
        found[chunk.lease].append(chunk)
    return found
