"""Looks ten times a second whether a limit is exceeded: weight per machine, running jobs per type."""

from __future__ import annotations

import threading
import time

import psycopg

from tests.faults.house import House

EVERY_SECONDS = 0.1
BUDGET = 8

# One statement, so one snapshot. What runs inside a worker has no attempt while it runs, and no weight whatever its rule says.
LOOK = """
WITH held AS MATERIALIZED (
    SELECT q.job_type, w.machine, coalesce(r.cpu_weight, 1) AS weight, coalesce(r.max_concurrent, 0) AS most
    FROM job_queue q
    JOIN job_attempts a ON a.job_id = q.id AND a.lease = q.lease
    LEFT JOIN workers w ON w.id = q.worker_id
    LEFT JOIN job_priority_rules r ON r.job_type = q.job_type
    WHERE q.status = 'running'
)
SELECT (SELECT coalesce(max(total), 0) FROM (SELECT sum(weight) AS total FROM held GROUP BY machine) machines),
       (SELECT coalesce(string_agg(job_type || ' ' || n || '/' || most, ', '), '')
        FROM (SELECT job_type, most, count(*) AS n FROM held WHERE most > 0 GROUP BY job_type, most) types
        WHERE n > most),
       (SELECT count(*) FROM held)
"""


class Sampler(threading.Thread):
    """Counts looks, and keeps what it saw that must not be."""

    def __init__(self, house: House) -> None:
        super().__init__(name="sampler", daemon=True)
        self._house = house
        self._over = threading.Event()
        self.looks = self.busy = 0
        self.heaviest = 0
        self.exceeded: list[str] = []

    def end(self) -> None:
        self._over.set()
        self.join()

    def run(self) -> None:
        while not self._over.is_set():
            try:
                with self._house.connect() as connection:
                    while not self._over.is_set():
                        self._look(connection)
                        time.sleep(EVERY_SECONDS)
            except psycopg.Error:
                time.sleep(EVERY_SECONDS)  # the server is being restarted, or full

    def _look(self, connection: psycopg.Connection) -> None:
        weight, types, running = connection.execute(LOOK).fetchone() or (0, "", 0)
        self.looks += 1
        self.busy += running > 2
        self.heaviest = max(self.heaviest, weight)
        if weight > BUDGET:
            self.exceeded.append(f"{time.strftime('%H:%M:%S')} a machine carried {weight} of {BUDGET}")
        if types:
            self.exceeded.append(types)
