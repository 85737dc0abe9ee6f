"""The fan-in happens exactly once a generation: for any order of completions, crashes and reconciliations, and in real races."""

from __future__ import annotations

import random
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import psycopg
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from jobs import queue
from jobs.pipelines import AlreadyOpen, Succeeded, open_unit, open_units
from jobs.pipelines.reconciling import reconcile
from jobs.pipelines.settling import settle, unheard_jobs
from jobs.queue import ClaimedJob, Ended
from jobs.registries import registries
from jobs.worker.inline import run_batch
from synops.store.sql import Cursor
from tests.jobs.arrange import committing_connection, fail, psycopg_cursor, succeed
from tests.jobs.pipelines.making import Hands, Script, library, make_all_due, shelf, state_of

pytestmark = pytest.mark.django_db

AGE = (
    "UPDATE pipeline_steps SET updated_at = updated_at - interval '2 hours'",
    "UPDATE pipeline_generations SET created_at = created_at - interval '2 hours'",
    "UPDATE job_queue SET created_at = created_at - interval '2 hours'",
)


class Killed(BaseException):
    """The process died here; nothing that code does about errors happens then."""


class Mortal:
    """A cursor whose process dies before its nth statement. Whatever the transaction has done is gone then."""

    def __init__(self, cursor: Cursor, lives: int) -> None:
        self._cursor = cursor
        self._lives = lives

    def execute(self, query: Any, params: Any = None, /) -> Any:
        if self._lives == 0:
            raise Killed
        self._lives -= 1
        return self._cursor.execute(query, params)

    @property
    def rowcount(self) -> int:
        return self._cursor.rowcount

    def fetchone(self) -> tuple[Any, ...] | None:
        return self._cursor.fetchone()

    def fetchall(self) -> Sequence[tuple[Any, ...]]:
        return self._cursor.fetchall()


def mortally(cursor: Cursor, lives: int, work: Callable[[Cursor], Any]) -> None:
    """Do `work` as a transaction of its own, by a process that dies before the statement with this number."""
    cursor.execute("SAVEPOINT process")
    try:
        work(Mortal(cursor, lives))
    except Killed:
        cursor.execute("ROLLBACK TO SAVEPOINT process")
    cursor.execute("RELEASE SAVEPOINT process")


def note_sum(cursor: Cursor, work: Any) -> Succeeded:
    """What an evaluation leaves behind: a row, written in the transaction that marks it."""
    cursor.execute(
        "INSERT INTO pipeline_repairs (pipeline, kind, repaired) VALUES ('sum', %(unit)s, %(generation)s)",
        {"unit": work.unit.unit, "generation": work.unit.generation},
    )
    return Succeeded()


ENDS: dict[str, Callable[[ClaimedJob], Ended]] = {
    "succeeds": succeed,
    "fails": fail,
    "gives up": lambda job: Ended(job, "failed", exit_code=65, permanent=True),
    "is excluded": lambda job: Ended(job, "excluded"),
}

ACTIONS = st.one_of(
    st.tuples(st.just("begin"), st.integers(0, 4)),
    st.tuples(st.sampled_from(sorted(ENDS)), st.integers(0, 12)),
    st.tuples(st.just("ends unheard"), st.integers(0, 4)),
    st.tuples(st.just("interrupt"), st.integers(0, 4)),
    st.tuples(st.just("lose a job"), st.integers(0, 4)),
    st.tuples(st.just("sweep"), st.integers(0, 12)),
    st.tuples(st.just("reconcile"), st.integers(0, 30)),
    st.tuples(st.just("due"), st.just(0)),
)


class Story:
    """One unit with a few books, and what happens to it."""

    def __init__(self, cursor: Cursor, books: int) -> None:
        self.cursor = cursor
        self.hands = Hands(cursor)
        self.held: list[ClaimedJob] = []
        open_units(cursor, [shelf(books=books)])

    def tell(self, action: str, number: int) -> None:
        if action == "begin":
            self._begin(number + 1)
        elif action == "reconcile":
            self.reconcile(number)
        elif action == "sweep":
            mortally(self.cursor, number, lambda cursor: settle(cursor, unheard_jobs(cursor)))
        elif action == "due":
            make_all_due(self.cursor)
        elif self.held:
            self._with_job(action, number, self.held.pop(number % len(self.held)))

    def _begin(self, count: int) -> None:
        for job in self.hands.claim_programs()[:count]:
            if self.hands.begin(job):
                self.held.append(job)

    def _with_job(self, action: str, number: int, job: ClaimedJob) -> None:
        if action == "interrupt":
            queue.give_back(self.cursor, [job])
        elif action == "lose a job":
            self.cursor.execute("DELETE FROM job_queue WHERE id = %(id)s", {"id": job.id})
        elif action == "ends unheard":
            queue.finish(self.cursor, [succeed(job)])
        else:
            queue.finish(self.cursor, [ENDS[action](job)])
            mortally(self.cursor, number, lambda cursor: settle(cursor, [job.id]))

    def reconcile(self, lives: int = 1000) -> None:
        for statement in AGE:
            self.cursor.execute(statement)
        mortally(self.cursor, lives, reconcile)

    def live_happily(self) -> None:
        """From here on nothing goes wrong any more."""
        for job in self.held:
            queue.give_back(self.cursor, [job])
        for _ in range(20):
            self.reconcile()
            make_all_due(self.cursor)
            self.hands.run_programs(succeed)
            found = state_of(self.cursor)
            if found is None or found[0] != "running":
                return
        raise AssertionError("the unit never ends")


