"""`manage.py sync_cases`: enqueue a synchronisation of the replica; selection follows it."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand, CommandParser
from django.db import connection, transaction

from jobs import queue
from jobs.queue import NewJob
from synops.store.identities import SYSTEM_COLLECTION_ID


class Command(BaseCommand):
    """Asks for what the schedule `replica_sync` does once a day."""

    help = "Bring the replica of cases up to its source now. A worker does it; new cases are selected afterwards."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--full", action="store_true", help="also when the source is not newer")

    def handle(self, *args: Any, **options: Any) -> None:
        payload = {"full": True} if options["full"] else {}
        job = NewJob(SYSTEM_COLLECTION_ID, "replica_sync", payload, priority=5, dedupe_key=f"by-hand:{bool(payload)}")
        with transaction.atomic(), connection.cursor() as cursor:
            id = queue.enqueue_unique(cursor, job, "skip")
        self.stdout.write(f"job {id}")
