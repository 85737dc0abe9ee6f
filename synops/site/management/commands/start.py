"""`manage.py start`: everything that a newcomer or a small newsroom needs, in one terminal."""

from __future__ import annotations

import asyncio
import os
import signal
from typing import Any

from django.conf import settings
from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db import connections

from synops.database import is_embedded, just_furnished, leave
from synops.database.leash import die_with_parent
from synops.site.login import ensure_login
from synops.site.starter import Starter, port_problem, programs, say

HOST = "127.0.0.1"


class Command(BaseCommand):
    """Brings the database up to date, then runs web server and worker until it is stopped."""

    help = "Migrate, look for tools, then run the web server and one worker until Ctrl-C."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "--port", type=int, default=None, help="port of the web server on 127.0.0.1 (PORT, or 8000)"
        )
        parser.add_argument("--no-demo", action="store_true", help="do not load the demo on the first start")
        parser.add_argument("--die-with-parent", action="store_true", help="stop when the calling process is killed")

    def handle(self, *args: Any, **options: Any) -> None:
        if options["die_with_parent"]:
            die_with_parent(signal.SIGTERM)
        port = options["port"] or port_from(os.environ)
        if problem := port_problem(HOST, port):
            raise CommandError(problem)
        if not just_furnished():
            call_command("migrate", verbosity=0)
            call_command("sync_tools")
        if not options["no_demo"]:
            load_demo_once()
        greeting = [f"Synops runs at http://{HOST}:{port}/", ensure_login(settings.VAR / "login"), *about_database()]
        connections.close_all()
        os.environ.setdefault("SITE_URL", f"http://{HOST}:{port}")
        code = asyncio.run(run(port, [*greeting, "Ctrl-C stops everything."]))
        leave()  # "nothing survives" holds when the prompt is back, not a moment later
        say("Stopped.")
        raise SystemExit(code)


def load_demo_once() -> None:
    """Something to watch on the first start; without it the pages are empty but everything works."""
    try:
        call_command("demo", once=True)
    except CommandError as error:
        say(f"The demo is left out: {error}")


async def run(port: int, greeting: list[str]) -> int:
    worker_seconds = settings.DRAIN_SECONDS + settings.TERM_GRACE_SECONDS + 20
    return await Starter(programs(HOST, port, worker_seconds), os.environ).run(HOST, port, greeting)


def port_from(environ: os._Environ[str]) -> int:
    """The port that PORT names, or 8000."""
    text = environ.get("PORT") or "8000"
    if not text.isascii() or not text.isdigit() or not 0 < int(text) < 65536:
        raise CommandError(f"PORT is “{text}”; it must be a number from 1 to 65535.")
    return int(text)


def about_database() -> list[str]:
    if not is_embedded(os.environ):
        return []
    return [
        f"The database is an embedded PostgreSQL in {settings.VAR / 'postgres'}: for development and small newsrooms.",
        "Set DATABASE_URL to use a server of your own.",
    ]
