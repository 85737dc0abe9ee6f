"""`manage.py runworker`: one worker, until a signal ends it (or, with --drain, until there is nothing left to do)."""

from __future__ import annotations

import argparse
import asyncio
import os
import re
import socket
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandParser

import synops
from jobs.launcher.client import LauncherClient
from jobs.live.announcer import Announcer
from jobs.registries import registries
from jobs.worker.options import Options
from jobs.worker.worker import Worker, stop_on_signals
from synops import database

_INTERVAL = re.compile(r"(?P<number>\d+(\.\d+)?)(?P<unit>ms|s)?")


def interval(text: str) -> float:
    """`1`, `1s` and `500ms` as seconds."""
    match = _INTERVAL.fullmatch(text)
    seconds = float(match["number"]) / (1000 if match["unit"] == "ms" else 1) if match else 0.0
    if not 0.01 <= seconds <= 3600:
        raise argparse.ArgumentTypeError(f"{text!r} is no interval: write 1, 1s or 500ms (10 ms to one hour)")
    return seconds


def slots(text: str) -> int:
    """A number of slots, 1–64."""
    if not text.isascii() or not text.isdigit() or not 1 <= int(text) <= 64:
        raise argparse.ArgumentTypeError(f"{text!r} is no number from 1 to 64")
    return int(text)


def type_list(text: str) -> tuple[str, ...]:
    """`a,b` as job types."""
    types = tuple(part.strip() for part in text.split(",") if part.strip())
    if not types:
        raise argparse.ArgumentTypeError("name at least one job type, separated by commas")
    return types


class Command(BaseCommand):
    """Parses the options and wires the worker; the work is jobs.worker's."""

    help = "Run one worker: claims jobs from the queue and runs their programs."
    requires_system_checks = ()

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--max-concurrent", type=slots, default=3, help="jobs at the same time (3)")
        parser.add_argument(
            "--poll-interval", type=interval, default=1.0, help="look at least this often: 1, 1s, 500ms"
        )
        parser.add_argument("--types", type=type_list, default=None, help="only these job types, comma-separated")
        parser.add_argument("--machine", default=socket.gethostname(), help="machine whose weight budget it shares")
        parser.add_argument(
            "--governor", choices=["auto", "off"], default="auto", help="off: this machine has no calls"
        )
        parser.add_argument("--drain", action="store_true", help="end when there is nothing left to do")

    def handle(self, *args: Any, **options: Any) -> None:
        # First of all, before any thread, loop or connection: what forks later must be small and single-threaded.
        launcher = LauncherClient.start(options["max_concurrent"])
        try:
            asyncio.run(_work(_options(options), launcher))
        finally:
            launcher.close()


async def _work(options: Options, launcher: LauncherClient) -> None:
    options.var.joinpath("scratch").mkdir(parents=True, exist_ok=True)
    announcer = Announcer(options.direct_url)
    worker = Worker(options, launcher, registries, announcer)
    stop_on_signals(worker)
    try:
        await worker.run()
    finally:
        await asyncio.to_thread(announcer.close)


def _options(options: dict[str, Any]) -> Options:
    return Options(
        machine=options["machine"],
        version=synops.__version__,
        max_concurrent=options["max_concurrent"],
        poll_seconds=options["poll_interval"],
        types=options["types"],
        drain=options["drain"],
        governor=options["governor"],
        database_url=database.address(os.environ),
        direct_url=settings.DATABASE_DIRECT_URL,
        var=settings.VAR,
        settings=_tool_settings(),
        max_total_weight=settings.MAX_TOTAL_WEIGHT,
        live_call_weight=settings.LIVE_CALL_WEIGHT,
        live_call_max_hours=settings.LIVE_CALL_MAX_HOURS,
        heartbeat_seconds=settings.HEARTBEAT_SECONDS,
        ttl_seconds=settings.WORKER_TTL_SECONDS,
        sweep_seconds=settings.SWEEP_SECONDS,
        disk_seconds=settings.DISK_CHECK_SECONDS,
        drain_seconds=settings.DRAIN_SECONDS,
        grace_seconds=settings.TERM_GRACE_SECONDS,
    )


def _tool_settings() -> dict[str, str]:
    """Settings that a tool may ask for by name, with their defaults filled in."""
    names = ("STORE_DIR", "STORE_URL", "STORE_CACHE_MB", "PUBLISH_DIR", "PUBLISH_URL", "SITE_URL", "TIME_ZONE")
    cases = ("CASES_SOURCE", "CASES_SOURCE_TOKEN", "CASES_DIR")
    return {name: str(getattr(settings, name)) for name in (*names, *cases)}
