"""A lane runs each call in one transaction, and tries again what loses a deadlock or a serialisation conflict."""

from __future__ import annotations

import asyncio
import threading

import psycopg
import pytest

from jobs.worker.lane import TRIES, Lane
from tests.jobs.arrange import committing_connection
from tests.web import database_url

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def table():
    with committing_connection() as connection:
        connection.execute("CREATE TABLE lane_test (id int PRIMARY KEY, n int NOT NULL)")
        connection.execute("INSERT INTO lane_test VALUES (1, 0), (2, 0)")
        yield connection
        connection.execute("DROP TABLE lane_test")


def totals(connection) -> list[int]:
    return [n for (n,) in connection.execute("SELECT n FROM lane_test ORDER BY id")]


def test_the_loser_of_a_deadlock_is_tried_again(table):
    """Each takes one row, waits until the other has its own, and wants the other's: 40P01 for one of them."""
    both_have_one = threading.Barrier(2)
    tries = {1: 0, 2: 0}

    def both(cursor, first: int, second: int) -> None:
        tries[first] += 1
        cursor.execute("SET LOCAL deadlock_timeout = '50ms'")
        cursor.execute("UPDATE lane_test SET n = n + 1 WHERE id = %(id)s", {"id": first})
        if tries[first] == 1:
            both_have_one.wait(60)
        cursor.execute("UPDATE lane_test SET n = n + 1 WHERE id = %(id)s", {"id": second})

    async def run() -> None:
        lanes = [Lane(str(number), database_url()) for number in (1, 2)]
        await asyncio.gather(lanes[0].call(both, 1, 2), lanes[1].call(both, 2, 1))
        for lane in lanes:
            await lane.close()

    asyncio.run(run())
    assert totals(table) == [2, 2], "both are done, each once"
    assert sorted(tries.values()) == [1, 2]


def test_a_serialisation_conflict_is_tried_again_and_given_up_in_the_end(table):
    tries: list[bool] = []

    def count(cursor, conflicts: int) -> None:
        cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ")
        cursor.execute("SELECT n FROM lane_test WHERE id = 1")
        tries.append(len(tries) < conflicts)
        if tries[-1]:  # somebody else changes the row under it: 40001
            table.execute("UPDATE lane_test SET n = n + 10 WHERE id = 1")
        cursor.execute("UPDATE lane_test SET n = n + 1 WHERE id = 1")

    async def run(conflicts: int) -> None:
        lane = Lane("test", database_url())
        try:
            await lane.call(count, conflicts)
        finally:
            await lane.close()

    asyncio.run(run(2))
    assert (totals(table)[0], len(tries)) == (21, 3)
    tries.clear()
    with pytest.raises(psycopg.errors.SerializationFailure):
        asyncio.run(run(99))
    assert len(tries) == TRIES


def test_the_statement_that_begin_is_sent_along_with_answers_and_is_taken_back_with_the_rest(table):
    answers: list[tuple[object, ...] | None] = []

    def count(cursor, parameters: dict[str, int] | None) -> None:
        cursor.execute("UPDATE lane_test SET n = n + 1 WHERE id = 1 RETURNING n", parameters)
        answers.append(cursor.fetchone())
        cursor.execute("SHOW statement_timeout")
        answers.append(cursor.fetchone())
        raise ValueError("the rest fails")

    async def run() -> None:
        lane = Lane("test", database_url())
        for parameters in (None, {"id": 1}):
            with pytest.raises(ValueError, match="the rest fails"):
                await lane.call(count, parameters)
        await lane.close()

    asyncio.run(run())
    assert answers == [(1,), ("30s",)] * 2
    assert totals(table) == [0, 0]
