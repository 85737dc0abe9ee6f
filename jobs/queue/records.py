"""What goes into the queue and comes out of it: a job to enqueue, a claimed one, how an attempt ended, what has changed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any
from uuid import UUID

from synops.graph.columns import new_id
from synops.store.sanitise import clean_text


@dataclass(frozen=True, slots=True)
class NewJob:
    """A job to enqueue. `priority` None = the type's base priority; `scheduled_for` None = now."""

    collection_id: UUID
    job_type: str
    payload: Mapping[str, Any]
    priority: int | None = None
    max_attempts: int = 3
    scheduled_for: datetime | None = None
    dedupe_key: str | None = None
    order_key: str | None = None
    run_id: UUID | None = None
    chain: Sequence[UUID] | None = None
    retry_on: str = "any"
    id: UUID = field(default_factory=new_id)

    def as_json(self) -> dict[str, Any]:
        """The row that enqueue.sql reads, but for the payload, which stands beside. What is left out is NULL."""
        row: dict[str, Any] = {
            "id": str(self.id),
            "collection": str(self.collection_id),
            "job_type": self.job_type,
            "max_attempts": self.max_attempts,
            "retry_on": self.retry_on,
        }
        for name in ("priority", "dedupe_key", "order_key"):
            if (value := getattr(self, name)) is not None:
                row[name] = value
        if self.scheduled_for is not None:
            row["scheduled_for"] = self.scheduled_for.isoformat()
        if self.run_id is not None:
            row["run_id"] = str(self.run_id)
        if self.chain is not None:
            row["chain"] = [str(id) for id in self.chain]
        return row

    def as_parameters(self) -> dict[str, Any]:
        """The parameters of enqueue_one.sql, but for the payload."""
        return {
            "id": self.id,
            "collection": self.collection_id,
            "job_type": clean_text(self.job_type),
            "priority": self.priority,
            "max_attempts": self.max_attempts,
            "scheduled_for": self.scheduled_for,
            "dedupe_key": None if self.dedupe_key is None else clean_text(self.dedupe_key),
            "run_id": self.run_id,
            "chain": None if self.chain is None else list(self.chain),
            "retry_on": self.retry_on,
        }


@dataclass(frozen=True)
class Limits:
    """What one attempt may use: seconds, and limits of the type's rule (None = none)."""

    timeout_seconds: int
    max_open_files: int | None = None
    max_cpu_seconds: int | None = None
    max_rss_mb: int | None = None


@dataclass(frozen=True, slots=True)
class ClaimedJob:
    """A job that a worker now owns, under `lease`, until it finishes it or is taken for lost."""

    id: UUID
    collection_id: UUID
    job_type: str
    payload: dict[str, Any]
    lease: int
    worker_id: UUID
    attempt: int
    max_attempts: int
    run_id: UUID | None
    chain: tuple[UUID, ...]
    limits: Limits


@dataclass(frozen=True)
class Owned:
    """Just enough of a running job to give it back."""

    id: UUID
    lease: int
    worker_id: UUID


@dataclass(frozen=True, slots=True)
class Ended:
    """How one attempt ended. `permanent`: trying again can't help. `transient`: the fault lies outside and may pass.

    `retry_after_seconds`: when another attempt follows, how long it waits; None = the queue's own backoff. `log`: what of
    its log is to be stored in the same transaction.
    """

    job: ClaimedJob
    outcome: str
    result: Any = None
    error: str | None = None
    reason: str = ""
    permanent: bool = False
    transient: bool = False
    exit_code: int | None = None
    signal: int | None = None
    killed: int = 0
    cpu_seconds: float | None = None
    max_rss_kb: int | None = None
    log_dropped_bytes: int = 0
    progress: float | None = None
    message: str | None = None
    retry_after_seconds: int | None = None
    log: tuple[LogText, ...] = ()

    def as_json(self) -> dict[str, Any]:
        """The row that finish.sql reads."""
        return {
            "id": str(self.job.id),
            "lease": self.job.lease,
            "worker": str(self.job.worker_id),
            "outcome": self.outcome,
            "permanent": self.permanent,
            "transient": self.transient,
            "result": self.result,
            "error": self.error,
            "reason": self.reason,
            "exit_code": self.exit_code,
            "signal": self.signal,
            "killed": self.killed,
            "cpu_seconds": self.cpu_seconds,
            "max_rss_kb": self.max_rss_kb,
            "log_dropped_bytes": self.log_dropped_bytes,
            "progress": self.progress,
            "message": self.message,
            "retry_after": self.retry_after_seconds,
        }


@dataclass(frozen=True, slots=True)
class Changed:
    """A job whose state has just changed, and what it is now."""

    id: UUID
    status: str
    outcome: str | None
    run_id: UUID | None
    collection_id: UUID
    job_type: str


@dataclass(frozen=True)
class Finished:
    """What became of a batch: those that changed, those that someone else holds now, and those that are stale."""

    changed: tuple[Changed, ...]
    held: frozenset[UUID]
    stale: frozenset[UUID]


@dataclass(frozen=True)
class LogText:
    """A chunk of an attempt's log: `part` head or tail, `seq` its place. The same seq again replaces the text."""

    job: ClaimedJob
    seq: int
    part: str
    text: str
