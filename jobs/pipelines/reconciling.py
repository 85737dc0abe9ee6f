"""Reconciliation: finds what a dead process, or a person, left behind in the pipelines, and puts it right, and counts it.

It touches only what is older than PIPELINE_STALE_AFTER_SECONDS and has no job that waits or runs: anything younger may
still be somebody's work. Rows of the queue are repaired by the queue alone.
"""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from django.conf import settings
from django.utils.translation import gettext_lazy as _

from jobs import queue
from jobs.pipelines.advancing import advance
from jobs.pipelines.declaration import Unit
from jobs.pipelines.registry import all_job_types, job_types, pipelines
from jobs.pipelines.rows import StepRow, step_row
from jobs.pipelines.settling import settle, unheard_jobs
from jobs.pipelines.steps import job_for
from synops.store.sanitise import dumps
from synops.store.sql import Cursor, load

logger = logging.getLogger(__name__)

BATCH = 1000

KINDS = {
    "told": _("steps that had not heard how their job ended"),
    "first_enqueued": _("selected units whose first job was missing"),
    "reclaimed": _("steps under way without a job, given a new one"),
    "fanned_in": _("units whose fan-in had been missed"),
    "ended": _("units whose end had not been recorded"),
    "forgotten": _("units opened without a step, to be selected again"),
    "stray_job": _("jobs that belonged to no step, cancelled"),
    "leftover": _("open steps of units that were over"),
}
"""What can be repaired, in words."""

Repairs = Counter[tuple[str, str]]
"""How many repairs of (pipeline, kind)."""


def reconcile(cursor: Cursor) -> Repairs:
    """One round, in the cursor's transaction; what was repaired, which is also recorded. One process does it at a time."""
    repairs: Repairs = Counter()
    cursor.execute("SELECT pg_try_advisory_xact_lock(hashtext('synops.pipelines')), set_config('jit', 'off', true)")
    if not (cursor.fetchone() or (False,))[0]:
        return repairs
    stale = {"stale": settings.PIPELINE_STALE_AFTER_SECONDS, "limit": BATCH}
    _tell(cursor, repairs)
    _reclaim(cursor, stale, repairs)
    _move_on(cursor, stale, repairs)
    _drop_strays(cursor, stale, repairs)
    _close_leftovers(cursor, stale, repairs)
    _record(cursor, repairs)
    return repairs


def _tell(cursor: Cursor, repairs: Repairs) -> None:
    """The sweep's work, done here too: after an outage it comes before anything is judged by its age."""
    told = settle(cursor, unheard_jobs(cursor, BATCH))
    if told:
        repairs["", "told"] += told


def _reclaim(cursor: Cursor, stale: Mapping[str, int], repairs: Repairs) -> None:
    """Steps whose job is gone get a new one."""
    ids = _ids(cursor, "jobless_units", stale)
    if not ids:
        return
    _lock(cursor, ids)
    cursor.execute(load("jobs.pipelines.sql", "jobless_steps"), {**stale, "ids": ids})
    found = [(step_row(columns[:12]), columns[12]) for columns in cursor.fetchall()]
    jobs = [(row, state, job_for(row.unit, row.declared[1], row.payload)) for row, state in found if row.declared]
    queue.enqueue_many(cursor, [job for *_, job in jobs])
    reclaimed = [{"id": row.id, "job": str(job.id)} for row, _, job in jobs]
    cursor.execute(load("jobs.pipelines.sql", "reclaim"), {"reclaimed": dumps(reclaimed)})
    for row, state, _job in jobs:
        repairs[row.unit.pipeline, _kind(row, state)] += 1


def _kind(row: StepRow, state: str) -> str:
    first = row.declared is not None and row.declared[1].follows is None
    return "first_enqueued" if first and state == "pending" else "reclaimed"


def _move_on(cursor: Cursor, stale: Mapping[str, int], repairs: Repairs) -> None:
    """Units in which nothing is open: their fan-in was missed, or their end; or they were opened without a step."""
    ids = _ids(cursor, "still_units", stale)
    if not ids:
        return
    locked = _lock(cursor, ids)
    for unit in (unit for unit, begun in locked if not begun):
        repairs[unit.pipeline, "forgotten"] += _forget(cursor, unit)
    for one in pipelines():
        moved = advance(cursor, [unit for unit, begun in locked if begun and unit.pipeline == one.name])
        repairs[one.name, "fanned_in"] += moved.fanned_in
        repairs[one.name, "ended"] += sum(moved.ended.values())


def _forget(cursor: Cursor, unit: Unit) -> int:
    cursor.execute(
        "DELETE FROM pipeline_generations WHERE pipeline = %(pipeline)s AND unit = %(unit)s "
        "AND generation = %(generation)s",
        {"pipeline": unit.pipeline, "unit": unit.unit, "generation": unit.generation},
    )
    return cursor.rowcount


def _drop_strays(cursor: Cursor, stale: Mapping[str, int], repairs: Repairs) -> None:
    cursor.execute(load("jobs.pipelines.sql", "stray_jobs"), {**stale, "types": sorted(all_job_types())})
    strays = cursor.fetchall()
    queue.cancel(cursor, [id for id, _ in strays])
    for one in pipelines():
        repairs[one.name, "stray_job"] += sum(job_type in job_types(one) for _, job_type in strays)


def _close_leftovers(cursor: Cursor, stale: Mapping[str, int], repairs: Repairs) -> None:
    cursor.execute(load("jobs.pipelines.sql", "close_leftovers"), stale)
    for name, closed in cursor.fetchall():
        repairs[name, "leftover"] += closed


def _ids(cursor: Cursor, statement: str, parameters: Mapping[str, int]) -> list[int]:
    cursor.execute(load("jobs.pipelines.sql", statement), parameters)
    return list(dict.fromkeys(row[0] for row in cursor.fetchall()))


def _lock(cursor: Cursor, ids: Sequence[int]) -> list[tuple[Unit, bool]]:
    """Lock generations; those that still run, and whether they have any step."""
    cursor.execute(load("jobs.pipelines.sql", "lock_generations"), {"ids": list(ids)})
    return [(Unit(*columns), begun) for *columns, begun in cursor.fetchall()]


def _record(cursor: Cursor, repairs: Repairs) -> None:
    """Counted and shown; nothing is written when nothing was wrong."""
    for pair in [pair for pair, repaired in repairs.items() if not repaired]:
        del repairs[pair]
    rows: list[dict[str, Any]] = [
        {"pipeline": name, "kind": kind, "repaired": repaired} for (name, kind), repaired in repairs.items()
    ]
    if rows:
        cursor.execute(
            "INSERT INTO pipeline_repairs (pipeline, kind, repaired) SELECT r.pipeline, r.kind, r.repaired "
            "FROM jsonb_to_recordset(%(rows)s::jsonb) AS r (pipeline text, kind text, repaired int)",
            {"rows": dumps(rows)},
        )
        logger.warning("reconciliation repaired %s", ", ".join(f"{row['kind']}: {row['repaired']}" for row in rows))
