"""`manage.py run_schedule [NAME]`: enqueue a schedule's job now, a dormant one's too; without a name, list the schedules."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db import connection, transaction
from django.utils import translation

from jobs.live.announcer import announce
from jobs.models import Schedule
from jobs.schedules import CronRefused, NotRun, run_by_hand
from jobs.schedules.reading import in_words


class Command(BaseCommand):
    """What the button *Run now* of a schedule's page does."""

    help = "Enqueue the job of a schedule now and print its id; without a name, list the schedules and what each does."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("name", nargs="?", help="the schedule, dormant or switched off or not")

    def handle(self, *args: Any, **options: Any) -> None:
        if options["name"] is None:
            with translation.override("en"):  # as all commands speak, and descriptions are stored
                for schedule in Schedule.objects.order_by("name"):
                    self.stdout.write(f"{schedule.name:28} {_when(schedule):34} {schedule.description}".rstrip())
            return
        try:
            with transaction.atomic(), connection.cursor() as cursor:
                job = run_by_hand(cursor, options["name"])
                announce("job", [job])
        except NotRun as refused:
            raise CommandError(str(refused)) from refused
        self.stdout.write(str(job))


def _when(schedule: Schedule) -> str:
    if schedule.orphaned:
        return "(its code is gone)"
    if schedule.dormant:
        return "(by hand only)"
    if not schedule.enabled:
        return "(switched off)"
    try:
        return in_words(schedule.cron)
    except CronRefused:
        return f"(never: {schedule.cron})"
