"""The schedules that are registered in code. Importing a module that declares some is enough; seeding makes them rows."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

from django.utils.functional import Promise

from jobs.registries import Inline, InlineHandler, registries
from jobs.schedules import cron as cron_lines
from synops.store.identities import SYSTEM_COLLECTION_ID

NEVER = "0 0 29 2 *"
"""The line of schedules that only a person runs: valid, and once in four years at that."""


@dataclass(frozen=True)
class Declared:
    """A schedule as the code has it. Its cron line, zone and switch are only what a new row begins with."""

    name: str
    cron: str
    tz: str = "Europe/Oslo"
    max_concurrency: int = 1
    description: str | Promise = ""
    dormant: bool = False
    job_type: str = ""
    payload: Mapping[str, Any] = field(default_factory=dict)
    priority: int = 1
    collection_id: UUID = SYSTEM_COLLECTION_ID


declared: dict[str, Declared] = {}


def schedule_job(name: str, cron: str, tz: str = "Europe/Oslo", *, job_type: str, **more: Any) -> None:
    """Register a schedule that enqueues an existing job type. Raises CronRefused, ValueError for a second of the name."""
    cron_lines.zone_named(tz)
    if name in declared:
        raise ValueError(f"there are two schedules named {name}")
    declared[name] = Declared(name, cron_lines.check(cron), tz, job_type=job_type, **more)


def schedule(name: str, cron: str, tz: str = "Europe/Oslo", **more: Any) -> Callable[[InlineHandler], InlineHandler]:
    """Register a function `(cursor, job) -> result` as an inline job type and a schedule of the same name.

    `more` are `max_concurrency`, `description`, `dormant`, `priority`. The function must be short: it runs in the
    worker's inline lane. What takes long belongs in jobs that it enqueues.
    """

    def register(function: InlineHandler) -> InlineHandler:
        registries.register_inline(Inline(name, function, validate=_nothing_but_empty))
        schedule_job(name, cron, tz, job_type=name, **more)
        return function

    return register


def _nothing_but_empty(payload: Any) -> list[str]:
    return [] if payload == {} else ["This job takes no payload."]
