"""`manage.py select_cases`: open the cases that qualify, as the schedule `selection` does."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand, CommandParser
from django.db import connection, transaction

from jobs.pipelines.cases.opening import select


class Command(BaseCommand):
    """Selects from the replica now."""

    help = "Open the cases of active schemes with a qualifying status that have no run yet; prints their numbers."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--most", type=int, help="how many at most (PIPELINE_MAX_CASES_PER_TICK)")

    def handle(self, *args: Any, **options: Any) -> None:
        with transaction.atomic(), connection.cursor() as cursor:
            units = select(cursor, options["most"])
        for unit in units:
            self.stdout.write(unit.unit)
