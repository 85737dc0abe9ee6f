"""The physical limit: plain statements that claim and complete batches on our own table, with all its indexes."""

from __future__ import annotations

import time

import psycopg

from synops.store.identities import SYSTEM_COLLECTION_ID
from tests.benchmarks.house import House

JOBS = 20_000
FILL = """
INSERT INTO job_queue (id, collection_node_id, job_type, payload, priority)
SELECT uuidv7(), %(collection)s, 'bench_raw', '{"sent": 0.0}', 5 FROM generate_series(1, %(count)s)
"""
CLAIM = """
UPDATE job_queue SET status = 'running', started_at = now(), worker_id = gen_random_uuid(), lease = lease + 1,
    attempts = attempts + 1
WHERE id = ANY(ARRAY(
    SELECT id FROM job_queue WHERE job_type = 'bench_raw' AND status IN ('pending', 'retry') AND scheduled_for <= now()
    ORDER BY priority DESC, scheduled_for, id LIMIT %(size)s FOR UPDATE SKIP LOCKED))
RETURNING id, payload
"""
COMPLETE = """
UPDATE job_queue SET status = 'completed', outcome = 'succeeded', completed_at = now(), worker_id = NULL,
    result = '{"ok": true}'
WHERE id = ANY(%(ids)s)
"""


def measure(house: House) -> dict[int, float]:
    """Jobs/s by batch size."""
    with house.connect() as connection:
        return {size: _loop(connection, size) for size in (50, 200)}


def _loop(connection: psycopg.Connection, size: int) -> float:  # type: ignore[type-arg]
    connection.execute(FILL, {"collection": SYSTEM_COLLECTION_ID, "count": JOBS})
    done, started = 0, time.perf_counter()
    while ids := [id for id, _ in connection.execute(CLAIM, {"size": size}).fetchall()]:
        connection.execute(COMPLETE, {"ids": ids})
        done += len(ids)
    return done / (time.perf_counter() - started)
