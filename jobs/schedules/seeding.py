"""Makes the declared schedules rows. What they do is the code's; cron line, zone and switch stay as the operator left them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from django.apps import apps as installed_apps
from django.apps.registry import Apps
from django.db import connection, transaction
from django.utils import translation

from jobs.schedules.declared import Declared, declared
from synops.graph.seeds import is_migrated
from synops.store.sanitise import dumps
from synops.store.sql import Cursor, load


def seed_schedules(apps: Apps = installed_apps, **_: Any) -> None:
    """Create what is missing, follow what the code changed, mark what the code no longer has. Any number may do so at once."""
    if not is_migrated(apps, "jobs", "Repair"):
        return
    with transaction.atomic(), connection.cursor() as cursor:
        seed(cursor, declared.values())


def seed(cursor: Cursor, schedules: Iterable[Declared]) -> None:
    """Make these the schedules of the code."""
    with translation.override(None):  # descriptions are stored in English and translated when shown
        rows = [_row(one) for one in schedules]
    cursor.execute(load("jobs.schedules.sql", "seed_lock"))
    cursor.execute(load("jobs.schedules.sql", "seed"), {"schedules": dumps(rows)})
    cursor.execute(load("jobs.schedules.sql", "orphan"), {"names": [row["name"] for row in rows]})


def _row(one: Declared) -> dict[str, Any]:
    return {
        "name": one.name,
        "description": str(one.description),
        "cron": one.cron,
        "timezone": one.tz,
        "job_type": one.job_type,
        "payload": dict(one.payload),
        "priority": one.priority,
        "max_concurrency": one.max_concurrency,
        "collection": str(one.collection_id),
        "dormant": one.dormant,
    }
