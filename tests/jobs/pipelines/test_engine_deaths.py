"""A death before each statement of a unit's whole life, one after the other: the end is that of an undisturbed life."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from uuid import UUID

import pytest

from jobs import queue
from jobs.pipelines import open_units
from jobs.pipelines.claims import before_run
from jobs.pipelines.reconciling import reconcile
from jobs.pipelines.settling import settle, unheard_jobs
from jobs.queue import ClaimedJob
from jobs.registries import registries
from jobs.worker.inline import run_batch
from synops.store.sql import Cursor
from tests.jobs.arrange import psycopg_cursor, succeed
from tests.jobs.pipelines.dying import Killed, Mortal
from tests.jobs.pipelines.making import TYPES, Hands, library, note_sum, shelf, state_of, steps_of

pytestmark = pytest.mark.django_db
ENOUGH = 100_000


class Life:
    """One unit of two books from its opening to its end, by processes that follow one another, one transaction at a time.

    `left` statements go well; the next is a death, and after it there are no more.
    """

    def __init__(self, cursor: Cursor, left: int) -> None:
        self.cursor = cursor
        self.left = left
        self.worker = Hands(cursor).worker
        self.forget()

    def forget(self) -> None:
        """What a process knows: the jobs it has claimed, the programs it has begun, the ends it has yet to tell of."""
        self.held: list[ClaimedJob] = []
        self.begun: set[UUID] = set()
        self.untold: list[UUID] = []

    @property
    def died(self) -> bool:
        return self.left < 0

    def do(self, work: Callable[[Cursor], Any]) -> Any:
        """One transaction. When its process dies nothing of it is left, nor anything that the process knew."""
        mortal = Mortal(self.cursor, ENOUGH if self.died else self.left)
        self.cursor.execute("SAVEPOINT process")
        try:
            found = work(mortal)
        except Killed:
            self.left = -1
            self.cursor.execute("ROLLBACK TO SAVEPOINT process")
            queue.give_back(self.cursor, self.held)
            self.forget()
            found = []
        else:
            self.left = self.left if self.died else mortal.lives
        self.cursor.execute("RELEASE SAVEPOINT process")
        return found


def by_programs(life: Life) -> None:
    """What a worker does next with steps that are programs, and its sweep when there is nothing else."""
    unbegun = next((job for job in life.held if job.id not in life.begun), None)
    if life.untold:
        told, life.untold = life.untold, []
        life.do(lambda cursor: settle(cursor, told))
    elif unbegun:
        life.begun.add(unbegun.id)
        life.do(lambda cursor: before_run(cursor, unbegun))
    elif life.held:
        ended = life.do(lambda cursor: queue.finish(cursor, [succeed(life.held[0])]).changed)
        life.untold = [changed.id for changed in ended]
        life.held = [job for job in life.held if job.id not in life.untold]
    else:
        life.held = life.do(lambda cursor: Hands(cursor, life.worker).claim_programs())
        if not life.held:
            life.do(lambda cursor: settle(cursor, unheard_jobs(cursor)))


def inline(life: Life) -> None:
    """What a worker does next with steps that run inside it: a claim, a batch."""
    if life.held:
        batch = life.held
        if life.do(lambda cursor: run_batch(cursor, batch, registries.inline)):
            life.forget()
    else:
        life.held = life.do(lambda cursor: queue.claim_inline(cursor, worker_id=life.worker, types=TYPES))


def lived(cursor: Cursor, act: Callable[[Life], None], left: int) -> tuple[Life, object]:
    """A whole life with a death in it, and what is left of it; the rows are undone."""
    cursor.execute("SAVEPOINT life")
    life = Life(cursor, left)
    for _ in range(60):
        found = state_of(cursor)
        if found is None:
            life.do(lambda cursor: open_units(cursor, [shelf()]))
        elif found[0] == "running":
            act(life)
        else:
            break
    cursor.execute("SELECT kind, repaired FROM pipeline_repairs")
    sums = cursor.fetchall()
    cursor.execute("SELECT job_type, status::text, outcome FROM job_queue ORDER BY id")
    told = (state_of(cursor), steps_of(cursor), sums, cursor.fetchall())
    cursor.execute("ROLLBACK TO SAVEPOINT life")
    return life, told


@pytest.mark.parametrize("act", [by_programs, inline])
def test_a_death_before_each_statement_changes_nothing_in_the_end(act: Callable[[Life], None]) -> None:
    with psycopg_cursor() as cursor, library(by_program=act is by_programs) as script:
        script.sum = note_sum
        life, expected = lived(cursor, act, ENOUGH)
        statements = ENOUGH - life.left
        assert statements > 15, "far fewer statements than a life has"
        for left in range(statements):
            life, told = lived(cursor, act, left)
            assert life.died
            assert told == expected, f"after a death before statement {left}"


def test_a_death_before_each_statement_of_a_reconciliation_leaves_all_of_it_to_the_next() -> None:
    with psycopg_cursor() as cursor, library(by_program=True):
        break_four_units(cursor)
        cursor.execute("SAVEPOINT broken")
        expected, statements = repaired(cursor, ENOUGH)
        assert dict(expected) == {"told": 1, "first_enqueued": 1, "fanned_in": 1, "stray_job": 1, "leftover": 1}
        for left in range(statements):
            assert repaired(cursor, left)[0] == expected, f"after a death before statement {left}"


def repaired(cursor: Cursor, left: int) -> tuple[list[tuple[str, int]], int]:
    """What a reconciliation after one that died repairs, by its own record; and how many statements that took."""
    life = Life(cursor, left)
    life.do(reconcile)
    if life.died:
        life.do(reconcile)
    cursor.execute("SELECT kind, repaired FROM pipeline_repairs ORDER BY kind")
    found = [(kind, count) for kind, count in cursor.fetchall()]
    cursor.execute("ROLLBACK TO SAVEPOINT broken")
    return found, left - life.left


def break_four_units(cursor: Cursor) -> None:
    """One untold, one without its first job, one whose fan-in is missing, one with a leftover; and a job of nobody."""
    hands = Hands(cursor)
    open_units(cursor, [shelf("untold", books=1)])
    (job,) = hands.claim_programs()
    hands.begin(job)
    hands.end(succeed(job), tell=False)
    open_units(cursor, [shelf("still", books=1), shelf("over", books=1)])
    hands.run_programs(succeed)
    open_units(cursor, [shelf("jobless")])
    for statement in BREAKS:
        cursor.execute(statement)


BREAKS = (
    "DELETE FROM job_queue WHERE id IN (SELECT job_id FROM pipeline_steps WHERE unit = 'jobless')",
    "DELETE FROM pipeline_steps WHERE unit = 'still' AND step = 'sum'",
    "UPDATE pipeline_generations SET state = 'running', finished_at = NULL WHERE unit = 'still'",
    "UPDATE pipeline_steps SET state = 'running', finished_at = NULL WHERE unit = 'over' AND step = 'list'",
    """INSERT INTO job_queue (id, collection_node_id, job_type, payload)
       SELECT gen_random_uuid(), collection_node_id, 'library_sum', '{}' FROM job_queue LIMIT 1""",
    "UPDATE pipeline_steps SET updated_at = updated_at - interval '2 hours'",
    "UPDATE pipeline_generations SET created_at = created_at - interval '2 hours'",
    "UPDATE job_queue SET created_at = created_at - interval '2 hours'",
)
