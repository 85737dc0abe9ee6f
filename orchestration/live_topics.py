"""Runs as the live view tells of them. Their steps change with their jobs, which are a topic of their own."""

from __future__ import annotations

from collections.abc import Collection
from uuid import UUID

from jobs.live.topics import Row, Topic
from orchestration.models import Run


def read(ids: Collection[UUID]) -> list[Row]:
    """The runs that still exist."""
    rows = Run.objects.filter(pk__in=ids).only("collection_id", "status", "created_at", "finished_at")
    return [
        Row(
            run.pk,
            run.collection_id,
            {
                "state": run.status,
                "status": run.status,
                "started": run.created_at.isoformat(),
                "finished": run.finished_at.isoformat() if run.finished_at else None,
            },
        )
        for run in rows
    ]


def places(ids: Collection[UUID]) -> set[UUID]:
    """The collections of these runs."""
    return set(Run.objects.filter(pk__in=ids).values_list("collection_id", flat=True))


RUN_TOPIC = Topic("run", "orchestration.view_run", read, places)
