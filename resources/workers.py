"""The register of workers: each start of one has a row, a heartbeat, and an end."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

from synops.store.sql import Cursor, load


@dataclass(frozen=True)
class Registration:
    """What a worker says of itself when it starts."""

    id: UUID
    machine: str
    pid: int
    version: str
    governor: str
    max_concurrent: int
    max_weight: int
    types: Sequence[str]


@dataclass(frozen=True)
class Beat:
    """What a worker says of itself every few seconds."""

    id: UUID
    state: str
    running: int
    load_1m: float
    rss_bytes: int
    listening: bool
    types: Sequence[str]


def register(cursor: Cursor, registration: Registration) -> None:
    """Add the row of a worker that has just started."""
    cursor.execute(
        "INSERT INTO workers (id, machine, pid, version, governor, max_concurrent, max_weight, types) "
        "VALUES (%(id)s, %(machine)s, %(pid)s, %(version)s, %(governor)s, %(max_concurrent)s, %(max_weight)s, %(types)s)",
        {**registration.__dict__, "types": list(registration.types)},
    )


def beat(cursor: Cursor, beat: Beat) -> bool | None:
    """One heartbeat: whether a person wants the worker to take no more jobs; None when it has been given up as lost."""
    cursor.execute(load("resources.sql", "heartbeat"), {**beat.__dict__, "types": list(beat.types)})
    row = cursor.fetchone()
    return None if row is None else bool(row[0])


def drain(cursor: Cursor, ids: Sequence[UUID], wanted: bool) -> list[UUID]:
    """Ask live workers to take no more jobs and finish what they run, or to go on; those whose answer is another now."""
    cursor.execute(
        "UPDATE workers SET drain_requested_at = CASE WHEN %(wanted)s THEN now() END "
        "WHERE id = ANY(%(ids)s) AND state IN ('running', 'draining') "
        "AND (drain_requested_at IS NOT NULL) <> %(wanted)s RETURNING id",
        {"ids": list(ids), "wanted": wanted},
    )
    return [row[0] for row in cursor.fetchall()]


def sign_off(cursor: Cursor, id: UUID) -> None:
    """Note that a worker has stopped in good order."""
    cursor.execute(
        "UPDATE workers SET state = 'stopped', stopped_at = now(), running = 0 "
        "WHERE id = %(id)s AND state IN ('running', 'draining')",
        {"id": id},
    )


def retire(cursor: Cursor, ttl_seconds: float) -> list[UUID]:
    """Mark workers as lost whose heartbeat is older than the TTL; their ids."""
    cursor.execute(load("resources.sql", "retire_workers"), {"ttl": ttl_seconds})
    return [row[0] for row in cursor.fetchall()]


def forget_old(cursor: Cursor, days: int = 7) -> None:
    """Drop the rows of workers that ended long ago."""
    cursor.execute(
        "DELETE FROM workers WHERE state IN ('stopped', 'lost') AND stopped_at < now() - make_interval(days => %(days)s)",
        {"days": days},
    )


@dataclass(frozen=True)
class Machine:
    """A machine with at least one live worker."""

    name: str
    budget: int
    free_slots: int
    governed: bool
    types: Sequence[str]


def live_machines(cursor: Cursor, ttl_seconds: float) -> list[Machine]:
    """The machines on which something can run now."""
    cursor.execute(load("resources.sql", "machines"), {"ttl": ttl_seconds})
    return [Machine(*row) for row in cursor.fetchall()]
