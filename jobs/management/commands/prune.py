"""`manage.py prune [--aggressive]`: makes room: old jobs and logs, and stored files that nothing names any more."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandParser
from django.db import connection, transaction

from jobs import retention, unreferenced
from synops.store.files import FileStore

AGGRESSIVE = retention.Ages(job_days=7, log_days=1)


class Command(BaseCommand):
    """Prunes now what the schedule `retention` prunes, and the file store too."""

    help = "Delete finished jobs and logs that are old, and stored files that nothing refers to."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--aggressive", action="store_true", help="jobs after 7 days, logs after 1")

    def handle(self, *args: Any, **options: Any) -> None:
        ages = retention.Ages(settings.JOB_RETENTION_DAYS, settings.LOG_RETENTION_DAYS)
        rows = _prune(AGGRESSIVE if options["aggressive"] else ages)
        with connection.cursor() as cursor:
            files, size = unreferenced.remove(cursor, FileStore(settings.STORE_DIR))
        self.stdout.write(f"{rows} rows and {files} files ({size / 1_000_000:.1f} MB) deleted")


def _prune(ages: retention.Ages) -> int:
    total = 0
    while True:
        with transaction.atomic(), connection.cursor() as cursor:
            gone = retention.expire_batch(cursor, ages)
        if not gone:
            return total
        total += gone
