"""A synchronisation that has just ended may have brought new cases: selection need not wait for its next tick."""

from __future__ import annotations

from collections.abc import Sequence

from django.db import connection, transaction

from jobs import queue
from jobs.queue import Changed, NewJob
from synops.store.identities import SYSTEM_COLLECTION_ID


def on_finished(jobs: Sequence[Changed]) -> None:
    """Enqueue a selection. Missing a call is harmless: the next tick selects."""
    if not any(job.job_type == "replica_sync" and job.outcome == "succeeded" for job in jobs):
        return
    with transaction.atomic(), connection.cursor() as cursor:
        soon = NewJob(SYSTEM_COLLECTION_ID, "selection", {}, priority=1, dedupe_key="selection:after-sync")
        queue.enqueue_unique(cursor, soon, "skip")
