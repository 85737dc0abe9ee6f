"""Reconciliation: what it repairs, what it leaves alone, and that each repair is counted."""

from __future__ import annotations

import pytest
from django.conf import LazySettings

from jobs import queue
from jobs.pipelines import ConfigurationGap, PermanentlyFailed, open_unit, open_units
from jobs.pipelines.checks import check_cron, check_ladder, check_numbers, check_stale_after
from jobs.pipelines.reconciling import reconcile
from jobs.queue import NewJob
from synops.store.identities import SYSTEM_COLLECTION_ID
from synops.store.sql import Cursor
from tests.jobs.arrange import succeed
from tests.jobs.pipelines.making import NAME, Hands, Script, library, shelf, state_of, steps_of, waiting

pytestmark = pytest.mark.django_db


def age(cursor: Cursor, hours: int = 2) -> None:
    for table, column in (
        ("pipeline_steps", "updated_at"),
        ("pipeline_generations", "created_at"),
        ("job_queue", "created_at"),
    ):
        cursor.execute(f"UPDATE {table} SET {column} = {column} - make_interval(hours => %(h)s)", {"h": hours})


def repairs(cursor: Cursor) -> dict[str, int]:
    return {kind: repaired for (_, kind), repaired in reconcile(cursor).items()}


def lose_jobs(cursor: Cursor, job_type: str) -> None:
    cursor.execute("DELETE FROM job_queue WHERE job_type = %(type)s", {"type": job_type})


def test_nothing_is_wrong_with_a_unit_that_is_under_way_or_done(cursor: Cursor, inline: Script) -> None:
    hands = Hands(cursor)
    open_units(cursor, [shelf("A"), shelf("B")])
    hands.claim()
    age(cursor)
    assert repairs(cursor) == {}
    cursor.execute("SELECT count(*) FROM pipeline_repairs")
    assert cursor.fetchall() == [(0,)]


def test_a_selected_unit_without_its_first_job_gets_one(cursor: Cursor, inline: Script) -> None:
    hands = Hands(cursor)
    open_units(cursor, [shelf()])
    lose_jobs(cursor, "library_list")
    assert repairs(cursor) == {}, "too young"
    age(cursor)
    assert repairs(cursor) == {"first_enqueued": 1}
    assert repairs(cursor) == {}
    hands.work()
    assert state_of(cursor) == ("succeeded", "")
    cursor.execute("SELECT pipeline, kind, repaired FROM pipeline_repairs")
    assert cursor.fetchall() == [(NAME, "first_enqueued", 1)]


def test_steps_under_way_without_a_job_are_reclaimed(cursor: Cursor) -> None:
    with library(by_program=True) as script:
        hands = Hands(cursor)
        open_units(cursor, [shelf(books=2)])
        (first,) = hands.claim_programs()
        hands.begin(first)
        hands.end(succeed(first))
        for job in hands.claim_programs():
            hands.begin(job)
        lose_jobs(cursor, "library_read")
        age(cursor)
        assert repairs(cursor) == {"reclaimed": 2}
        hands.run_programs(succeed)
        assert script.sums == [("A", 1)]
        assert steps_of(cursor)["read", "book 0"] == ("succeeded", 2)


def test_a_step_that_waits_for_its_configuration_is_tried_again(cursor: Cursor, inline: Script) -> None:
    hands = Hands(cursor)
    whole = inline.sum
    inline.sum = lambda *_: ConfigurationGap("no rules yet")
    open_units(cursor, [shelf()])
    hands.work()
    inline.sum = whole
    age(cursor)
    assert repairs(cursor) == {"reclaimed": 1}
    hands.work()
    assert inline.sums == [("A", 1)]


def test_a_missed_fan_in_is_made_once(cursor: Cursor, inline: Script) -> None:
    hands = Hands(cursor)
    open_units(cursor, [shelf()])
    hands.work()
    cursor.execute("DELETE FROM pipeline_steps WHERE step = 'sum'")
    cursor.execute("UPDATE pipeline_generations SET state = 'running', finished_at = NULL")
    inline.sums.clear()
    assert repairs(cursor) == {}, "too young"
    age(cursor)
    assert repairs(cursor) == {"fanned_in": 1}
    assert repairs(cursor) == {}
    hands.work()
    assert inline.sums == [("A", 1)]


def test_a_winner_without_its_evaluation_gets_a_job(cursor: Cursor, inline: Script) -> None:
    hands = Hands(cursor)
    open_units(cursor, [shelf()])
    while not [job for job in waiting(cursor) if job[1] == "library_sum"]:
        hands.work_once()
    lose_jobs(cursor, "library_sum")
    age(cursor)
    assert repairs(cursor) == {"reclaimed": 1}
    hands.work()
    assert inline.sums == [("A", 1)]


def test_a_unit_in_which_nothing_succeeded_is_booked_as_permanently_failed(cursor: Cursor, inline: Script) -> None:
    hands = Hands(cursor)
    inline.read = lambda *_: PermanentlyFailed("unreadable")
    open_units(cursor, [shelf()])
    hands.work()
    cursor.execute("UPDATE pipeline_generations SET state = 'running', finished_at = NULL")
    age(cursor)
    assert repairs(cursor) == {"ended": 1}
    assert state_of(cursor) == ("permanently_failed", "failed:read")


def test_a_unit_without_any_step_is_selected_again(cursor: Cursor, inline: Script) -> None:
    Hands(cursor)
    open_units(cursor, [shelf()])
    cursor.execute("DELETE FROM pipeline_steps")
    age(cursor)
    assert repairs(cursor) == {"forgotten": 1, "stray_job": 1}
    assert len(open_units(cursor, [shelf()])) == 1


def test_a_job_that_no_step_points_at_is_cancelled(cursor: Cursor, inline: Script) -> None:
    Hands(cursor)
    stray = queue.enqueue(cursor, NewJob(SYSTEM_COLLECTION_ID, "library_sum", {"shelf": "A"}))
    assert repairs(cursor) == {}
    age(cursor)
    assert repairs(cursor) == {"stray_job": 1}
    cursor.execute("SELECT outcome FROM job_queue WHERE id = %(id)s", {"id": stray})
    assert cursor.fetchall() == [("cancelled",)]


def test_open_steps_of_a_unit_that_is_over_are_closed(cursor: Cursor, inline: Script) -> None:
    Hands(cursor)
    open_units(cursor, [shelf()])
    open_unit(cursor, shelf())
    cursor.execute("UPDATE pipeline_steps SET state = 'running', finished_at = NULL WHERE generation = 1")
    age(cursor)
    assert repairs(cursor) == {"leftover": 1}
    assert steps_of(cursor, generation=1) == {("list", ""): ("superseded", 0)}


@pytest.mark.parametrize(
    ("name", "value", "check"),
    [
        ("PIPELINE_STALE_AFTER_SECONDS", 2399, check_stale_after),
        ("PIPELINE_RETRY_INTERVALS_SECONDS", [], check_ladder),
        ("PIPELINE_RETRY_INTERVALS_SECONDS", [30, 0], check_ladder),
        ("PIPELINE_MAX_FAILED_ATTEMPTS", 0, check_numbers),
        ("PIPELINE_RECONCILIATION_CRON", "0 0 31 2 *", check_cron),
    ],
)
def test_check_refuses_wrong_settings(settings: LazySettings, name: str, value: object, check: object) -> None:
    assert callable(check)
    assert check() == []
    setattr(settings, name, value)
    assert [finding.level for finding in check()] == [40]
