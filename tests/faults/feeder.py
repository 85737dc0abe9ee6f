"""The load: jobs of every kind at a steady rate, come what may, and exact knowledge of what was enqueued."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from uuid import UUID

import psycopg

from jobs import queue
from jobs.queue import NewJob
from synops.graph.columns import new_id
from synops.store.identities import SYSTEM_COLLECTION_ID
from tests.faults.house import House
from tests.faults.programs import INLINE_PER_SECOND, kinds

TICK_SECONDS = 0.25
PER_SECOND_INLINE = "pg_insert_node"


class Feeder(threading.Thread):
    """Enqueues until told to stop. `enqueued` are the ids whose commit is certain, by job type."""

    def __init__(self, house: House) -> None:
        super().__init__(name="feeder", daemon=True)
        self._house = house
        self._over = threading.Event()
        self.rates = {kind.name: kind.per_second for kind in kinds(house.marker)} | {
            PER_SECOND_INLINE: INLINE_PER_SECOND
        }
        self.enqueued: dict[UUID, str] = {}
        self.nodes: set[UUID] = set()

    @property
    def per_second(self) -> float:
        """How many jobs are enqueued each second."""
        return sum(self.rates.values())

    def end(self) -> None:
        self._over.set()
        self.join()

    def run(self) -> None:
        owed = dict.fromkeys(self.rates, 0.0)
        next_tick = time.monotonic()
        while not self._over.is_set():
            for name, rate in self.rates.items():
                owed[name] += rate * TICK_SECONDS
            batch = [self._job(name) for name in owed for _ in self._take(owed, name)]
            self._enqueue(batch)
            next_tick += TICK_SECONDS
            self._over.wait(max(0.0, next_tick - time.monotonic()))

    def _take(self, owed: dict[str, float], name: str) -> Iterator[None]:
        while owed[name] >= 1:
            owed[name] -= 1
            yield

    def _job(self, name: str) -> NewJob:
        if name != PER_SECOND_INLINE:
            return NewJob(SYSTEM_COLLECTION_ID, name, {})
        node = new_id()
        payload = {"id": str(node), "node_kind": "fault", "title": "node"}
        return NewJob(SYSTEM_COLLECTION_ID, name, payload)

    def _enqueue(self, batch: list[NewJob]) -> None:
        """Until it is certain: after a commit whose answer was lost the same ids are simply there already."""
        while batch:
            try:
                with self._house.connect() as connection, connection.transaction(), connection.cursor() as cursor:
                    queue.enqueue_many(cursor, batch)
            except psycopg.errors.UniqueViolation:
                pass
            except psycopg.Error:
                time.sleep(0.2)
                continue
            self.enqueued |= {job.id: job.job_type for job in batch}
            self.nodes |= {UUID(job.payload["id"]) for job in batch if job.job_type == PER_SECOND_INLINE}
            return
