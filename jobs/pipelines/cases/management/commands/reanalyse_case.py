"""`manage.py reanalyse_case 2026/104`: run a case anew, from its source, its documents or its facts on."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db import connection, transaction

from jobs.pipelines import AlreadyOpen
from jobs.pipelines.cases.opening import NothingToRead, UnknownCase, evaluate_again, extract_again, reanalyse


class Command(BaseCommand):
    """What the buttons of a case's page do."""

    help = "Run a case anew by hand."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("number", help="the case's number, such as 2026/104")
        how = parser.add_mutually_exclusive_group()
        how.add_argument("--force", action="store_true", help="fetch and read unchanged documents as well")
        how.add_argument("--extract", action="store_true", help="read its documents anew, without fetching them")
        how.add_argument("--evaluate", action="store_true", help="only put the rules to the facts that are stored")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            with transaction.atomic(), connection.cursor() as cursor:
                if options["evaluate"]:
                    unit = evaluate_again(cursor, options["number"])
                elif options["extract"]:
                    unit = extract_again(cursor, options["number"])
                else:
                    unit = reanalyse(cursor, options["number"], options["force"])
        except (UnknownCase, NothingToRead, AlreadyOpen) as error:
            raise CommandError(str(error)) from error
        self.stdout.write(f"{unit.unit} run {unit.generation}")
