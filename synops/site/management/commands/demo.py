"""`manage.py demo`: from a recording to a podcast feed, each step as it ends. The last line is the feed's path.

`manage.py demo --cases`: invented cases through the case pipeline, each as it ends.
"""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from orchestration.step_lines import step_line
from synops.site import case_demonstration, demonstration
from synops.site.demonstration import DemoFailed


class Command(BaseCommand):
    """Loads the demo, ends its conversation, and prints what the recipe does with it."""

    help = "Load the demo and watch what comes of it: a recipe publishes a podcast feed. Needs no browser."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "--once", action="store_true", help="only what was never loaded, and without waiting for what comes of it"
        )
        parser.add_argument("--cases", action="store_true", help="the cases instead of the recording")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            if options["once"]:
                self._load_once()
            elif options["cases"]:
                self._show_cases()
            else:
                self._show()
        except DemoFailed as failure:
            raise CommandError(str(failure)) from failure

    def _load_once(self) -> None:
        case_demonstration.load_once()
        if demonstration.is_loaded():
            return
        demonstration.prepare()
        demonstration.end_conversation()

    def _show(self) -> None:
        demonstration.prepare()
        self.stdout.write("The recording is loaded, its conversation ends.")
        for step in demonstration.steps(demonstration.end_conversation()):
            self.stdout.write(step_line(step))
            self.stdout.flush()
        self.stdout.write(demonstration.feed_path())

    def _show_cases(self) -> None:
        case_demonstration.load_once()
        case_demonstration.ask_for_sync()
        for case in case_demonstration.ended():
            self.stdout.write(f"{case.number}  {case.state:<20}{case.decision:<10}{case.title}")
            self.stdout.flush()
