"""`manage.py demo`: from a recording to a podcast feed, each step as it ends. The last line is the feed's path."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from orchestration.step_lines import step_line
from synops.site import demonstration
from synops.site.demonstration import DemoFailed


class Command(BaseCommand):
    """Loads the demo, ends its conversation, and prints what the recipe does with it."""

    help = "Load the demo recording and watch its recipe publish a podcast feed. Needs no browser."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "--once", action="store_true", help="only if it was never loaded, and without waiting for the recipe"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            if options["once"]:
                self._load_once()
            else:
                self._show()
        except DemoFailed as failure:
            raise CommandError(str(failure)) from failure

    def _load_once(self) -> None:
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
