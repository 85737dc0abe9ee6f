"""Jobs as the live view tells of them: state, attempts, progress and the beginning of the error."""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db.models import OuterRef, Subquery
from django.db.models.functions import Left

from jobs.display import shown
from jobs.live.topics import Row, Topic
from jobs.models import Attempt, Job

ERROR_CHARACTERS = 200

COLUMNS = (
    "id",
    "collection_node_id",
    "status",
    "outcome",
    "cancel_requested_at",
    "attempts",
    "max_attempts",
    "priority",
    "scheduled_for",
    "started_at",
    "completed_at",
)


def read(ids: Collection[UUID]) -> list[Row]:
    """The jobs that still exist, with what a list or a job page shows of them."""
    current = Attempt.objects.filter(job_id=OuterRef("pk"), lease=OuterRef("lease"))
    rows = Job.objects.filter(pk__in=ids).values(
        *COLUMNS,
        error=Left("error_msg", ERROR_CHARACTERS),
        progress=Subquery(current.values("progress")[:1]),
        message=Subquery(current.values("message")[:1]),
    )
    return [Row(row["id"], row["collection_node_id"], fields(row)) for row in rows]


def fields(row: dict[str, Any]) -> dict[str, Any]:
    """What travels: codes, numbers and times."""
    running = row["status"] == "running"
    return {
        "state": shown(row["status"], row["outcome"], row["cancel_requested_at"] is not None).value,
        "status": row["status"],
        "attempts": f"{row['attempts']}/{row['max_attempts']}",
        "priority": row["priority"],
        "due": iso(row["scheduled_for"]),
        "started": iso(row["started_at"]),
        "finished": iso(row["completed_at"]),
        "progress": round(row["progress"] * 100) if running and row["progress"] is not None else None,
        "message": (row["message"] if running else None) or row["error"] or "",
    }


def iso(moment: datetime | None) -> str | None:
    return moment.isoformat() if moment else None


def places(ids: Collection[UUID]) -> set[UUID]:
    """The collections of these jobs."""
    return set(Job.objects.filter(pk__in=ids).values_list("collection_node_id", flat=True))


JOB_TOPIC = Topic("job", "jobs.view_job", read, places)
