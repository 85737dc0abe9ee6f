"""`manage.py enqueue TYPE --collection ID|SLUG --payload JSON`: one job, by hand. Prints its id."""

from __future__ import annotations

import argparse
import json
from datetime import datetime
from typing import Any
from uuid import UUID

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db import connection, transaction
from django.utils import timezone

from jobs.enqueueing import Refused, enqueue_checked
from jobs.queue import NewJob
from synops.graph.models import Node


def moment(text: str) -> datetime:
    """An ISO date and time; without a zone it is local."""
    try:
        value = datetime.fromisoformat(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(f"{text!r} is no ISO time: write 2026-11-30T18:00") from error
    return value if value.tzinfo else timezone.make_aware(value)


def find_collection(text: str) -> Node:
    """A collection by id or slug. Raises CommandError with what there is."""
    collections = Node.objects.filter(node_kind="collection")
    found: Node | None
    try:
        found = collections.filter(pk=UUID(text)).first()
    except ValueError:
        found = collections.filter(metadata__slug=text).first()
    if found is None:
        slugs = collections.order_by("metadata__slug").values_list("metadata__slug", flat=True)[:20]
        raise CommandError(f"There is no collection {text!r}. There are: {', '.join(str(slug) for slug in slugs)}.")
    return found


class Command(BaseCommand):
    """Enqueues one job; everything that is wrong with it is said before anything is written."""

    help = "Enqueue one job and print its id."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("type", help="job type, such as checksum")
        parser.add_argument("--collection", required=True, help="id or slug of the collection")
        parser.add_argument("--payload", default="{}", help="JSON object keyed by the tool's params")
        parser.add_argument("--priority", type=int, choices=range(11), metavar="0-10", help="default: the type's own")
        parser.add_argument("--at", type=moment, help="not before this time (ISO)")

    def handle(self, *args: Any, **options: Any) -> None:
        collection = find_collection(options["collection"])
        try:
            payload = json.loads(options["payload"])
        except ValueError as error:
            raise CommandError(f"--payload is no JSON: {error}") from error
        job = NewJob(collection.pk, options["type"], payload, priority=options["priority"], scheduled_for=options["at"])
        try:
            with transaction.atomic(), connection.cursor() as cursor:
                id = enqueue_checked(cursor, job)
        except Refused as refused:
            raise CommandError(str(refused)) from refused
        self.stdout.write(str(id))