@given(books=st.integers(1, 4), actions=st.lists(ACTIONS, max_size=20))
@settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_one_evaluation_or_permanently_failed_whatever_happens(
    db: None, books: int, actions: list[tuple[str, int]]
) -> None:
    with psycopg_cursor() as cursor, library(by_program=True) as script:
        script.sum = note_sum
        story = Story(cursor, books)
        for action, number in actions:
            story.tell(action, number)
        story.live_happily()
        cursor.execute("SELECT kind, repaired, count(*) FROM pipeline_repairs WHERE pipeline = 'sum' GROUP BY 1, 2")
        sums = cursor.fetchall()
        state = state_of(cursor)
        assert state is not None
        assert sums == ([("A", 1, 1)] if state[0] == "succeeded" else []), state
        cursor.execute("SELECT count(*) FROM pipeline_steps WHERE state IN ('pending', 'running', 'failed')")
        assert cursor.fetchall() == [(0,)]


# -- races of real connections -----------------------------------------------------------------------------------------


@pytest.fixture
def books() -> Iterator[Script]:
    with library() as script:
        script.sum = note_sum
        yield script


@pytest.fixture
def swept(connect: Callable[[], psycopg.Connection[Any]]) -> Iterator[Callable[[], psycopg.Connection[Any]]]:
    yield connect
    with committing_connection() as sweeper:
        sweeper.execute("DELETE FROM pipeline_generations")
        sweeper.execute("DELETE FROM pipeline_repairs")


Connect = Callable[[], psycopg.Connection[Any]]


def together(count: int, work: Callable[[int], Any]) -> list[Any]:
    """`work(nth)` in so many threads at once; what each returned."""
    barrier = threading.Barrier(count)

    def run(nth: int) -> Any:
        barrier.wait(60)
        return work(nth)

    with ThreadPoolExecutor(count) as pool:
        return list(pool.map(run, range(count)))


def sums(cursor: Cursor) -> dict[str, int]:
    cursor.execute("SELECT kind, count(*) FROM pipeline_repairs WHERE pipeline = 'sum' GROUP BY kind")
    return dict(cursor.fetchall())


def test_five_workers_do_each_step_once(swept: Connect, books: Script) -> None:
    """A batch in nine dies with its transaction and is given back, as a lost worker's is."""
    units = 40
    with swept().cursor() as cursor:
        open_units(cursor, [shelf(f"shelf {nth}", books=4) for nth in range(units)])

    def work(nth: int) -> int:
        dice, batches = random.Random(nth), 0
        with committing_connection() as own, own.cursor() as cursor:
            hands = Hands(cursor)
            while True:
                with own.transaction():
                    jobs = hands.claim()
                cursor.execute("SELECT count(*) FROM pipeline_generations WHERE state = 'running'")
                if not jobs and cursor.fetchall() == [(0,)]:
                    return batches
                if not jobs:
                    continue
                batches += 1
                with own.transaction() as transaction:
                    run_batch(cursor, jobs, registries.inline)
                    if dice.random() < 1 / 9:
                        raise psycopg.Rollback(transaction)
                with own.transaction():
                    queue.give_back(cursor, jobs)

    together(5, work)
    with swept().cursor() as cursor:
        assert sums(cursor) == {f"shelf {nth}": 1 for nth in range(units)}
        cursor.execute("SELECT state, count(*) FROM pipeline_steps GROUP BY state")
        assert cursor.fetchall() == [("succeeded", units * 6)]
        cursor.execute("SELECT count(*) FROM job_queue WHERE job_type LIKE 'library%%' AND status = 'completed'")
        assert cursor.fetchall() == [(units * 6,)], "no step had two jobs"


def test_the_last_books_of_a_shelf_end_at_the_same_moment(swept: Connect) -> None:
    with library(by_program=True) as script, swept() as own, own.cursor() as cursor:
        script.sum = note_sum
        hands = Hands(cursor)

        def read_all(unit: str) -> list[ClaimedJob]:
            """Programs that have ended; their steps have not been told."""
            open_units(cursor, [shelf(unit, books=6)])
            (first,) = hands.claim_programs()
            hands.begin(first)
            hands.end(succeed(first))
            readers = [job for job in hands.claim_programs() if hands.begin(job)]
            hands.end(*[succeed(job) for job in readers], tell=False)
            return readers

        def tell(job: ClaimedJob) -> int:
            with committing_connection() as mine, mine.transaction(), mine.cursor() as cursor:
                return settle(cursor, [job.id])

        def sum_up() -> None:
            (last,) = hands.claim_programs()
            assert last.job_type == "library_sum"
            hands.begin(last)
            hands.end(succeed(last))

        for turn in range(8):
            with own.transaction():
                readers = read_all(f"turn {turn}")
            assert together(6, lambda nth, jobs=readers: tell(jobs[nth])) == [1] * 6
            with own.transaction():
                sum_up()
        assert sums(cursor) == {f"turn {turn}": 1 for turn in range(8)}


def test_of_many_selections_and_of_many_runs_by_hand_one_opens_a_unit(swept: Connect, books: Script) -> None:
    wanted = [shelf(f"shelf {nth}") for nth in range(30)]

    def select(nth: int) -> int:
        with committing_connection() as own, own.transaction(), own.cursor() as cursor:
            return len(open_units(cursor, random.Random(nth).sample(wanted, len(wanted))))

    def by_hand(_nth: int) -> bool:
        with committing_connection() as own, own.transaction(), own.cursor() as cursor:
            try:
                return bool(open_unit(cursor, wanted[0]))
            except AlreadyOpen:
                return False

    assert sum(together(6, select)) == 30
    assert together(6, by_hand).count(True) == 1
    with swept().cursor() as cursor:
        cursor.execute("SELECT count(*) FROM job_queue WHERE status = 'pending' AND job_type = 'library_list'")
        assert cursor.fetchall() == [(30,)]
