"""`manage.py run_orchestration NODE [--input k=v]`: starts a recipe by hand. Prints the run's id."""

from __future__ import annotations

import argparse
from typing import Any
from uuid import UUID

from django.core.management.base import BaseCommand, CommandError, CommandParser

from orchestration.manual import CannotRun, Wish, start
from orchestration.models import Orchestration, Run
from orchestration.naming import find, find_collection
from orchestration.step_lines import step_line
from orchestration.watching import StillRunning, follow


def pair(text: str) -> tuple[str, str]:
    """`name=value`."""
    name, sign, value = text.partition("=")
    if not sign or not name.isidentifier():
        raise argparse.ArgumentTypeError(f"{text!r} is no input: write name=value")
    return name, value


class Command(BaseCommand):
    """Finds what is named and starts the run; a worker does the steps."""

    help = "Start a recipe by hand and print the run's id. A worker runs its steps."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("recipe", metavar="NODE", help="id or title of the recipe")
        parser.add_argument("--on", metavar="NODE", help="id or title of the node that it is to work on")
        parser.add_argument("--collection", metavar="ID|SLUG", help="the collection, where that is not plain")
        parser.add_argument("--input", type=pair, action="append", default=[], metavar="NAME=VALUE")
        parser.add_argument("--wait", type=float, metavar="SECONDS", help="follow the run until it is over")

    def handle(self, *args: Any, **options: Any) -> None:
        wish = Wish(
            recipe_id=find(options["recipe"], Orchestration.KIND),
            node_id=find(options["on"]) if options["on"] else None,
            collection_id=find_collection(options["collection"]) if options["collection"] else None,
            inputs=dict(options["input"]),
        )
        try:
            run_id = start(wish)
        except CannotRun as problem:
            raise CommandError(str(problem)) from problem
        self.stdout.write(str(run_id))
        if options["wait"]:
            self._follow(run_id, options["wait"])

    def _follow(self, run_id: UUID, seconds: float) -> None:
        try:
            for step in follow(run_id, seconds):
                self.stdout.write(step_line(step))
        except StillRunning as error:
            raise CommandError(f"{error} after {seconds:g} seconds; is a worker running?") from error
        run = Run.objects.get(pk=run_id)
        if run.status != "completed":
            raise CommandError(f"the run ended as {run.status}")
