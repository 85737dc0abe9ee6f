"""Eight claimers as fast as they can, new jobs always at the head, and 100,000 looks: no limit may ever be exceeded."""

from __future__ import annotations

import threading
import time

from jobs import queue
from jobs.queue import NewJob
from synops.store.identities import SYSTEM_COLLECTION_ID
from tests.benchmarks.house import House
from tests.benchmarks.queue.backlogs import Claimer, limit
from tests.benchmarks.report import Report

SAMPLES = 100_000
CHUNK = 2_000
MOST_SECONDS = 90.0
KINDS = {"bench_one": (1, 1), "bench_three": (3, 2), "bench_heavy": (0, 5)}
#: Runs inside the server: each look takes a snapshot of its own, as READ COMMITTED gives every statement one.
LOOK = """
CREATE OR REPLACE FUNCTION bench_look(looks int) RETURNS TABLE (exceeded bigint, busy bigint) LANGUAGE plpgsql AS $$
DECLARE one bigint; three bigint; heaviest bigint; running bigint;
BEGIN
    exceeded := 0; busy := 0;
    FOR nth IN 1..looks LOOP
        WITH held AS MATERIALIZED (
            SELECT q.job_type, w.machine, r.cpu_weight
            FROM job_queue q JOIN workers w ON w.id = q.worker_id JOIN job_priority_rules r USING (job_type)
            WHERE q.status = 'running'
        )
        SELECT (SELECT count(*) FROM held WHERE job_type = 'bench_one'),
               (SELECT count(*) FROM held WHERE job_type = 'bench_three'),
               (SELECT coalesce(max(weight), 0) FROM (
                   SELECT sum(cpu_weight) AS weight FROM held GROUP BY machine) AS machines),
               (SELECT count(*) FROM held)
        INTO one, three, heaviest, running;
        IF one > 1 OR three > 3 OR heaviest > 8 THEN exceeded := exceeded + 1; END IF;
        IF running > 2 THEN busy := busy + 1; END IF;
    END LOOP;
    RETURN NEXT;
END $$
"""


def measure(house: House, report: Report) -> None:
    with house.connect() as connection:
        connection.execute("TRUNCATE job_queue CASCADE")
        connection.execute(LOOK.encode())
        for kind, (most, weight) in KINDS.items():
            limit(connection, kind, most, weight)
        stop = threading.Event()
        claimers = [Hammer(house, stop, "here" if nth % 2 else "there") for nth in range(8)]
        for claimer in claimers:
            claimer.start()
        looks, exceeded, busy = 0, 0, 0
        end = time.monotonic() + MOST_SECONDS
        while looks < SAMPLES and time.monotonic() < end:
            more, active = connection.execute("SELECT * FROM bench_look(%s)", [CHUNK]).fetchone() or (0, 0)
            looks, exceeded, busy = looks + CHUNK, exceeded + more, busy + active
        stop.set()
        for claimer in claimers:
            claimer.join()
        connection.execute("TRUNCATE job_queue CASCADE")
    report.note("limits", samples=looks, busy=busy, claims=sum(claimer.claims for claimer in claimers))
    report.measured(
        "samples with a limit exceeded, 8 claimers, head inserts, 100,000 samples", float(exceeded), samples=looks
    )


class Hammer(threading.Thread):
    """Enqueues at the head, claims and finishes until stopped."""

    def __init__(self, house: House, stop: threading.Event, machine: str) -> None:
        super().__init__()
        self.claimer = Claimer(house.connect(), list(KINDS), machine)
        self.stop, self.claims = stop, 0

    def run(self) -> None:
        connection = self.claimer.connection
        while not self.stop.is_set():
            if self._backlog_is_short():
                at_the_head = [NewJob(SYSTEM_COLLECTION_ID, kind, {}, priority=10) for kind in KINDS]
                queue.enqueue_many(connection.cursor(), at_the_head)
            jobs = self.claimer.claim(4)
            self.claims += len(jobs)
            self.claimer.finish(jobs)
        connection.close()

    def _backlog_is_short(self) -> bool:
        due, _ = queue.waiting(self.claimer.connection.cursor(), list(KINDS))
        return due < 300
