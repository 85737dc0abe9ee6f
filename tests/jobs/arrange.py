"""What tests of the queue arrange: jobs, workers, and time, which is moved by moving rows, never clocks."""

from __future__ import annotations

from contextlib import contextmanager
from typing import Any
from uuid import UUID

import psycopg
from django.db import connection, transaction

from jobs import queue
from jobs.queue import ClaimedJob, Ended, NewJob
from resources import workers
from resources.workers import Registration
from synops.graph.columns import new_id
from synops.store.identities import SYSTEM_COLLECTION_ID
from synops.store.sql import Cursor

TYPES = ("alpha", "beta", "heavy")


@contextmanager
def psycopg_cursor():
    """A cursor as the worker has it: psycopg's own, on a connection of its own; rolled back at the end."""
    parameters = connection.get_connection_params()
    for name in ("cursor_factory", "context"):
        parameters.pop(name, None)
    with psycopg.connect(**parameters) as own, own.cursor() as cursor:
        yield cursor
        own.rollback()


@contextmanager
def committing_connection():
    """A connection of its own that commits every statement, for tests of several at once."""
    parameters = connection.get_connection_params()
    for name in ("cursor_factory", "context"):
        parameters.pop(name, None)
    with psycopg.connect(**parameters, autocommit=True) as own:
        yield own


@contextmanager
def django_cursor():
    """A cursor as the admin has it."""
    with transaction.atomic(), connection.cursor() as cursor:
        yield cursor


def new_job(job_type: str = "alpha", **fields: Any) -> NewJob:
    collection = fields.pop("collection", SYSTEM_COLLECTION_ID)
    return NewJob(collection, job_type, fields.pop("payload", {}), **fields)


def add_worker(cursor: Cursor, machine: str = "here", max_concurrent: int = 3) -> UUID:
    id = new_id()
    workers.register(cursor, Registration(id, machine, 1, "test", "auto", max_concurrent, 8, TYPES))
    return id


def claim(cursor: Cursor, worker: UUID, slots: int = 3, **options: Any) -> list[ClaimedJob]:
    return queue.claim(
        cursor,
        worker_id=worker,
        machine=options.pop("machine", "here"),
        types=options.pop("types", TYPES),
        slots=slots,
        budget=options.pop("budget", 8),
        **options,
    )


def claimed(cursor: Any, worker: UUID, **options: Any) -> list[ClaimedJob]:
    """As `claim`, in a transaction of its own; the cursor is one of `connect()`."""
    with cursor.connection.transaction():
        return claim(cursor, worker, **options)


def lose_worker_of_new_job(cursor: Any, **fields: Any) -> tuple[ClaimedJob, UUID]:
    """A running job whose worker has fallen silent."""
    queue.enqueue(cursor, new_job(**fields))
    worker = add_worker(cursor)
    [job] = claimed(cursor, worker)
    age_heartbeat(cursor, worker)
    return job, worker


def row(cursor: Cursor, id: UUID, columns: str) -> tuple[Any, ...]:
    cursor.execute(f"SELECT {columns} FROM job_queue WHERE id = %(id)s", {"id": id})
    found = cursor.fetchone()
    assert found is not None
    return tuple(found)


def make_due(cursor: Cursor, id: UUID) -> None:
    cursor.execute("UPDATE job_queue SET scheduled_for = now() WHERE id = %(id)s", {"id": id})


def age_heartbeat(cursor: Cursor, worker: UUID, seconds: int = 60) -> None:
    cursor.execute(
        "UPDATE workers SET heartbeat_at = now() - make_interval(secs => %(s)s) WHERE id = %(id)s",
        {"id": worker, "s": seconds},
    )


def set_rule(cursor: Cursor, job_type: str, **fields: Any) -> None:
    names = list(fields)
    cursor.execute(
        f"INSERT INTO job_priority_rules (job_type, {', '.join(names)}) "
        f"VALUES (%(job_type)s, {', '.join(f'%({name})s' for name in names)}) "
        f"ON CONFLICT (job_type) DO UPDATE SET {', '.join(f'{name} = excluded.{name}' for name in names)}",
        {"job_type": job_type, **fields},
    )


def succeed(job: ClaimedJob, result: Any = None) -> Ended:
    return Ended(job, "succeeded", result=result, exit_code=0)


def fail(job: ClaimedJob, **fields: Any) -> Ended:
    return Ended(job, fields.pop("outcome", "failed"), error=fields.pop("error", "it broke"), exit_code=1, **fields)
