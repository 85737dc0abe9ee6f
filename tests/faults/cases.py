"""The faults, one function each: it breaks something, lets it be broken for a while, and mends it."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path

import psycopg

from jobs import queue
from jobs.queue import NewJob
from synops.store.identities import SYSTEM_COLLECTION_ID
from tests.deadline import wait_until
from tests.faults.fleet import Fleet, Place
from tests.faults.house import CONNECTIONS, House

HALF_OPEN_SECONDS = 45.0
EXHAUSTED_SECONDS = 20.0
CLOCK_SECONDS = 30.0
FULL_SECONDS = 20.0

ATTEMPTS_OF = "SELECT count(*) FROM job_attempts a JOIN workers w ON w.id = a.worker_id WHERE w.pid = %s"
BELIEVED_IN = """
SELECT count(*) FROM workers w WHERE w.pid = %s
AND (w.state <> 'lost' OR EXISTS (SELECT FROM job_queue q WHERE q.worker_id = w.id AND q.status = 'running'))
"""
# A worker that was cut off goes on under a new identity, and its old one stays lost: only what is new counts.
TAKEN_FOR_LOST = "SELECT count(*) FROM workers WHERE pid = ANY(%s) AND state = 'lost' AND stopped_at > %s"
NOISY_DONE = "SELECT count(*) FROM job_queue WHERE job_type = 'fault_noisy' AND status = 'completed'"

NO_ROOM_FOR_LOGS = """
CREATE FUNCTION fault_full() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
    RAISE EXCEPTION 'could not extend file: No space left on device' USING ERRCODE = '53100';
END $$;
CREATE TRIGGER fault_full BEFORE INSERT OR UPDATE ON job_log FOR EACH ROW EXECUTE FUNCTION fault_full();
"""


@dataclass
class Scene:
    """What a case works on. `outages` counts the times that a worker or the server was cut off."""

    house: House
    fleet: Fleet
    outage_seconds: float
    outages: int = 0
    remarks: list[str] = field(default_factory=list)


def postgres_restart(scene: Scene) -> None:
    """`pg_ctl restart -m immediate` while jobs run."""
    scene.house.server.restart_immediately()
    scene.outages += 1


def backend_kill(scene: Scene) -> None:
    """Every session of every worker is ended, three times."""
    for _ in range(3):
        _terminate(scene, "application_name LIKE 'synops%%'")
        time.sleep(2)


def listener_kill(scene: Scene) -> None:
    """Only the sessions that listen: nothing but polling is left until they are back."""
    _terminate(scene, "application_name = 'synops-worker-listener'")


def pool_exhaustion(scene: Scene) -> None:
    """The workers lose their sessions and find every connection of the server taken."""
    held: list[psycopg.Connection] = []
    try:
        _terminate(scene, "application_name LIKE 'synops%%'")
        end = time.monotonic() + EXHAUSTED_SECONDS
        while time.monotonic() < end:
            with contextlib.suppress(psycopg.OperationalError):
                while len(held) < CONNECTIONS:
                    held.append(scene.house.connect())
            time.sleep(0.05)
        scene.remarks.append(f"{len(held)} of {CONNECTIONS} connections held")
    finally:
        for connection in held:
            connection.close()


def repeated_kills(scene: Scene) -> None:
    """The same worker is killed five times, each time as soon as it works again."""
    place = scene.fleet.places[0]
    for _ in range(5):
        scene.fleet.kill_and_replace(place)
        time.sleep(3)


def crash(scene: Scene) -> None:
    """One worker is killed and not replaced until its jobs have been taken over."""
    place = scene.fleet.places[1]
    scene.fleet.kill(place)
    with scene.house.connect() as connection:
        _wait_until_taken_over(connection, place)
    scene.fleet.fill(place)


def half_open(scene: Scene) -> None:
    """One worker's connections pass nothing any more, and nobody tells it: longer than its TTL."""
    wire = scene.fleet.places[2].wire
    wire.freeze()
    time.sleep(HALF_OPEN_SECONDS)
    wire.mend()
    scene.outages += 1


