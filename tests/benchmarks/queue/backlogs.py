"""Queues of the sizes and shapes that are hard on a claim."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import psycopg

from jobs import queue
from jobs.queue import ClaimedJob, Ended
from jobs.queue.claiming import ClaimMemory
from resources import workers
from resources.workers import Registration
from synops.graph.columns import new_id
from synops.store.identities import SYSTEM_COLLECTION_ID

#: As many types as the product ships, and the three levels that people and recipes use.
TYPES = tuple(f"bench_{nth:02}" for nth in range(20))
LEVELS = (1, 5, 10)
FILL = """
INSERT INTO job_queue (id, collection_node_id, job_type, payload, priority, status, outcome, completed_at, scheduled_for)
SELECT uuidv7(), %(collection)s, (%(types)s::text[])[1 + nth %% cardinality(%(types)s)], '{"sent": 0.0}',
       (%(levels)s::int[])[1 + nth / 7 %% cardinality(%(levels)s)], %(status)s::job_status,
       %(outcome)s::text, CASE WHEN %(outcome)s::text IS NOT NULL THEN now() END, now() + %(delay)s::interval
FROM generate_series(1, %(count)s) AS nth
"""


def fill(
    connection: psycopg.Connection[Any],
    count: int,
    types: Sequence[str] = TYPES,
    levels: Sequence[int] = LEVELS,
    *,
    finished: bool = False,
    delay: str = "-1 second",
) -> None:
    """Add `count` jobs, waiting or finished, spread over types and levels."""
    parameters = {
        "collection": SYSTEM_COLLECTION_ID,
        "types": list(types),
        "levels": list(levels),
        "status": "completed" if finished else "pending",
        "outcome": "succeeded" if finished else None,
        "delay": delay,
        "count": count,
    }
    connection.execute(FILL, parameters)


def settle(connection: psycopg.Connection[Any]) -> None:
    """What autovacuum would have done by now."""
    connection.execute("VACUUM ANALYZE job_queue")


def limit(connection: psycopg.Connection[Any], job_type: str, most: int, weight: int = 1) -> None:
    """A rule for a type."""
    connection.execute(
        "INSERT INTO job_priority_rules (job_type, max_concurrent, cpu_weight) VALUES (%s, %s, %s) "
        "ON CONFLICT (job_type) DO UPDATE SET max_concurrent = excluded.max_concurrent, cpu_weight = excluded.cpu_weight",
        [job_type, most, weight],
    )


class Claimer:
    """A worker without programs: it claims and finishes."""

    def __init__(
        self, connection: psycopg.Connection[Any], types: Sequence[str] = TYPES, machine: str = "bench"
    ) -> None:
        self.connection, self.types, self.machine = connection, list(types), machine
        self.id, self.memory = new_id(), ClaimMemory()
        workers.register(connection.cursor(), Registration(self.id, machine, 1, "bench", "off", 3, 8, self.types))

    def options(self, slots: int) -> dict[str, Any]:
        return {
            "worker_id": self.id,
            "machine": self.machine,
            "types": self.types,
            "slots": slots,
            "budget": 8,
        }

    def claim(self, slots: int = 3) -> list[ClaimedJob]:
        with self.connection.transaction(), self.connection.cursor() as cursor:
            return queue.claim(cursor, **self.options(slots), memory=self.memory)

    def finish(self, jobs: Sequence[ClaimedJob]) -> None:
        with self.connection.cursor() as cursor:
            queue.finish(cursor, [Ended(job, "succeeded", exit_code=0) for job in jobs])
