"""Each step is done once and the fan-in made once when several connections race: in real transactions, on threads."""

from __future__ import annotations

import random
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import psycopg
import pytest

from jobs import queue
from jobs.pipelines import AlreadyOpen, marking, open_unit, open_units
from jobs.pipelines.settling import settle
from jobs.queue import ClaimedJob
from jobs.registries import registries
from jobs.worker.inline import run_batch
from synops.store.sql import Cursor, load
from tests.deadline import wait_until
from tests.jobs.arrange import committing_connection, succeed
from tests.jobs.pipelines.making import Hands, Script, library, note_sum, shelf

pytestmark = pytest.mark.django_db


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


UNITS = 10_000


def test_five_workers_do_each_step_of_ten_thousand_units_once(swept: Connect, books: Script) -> None:
    """One shelf in four has books. A batch in nine dies with its transaction and is given back, as a lost worker's is."""
    with swept() as own, own.transaction(), own.cursor() as cursor:
        open_units(cursor, [shelf(f"shelf {nth}", books=2 * (nth % 4 == 0)) for nth in range(UNITS)])
    together(5, work_until_all_is_over)
    full = UNITS // 4
    with swept().cursor() as cursor:
        cursor.execute("SELECT count(*), count(DISTINCT kind) FROM pipeline_repairs WHERE pipeline = 'sum'")
        assert cursor.fetchall() == [(full, full)], "each was summed up once"
        cursor.execute("SELECT step, state, attempt, count(*) FROM pipeline_steps GROUP BY 1, 2, 3 ORDER BY 1")
        done = {"list": UNITS, "read": 2 * full, "sum": full}
        assert cursor.fetchall() == [(step, "succeeded", 1, count) for step, count in done.items()]
        cursor.execute("SELECT status::text, count(*) FROM job_queue WHERE job_type LIKE 'library%' GROUP BY 1")
        assert cursor.fetchall() == [("completed", sum(done.values()))], "no step had two jobs"
        cursor.execute("SELECT state, reason, count(*) FROM pipeline_generations GROUP BY 1, 2 ORDER BY 1")
        assert cursor.fetchall() == [("permanently_failed", "none:read", UNITS - full), ("succeeded", "", full)]


def work_until_all_is_over(nth: int) -> None:
    """A worker's inline lane, which now and then dies in the middle of a batch."""
    dice = random.Random(nth)
    with committing_connection() as own, own.cursor() as cursor:
        hands = Hands(cursor)
        while True:
            with own.transaction():
                jobs = hands.claim()
            if jobs:
                run_or_die(own, jobs, dies=dice.random() < 1 / 9)
                continue
            cursor.execute("SELECT EXISTS (SELECT FROM pipeline_generations WHERE state = 'running')")
            if cursor.fetchall() == [(False,)]:
                return


def run_or_die(own: psycopg.Connection[Any], jobs: Sequence[ClaimedJob], dies: bool) -> None:
    with own.transaction(force_rollback=dies), own.cursor() as cursor:
        run_batch(cursor, jobs, registries.inline)
    if dies:
        with own.transaction(), own.cursor() as cursor:
            queue.give_back(cursor, jobs)


def test_the_last_books_of_a_shelf_end_at_the_same_moment(swept: Connect) -> None:
    with library(by_program=True) as script, swept() as own, own.cursor() as cursor:
        script.sum = note_sum
        hands = Hands(cursor)

        def sum_up() -> None:
            (last,) = hands.claim_programs()
            assert last.job_type == "library_sum"
            hands.begin(last)
            hands.end(succeed(last))

        for turn in range(8):
            with own.transaction():
                readers = readers_that_have_ended(hands, f"turn {turn}", books=6)
            assert together(6, lambda nth, jobs=readers: settle_alone(jobs[nth])) == [1] * 6
            with own.transaction():
                sum_up()
        assert sums(cursor) == {f"turn {turn}": 1 for turn in range(8)}


@pytest.mark.parametrize(("lock", "fan_ins"), [("FOR NO KEY UPDATE", 1), ("", 0)], ids=["with its lock", "without"])
def test_the_lock_of_the_units_is_what_the_fan_in_rests_on(
    swept: Connect, monkeypatch: pytest.MonkeyPatch, lock: str, fan_ins: int
) -> None:
    """The test of these tests: two books end in transactions that overlap, and without the lock neither sees the other."""
    statement = load("jobs.pipelines.sql", "lock_units")
    assert statement.count("FOR NO KEY UPDATE") == 1
    with library(by_program=True), swept() as own, own.cursor() as cursor:
        with own.transaction():
            first, last = readers_that_have_ended(Hands(cursor))
        changed = {"lock_units": statement.replace("FOR NO KEY UPDATE", lock)}
        monkeypatch.setattr(marking, "load", lambda package, name: changed.get(name) or load(package, name))
        with ThreadPoolExecutor(1) as pool:
            with own.transaction():
                assert settle(cursor, [first.id]) == 1
                other = pool.submit(settle_alone, last)
                wait_until(lambda: other.done() or waits_for_a_lock(swept()), "the other has ended or waits")
            assert other.result(60) == 1
        cursor.execute("SELECT count(*) FROM pipeline_steps WHERE step = 'sum'")
        assert cursor.fetchall() == [(fan_ins,)]


def readers_that_have_ended(hands: Hands, unit: str = "A", books: int = 2) -> list[ClaimedJob]:
    """The programs of a shelf's books; their steps have not been told."""
    open_units(hands.cursor, [shelf(unit, books=books)])
    (first,) = hands.claim_programs()
    hands.begin(first)
    hands.end(succeed(first))
    readers = [job for job in hands.claim_programs() if hands.begin(job)]
    hands.end(*[succeed(job) for job in readers], tell=False)
    return readers


def settle_alone(job: ClaimedJob) -> int:
    with committing_connection() as mine, mine.transaction(), mine.cursor() as cursor:
        return settle(cursor, [job.id])


def waits_for_a_lock(own: psycopg.Connection[Any]) -> bool:
    found = own.execute(
        "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'"
    )
    return found.fetchone() != (0,)


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