def outage(scene: Scene) -> None:
    """No worker reaches the database, longer than their TTL, with jobs running."""
    for wire in scene.fleet.wires:
        wire.cut()
    time.sleep(scene.outage_seconds)
    for wire in scene.fleet.wires:
        wire.mend()
    scene.outages += len(scene.fleet.wires)


def clock_ahead(scene: Scene) -> None:
    """One worker's clock is an hour ahead: nothing may start before it is due, no worker be taken for lost."""
    place = scene.fleet.places[1]
    later = NewJob(SYSTEM_COLLECTION_ID, "fault_quick", {}, scheduled_for=datetime.now(UTC) + timedelta(minutes=30))
    with scene.house.connect() as connection:
        scene.fleet.kill(place)
        _wait_until_taken_over(connection, place)
        queue.enqueue(connection.cursor(), later)
        scene.fleet.fill(place, program=("-m", "tests.faults.ahead", "3600"))
        try:
            _work_under_the_wrong_clock(scene, connection, later)
        finally:
            connection.execute("DELETE FROM job_queue WHERE id = %s", [later.id])
    scene.fleet.kill_and_replace(place)


def _work_under_the_wrong_clock(scene: Scene, connection: psycopg.Connection, later: NewJob) -> None:
    alive = [one.process.pid for one in scene.fleet.places if one.process]
    [began] = connection.execute("SELECT now()").fetchone() or [None]
    wait_until(lambda: _count(connection, ATTEMPTS_OF, alive[1]) > 0, "the worker with the wrong clock runs jobs", 120)
    time.sleep(CLOCK_SECONDS)
    scene.remarks.append(f"{_count(connection, ATTEMPTS_OF, alive[1])} attempts under the wrong clock")
    assert _count(connection, TAKEN_FOR_LOST, alive, began) == 0, "a worker was taken for lost because of a clock"
    [status] = connection.execute("SELECT status::text FROM job_queue WHERE id = %s", [later.id]).fetchone() or [""]
    assert status == "pending", "a job was started before it was due"


def full_log_disk(scene: Scene) -> None:
    """A worker's own log is on a full disk, and the database refuses to store what programs write: results still come."""
    place = scene.fleet.places[0]
    scene.fleet.kill(place)
    with Path("/dev/full").open("wb", buffering=0) as full:
        scene.fleet.fill(place, log=full)
    with scene.house.connect() as connection:
        connection.execute(NO_ROOM_FOR_LOGS.encode())
        try:
            before = _count(connection, NOISY_DONE)
            time.sleep(FULL_SECONDS)
            after = _count(connection, NOISY_DONE)
        finally:
            connection.execute(b"DROP TRIGGER fault_full ON job_log; DROP FUNCTION fault_full")
    assert after > before, "no job that writes a log has ended while logs could not be stored"
    assert place.process is not None
    assert place.process.poll() is None, "the worker with the full log has ended"
    scene.fleet.kill_and_replace(place)


Fault = Callable[[Scene], None]
CASES: tuple[Fault, ...] = (
    crash,
    repeated_kills,
    backend_kill,
    listener_kill,
    pool_exhaustion,
    postgres_restart,
    half_open,
    clock_ahead,
    full_log_disk,
    outage,
)


def _terminate(scene: Scene, where: str) -> None:
    with scene.house.connect() as connection:
        statement = f"SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid() AND {where}"
        connection.execute(statement.replace("%%", "%").encode())


def _wait_until_taken_over(connection: psycopg.Connection, place: Place) -> None:
    """The worker that filled the place is known to be lost, and nothing runs under its name."""
    assert place.process
    dead = place.process.pid
    wait_until(lambda: _count(connection, BELIEVED_IN, dead) == 0, "the dead worker's jobs were taken over", 120)


def _count(connection: psycopg.Connection, statement: str, *values: object) -> int:
    row = connection.execute(statement.encode(), list(values) or None).fetchone()
    return int(row[0]) if row else 0
