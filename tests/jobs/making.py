"""Jobs in any state, as the queue would have left them."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django.utils import timezone

from jobs.models import Attempt, Job
from synops.graph.columns import new_id
from synops.graph.models import Node

ENDED = {"succeeded": "completed", "excluded": "completed"}


def make_job(collection: Node, job_type: str = "checksum", **fields: Any) -> Job:
    """A waiting job."""
    return Job.objects.create(collection_node=collection, job_type=job_type, **{"payload": {}, **fields})


def running_job(collection: Node, job_type: str = "checksum", worker: UUID | None = None, **fields: Any) -> Job:
    """A job under way, with its attempt."""
    worker = worker or new_id()
    started = {"status": "running", "worker_id": worker, "started_at": timezone.now(), "attempts": 1, "lease": 1}
    job = make_job(collection, job_type, **{**started, **fields})
    Attempt.objects.create(job=job, lease=1, attempt=1, worker_id=worker, machine="here")
    return job


def ended_job(collection: Node, outcome: str = "succeeded", job_type: str = "checksum", **fields: Any) -> Job:
    """A finished job, with its attempt."""
    now = timezone.now()
    ended = {
        "status": ENDED.get(outcome, "error"),
        "outcome": outcome,
        "started_at": now,
        "completed_at": now,
        "attempts": 1,
        "lease": 1,
    }
    job = make_job(collection, job_type, **{**ended, **fields})
    Attempt.objects.create(
        job=job, lease=1, attempt=1, worker_id=new_id(), started_at=now, finished_at=now, outcome=outcome
    )
    return job
