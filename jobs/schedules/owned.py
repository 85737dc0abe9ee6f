"""Schedules that belong to something and go with it, such as a recipe that starts by the clock."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from uuid import UUID

from jobs.schedules import cron as cron_lines
from synops.store.sanitise import dumps
from synops.store.sql import Cursor, load


class NameTaken(ValueError):
    """A schedule of that name belongs to someone else."""


def put(
    cursor: Cursor,
    *,
    owner: str,
    name: str,
    cron: str,
    timezone: str,
    job_type: str,
    payload: Mapping[str, Any],
    collection_id: UUID,
    priority: int = 1,
    max_concurrency: int = 1,
    description: str = "",
) -> None:
    """Create or change a schedule of `owner` (`recipe:<id>`). In the payload the text "{tick}" becomes the tick's instant.

    Raises CronRefused for a line or zone that is none, NameTaken. An operator's switch survives; new times begin now.
    """
    cron_lines.zone_named(timezone)
    parameters = {
        "owner": owner,
        "name": name,
        "cron": cron_lines.check(cron),
        "timezone": timezone,
        "job_type": job_type,
        "payload": dumps(dict(payload)),
        "collection": collection_id,
        "priority": priority,
        "max_concurrency": max_concurrency,
        "description": description,
    }
    cursor.execute(load("jobs.schedules.sql", "put"), parameters)
    if cursor.fetchone() is None:
        raise NameTaken(f"a schedule named {name} exists and is not {owner}'s")


def remove(cursor: Cursor, owner: str) -> int:
    """Delete the schedules of an owner; how many. What they have enqueued stays."""
    cursor.execute("DELETE FROM job_schedules WHERE owner = %(owner)s", {"owner": owner})
    return cursor.rowcount
