"""A small pipeline that the tests run: list → read each → sum up, inline or by programs, and a worker's hands in one thread."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

from jobs import queue
from jobs.pipelines import Item, Opening, Outcome, Pipeline, Rule, Step, Succeeded, Unit, Work, register
from jobs.pipelines.claims import before_run
from jobs.pipelines.registry import forget
from jobs.pipelines.settling import settle
from jobs.queue import ClaimedJob, Ended
from jobs.registries import registries
from jobs.worker.inline import run_batch
from synops.store.identities import SYSTEM_COLLECTION_ID
from synops.store.sql import Cursor
from tests.jobs.arrange import add_worker, claim

NAME = "library"


@dataclass(frozen=True)
class Shelf:
    shelf: str
    books: int = 2


@dataclass(frozen=True)
class Book:
    shelf: str
    title: str


@dataclass
class Script:
    """What the steps' code does; a test replaces what it wants to see."""

    catalogue: Callable[[Cursor, Work[Shelf]], Outcome]
    read: Callable[[Cursor, Work[Book]], Outcome]
    sum: Callable[[Cursor, Work[Shelf]], Outcome]
    sums: list[tuple[str, int]] = field(default_factory=list)
    ends: list[tuple[str, int, str, str]] = field(default_factory=list)


def items(work: Work[Shelf]) -> list[Item]:
    shelf = work.payload
    return [Item(f"book {nth}", Book(shelf.shelf, f"book {nth}")) for nth in range(shelf.books)]


def script() -> Script:
    made: Script

    def sum_up(_cursor: Cursor, work: Work[Shelf]) -> Outcome:
        made.sums.append((work.unit.unit, work.unit.generation))
        return Succeeded({"summed": work.unit.unit})

    made = Script(
        catalogue=lambda _cursor, work: Succeeded({"books": work.payload.books}, items(work)),
        read=lambda _cursor, work: Succeeded({"title": work.payload.title}),
        sum=sum_up,
    )
    return made


def note_sum(cursor: Cursor, work: Any) -> Succeeded:
    """What an evaluation leaves behind: a row, written in the transaction that marks it."""
    cursor.execute(
        "INSERT INTO pipeline_repairs (pipeline, kind, repaired) VALUES ('sum', %(unit)s, %(generation)s)",
        {"unit": work.unit.unit, "generation": work.unit.generation},
    )
    return Succeeded()


def gather(_cursor: Cursor, unit: Unit) -> Shelf:
    return Shelf(unit.unit)


@contextmanager
def library(by_program: bool = False) -> Iterator[Script]:
    """The pipeline, registered for as long as the test runs."""
    what = script()
    if by_program:
        ways: list[dict[str, Any]] = [
            {"settle": lambda cursor, work, _result: what.catalogue(cursor, work)},
            {"settle": lambda cursor, work, _result: what.read(cursor, work)},
            {"settle": lambda cursor, work, _result: what.sum(cursor, work)},
        ]
    else:
        ways = [
            {"run": lambda cursor, work: what.catalogue(cursor, work)},
            {"run": lambda cursor, work: what.read(cursor, work)},
            {"run": lambda cursor, work: what.sum(cursor, work)},
        ]
    steps: Sequence[Step[Any]] = (
        Step("list", "library_list", Shelf, **ways[0]),
        Step("read", "library_read", Book, follows="list", shape="each", rule=Rule(max_concurrent=0), **ways[1]),
        Step(
            "sum",
            "library_sum",
            Shelf,
            follows="read",
            shape="all",
            gather=gather,
            bulk_job_type="library_sum_bulk",
            bulk_rule=Rule(max_concurrent=1),
            **ways[2],
        ),
    )

    def note(_cursor: Cursor, unit: Unit, state: str, reason: str) -> None:
        what.ends.append((unit.unit, unit.generation, state, reason))

    register(Pipeline(NAME, "A library", steps, on_end=note))
    try:
        yield what
    finally:
        forget(NAME)


TYPES = ("library_list", "library_read", "library_sum", "library_sum_bulk")


def shelf(name: str = "A", books: int = 2, **more: Any) -> Opening:
    return Opening(NAME, name, SYSTEM_COLLECTION_ID, Shelf(name, books), **more)


class Hands:
    """What a worker does with pipeline jobs, a statement at a time, on one cursor."""

    def __init__(self, cursor: Cursor, worker: UUID | None = None) -> None:
        self.cursor = cursor
        self.worker = worker or add_worker(cursor)

    def claim(self) -> list[ClaimedJob]:
        return queue.claim_inline(self.cursor, worker_id=self.worker, types=TYPES)

    def claim_programs(self) -> list[ClaimedJob]:
        return claim(self.cursor, self.worker, slots=200, types=TYPES, budget=1000)

    def work(self, rounds: int = 50) -> int:
        """Run due inline jobs until there is none; how many."""
        done = 0
        for _ in range(rounds):
            if not (some := self.work_once()):
                return done
            done += some
        raise AssertionError(f"still work after {rounds} batches")

    def work_once(self) -> int:
        """Run one batch of due inline jobs; how many there were."""
        if jobs := self.claim():
            run_batch(self.cursor, jobs, registries.inline)
        return len(jobs)

    def begin(self, job: ClaimedJob) -> bool:
        """Prepare a program: whether it may run."""
        if (ended := before_run(self.cursor, job)) is not None:
            queue.finish(self.cursor, [ended])
        return ended is None

    def end(self, *ends: Ended, tell: bool = True) -> None:
        """Finish programs; `tell=False`: the call after the commit is missed."""
        queue.finish(self.cursor, ends)
        if tell:
            settle(self.cursor, [ended.job.id for ended in ends])

    def run_programs(self, end: Callable[[ClaimedJob], Ended]) -> int:
        """Run due programs until there is none; how many."""
        done = 0
        while jobs := self.claim_programs():
            for job in jobs:
                if self.begin(job):
                    self.end(end(job))
                    done += 1
        return done


def steps_of(cursor: Cursor, unit: str = "A", generation: int | None = None) -> dict[tuple[str, str], tuple[str, int]]:
    """{(step, item): (state, attempt)} of a unit's newest generation."""
    cursor.execute(
        "SELECT step, item, state, attempt FROM pipeline_steps WHERE unit = %(unit)s AND generation = "
        "coalesce(%(generation)s, (SELECT max(generation) FROM pipeline_steps WHERE unit = %(unit)s)) ORDER BY id",
        {"unit": unit, "generation": generation},
    )
    return {(step, item): (state, attempt) for step, item, state, attempt in cursor.fetchall()}


def state_of(cursor: Cursor, unit: str = "A") -> tuple[str, str] | None:
    """(state, reason) of a unit's newest generation."""
    cursor.execute(
        "SELECT state, reason FROM pipeline_generations WHERE unit = %(unit)s ORDER BY generation DESC LIMIT 1",
        {"unit": unit},
    )
    found = cursor.fetchone()
    return (found[0], found[1]) if found else None


def waiting(cursor: Cursor) -> list[tuple[UUID, str, float]]:
    """(id, job type, seconds until it is due) of the library's waiting jobs."""
    cursor.execute(
        "SELECT id, job_type, extract(epoch FROM scheduled_for - now())::float8 FROM job_queue "
        "WHERE job_type LIKE 'library%%' AND status IN ('pending', 'retry') ORDER BY id",
        {},
    )
    return [(id, job_type, seconds) for id, job_type, seconds in cursor.fetchall()]


def make_all_due(cursor: Cursor) -> None:
    cursor.execute("UPDATE job_queue SET scheduled_for = now() WHERE status IN ('pending', 'retry')", {})
