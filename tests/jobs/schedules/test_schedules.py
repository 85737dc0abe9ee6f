"""Schedules as rows: seeding, ticks taken once, running by hand, what belongs to a recipe, and the alarm."""

from __future__ import annotations

import multiprocessing
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import psycopg
import pytest
from django.core.management import CommandError, call_command
from django.db import connection

from jobs.models import Job, Schedule
from jobs.schedules import CronRefused, NameTaken, NotRun, put, remove, run_by_hand
from jobs.schedules.alarms import late
from jobs.schedules.clock import Clock, _next_tick
from jobs.schedules.declared import Declared
from jobs.schedules.seeding import seed
from jobs.schedules.ticking import Ticking, take_tick, ticking
from synops.store.identities import SYSTEM_COLLECTION_ID
from synops.store.sql import Cursor
from tests.jobs.arrange import committing_connection, django_cursor, psycopg_cursor

pytestmark = pytest.mark.django_db


@pytest.fixture
def cursor() -> Iterator[Cursor]:
    with psycopg_cursor() as cursor:
        cursor.execute("DELETE FROM job_schedules")
        yield cursor


def declared(name: str = "nightly", **more: Any) -> Declared:
    fields = {"cron": "0 3 * * *", "job_type": name, "description": "Cleans up.", **more}
    return Declared(name, **fields)


def columns(cursor: Cursor, name: str, what: str) -> tuple[Any, ...]:
    cursor.execute(f"SELECT {what} FROM job_schedules WHERE name = %(name)s", {"name": name})
    found = cursor.fetchone()
    assert found is not None
    return tuple(found)


def one(cursor: Cursor, name: str = "nightly") -> Ticking:
    return next(schedule for schedule in ticking(cursor)[0] if schedule.name == name)


def wind_back(cursor: Cursor, name: str = "nightly", days: float = 2) -> None:
    cursor.execute(
        "UPDATE job_schedules SET last_tick_at = now() - make_interval(secs => %(s)s) WHERE name = %(name)s",
        {"s": days * 86400, "name": name},
    )


def jobs(cursor: Cursor) -> list[tuple[Any, ...]]:
    cursor.execute("SELECT job_type, payload::text, priority FROM job_queue ORDER BY id")
    return list(cursor.fetchall())


# -- seeding -----------------------------------------------------------------------------------------------------------


def test_what_an_operator_changed_survives_and_what_the_code_changed_follows(cursor: Cursor) -> None:
    seed(cursor, [declared()])
    cursor.execute("UPDATE job_schedules SET cron = '0 5 * * *', timezone = 'UTC', enabled = false")
    seed(cursor, [declared(cron="0 4 * * *", description="Cleans up more.", dormant=True)])
    found = columns(cursor, "nightly", "cron, timezone, enabled, description, dormant, orphaned")
    assert found == ("0 5 * * *", "UTC", False, "Cleans up more.", True, False)


def test_a_schedule_whose_code_is_gone_does_not_tick_and_comes_back_without_its_missed_ticks(cursor: Cursor) -> None:
    seed(cursor, [declared(), declared("other")])
    seed(cursor, [declared("other")])
    assert columns(cursor, "nightly", "orphaned") == (True,)
    assert [schedule.name for schedule in ticking(cursor)[0]] == ["other"]
    with pytest.raises(NotRun, match="Nothing in this version"):
        run_by_hand(cursor, "nightly")
    wind_back(cursor)
    seed(cursor, [declared(), declared("other")])
    assert columns(cursor, "nightly", "orphaned, last_tick_at = now()") == (False, True)


def test_seeding_leaves_other_peoples_schedules_alone(cursor: Cursor) -> None:
    mine(cursor)
    seed(cursor, [declared()])
    seed(cursor, [])
    assert columns(cursor, "recipe 1", "orphaned") == (False,)


def _seed_in_a_process(parameters: dict[str, Any], ready: Any, failures: Any) -> None:
    try:
        with psycopg.connect(**parameters) as own, own.cursor() as cursor:
            ready.wait(60)
            seed(cursor, [declared(f"many {nth}") for nth in range(10)])
    except BaseException as error:  # noqa: BLE001 (whatever went wrong in the child is the test's answer)
        failures.put(repr(error))


@pytest.mark.django_db(transaction=True)
def test_eighty_processes_seed_at_once() -> None:
    """Forked, so that the eighty cost no eighty imports; each has a connection of its own."""
    parameters = connection.get_connection_params()
    for name in ("cursor_factory", "context"):
        parameters.pop(name, None)
    connection.close()
    forking = multiprocessing.get_context("fork")
    ready, failures = forking.Barrier(80), forking.SimpleQueue()
    processes = [forking.Process(target=_seed_in_a_process, args=(parameters, ready, failures)) for _ in range(80)]
    for process in processes:
        process.start()
    for process in processes:
        process.join(120)
    said = [failures.get() for _ in processes if not failures.empty()]
    assert said == []
    with committing_connection() as own:
        found = own.execute("SELECT count(*), bool_or(orphaned) FROM job_schedules WHERE name LIKE 'many %'").fetchone()
        own.execute("DELETE FROM job_schedules WHERE name LIKE 'many %'")
    assert found == (10, False)


# -- ticks -------------------------------------------------------------------------------------------------------------


def test_only_the_latest_of_the_missed_ticks_is_taken_and_only_once(cursor: Cursor) -> None:
    seed(cursor, [declared(cron="0 * * * *")])
    wind_back(cursor, days=3)
    schedule, now = one(cursor), ticking(cursor)[1]
    assert take_tick(cursor, schedule, now) is not None
    assert take_tick(cursor, schedule, now) is None, "another process, which read the row before"
    assert take_tick(cursor, one(cursor), now) is None
    assert len(jobs(cursor)) == 1
    last, job = columns(cursor, "nightly", "last_tick_at, last_job_id IS NOT NULL")
    assert last == now.replace(minute=0, second=0, microsecond=0)
    assert job


def test_a_tick_is_not_taken_for_a_schedule_that_changed_meanwhile(cursor: Cursor) -> None:
    seed(cursor, [declared(cron="0 * * * *")])
    wind_back(cursor)
    schedule, now = one(cursor), ticking(cursor)[1]
    cursor.execute("UPDATE job_schedules SET enabled = false")
    assert take_tick(cursor, schedule, now) is None
    cursor.execute("UPDATE job_schedules SET enabled = true, cron = '0 4 * * *'")
    assert take_tick(cursor, schedule, now) is None
    assert jobs(cursor) == []


def test_a_tick_is_left_out_while_the_last_one_is_not_done(cursor: Cursor) -> None:
    seed(cursor, [declared(cron="0 * * * *"), declared("twice", cron="0 * * * *", max_concurrency=2)])
    for _ in range(3):
        for name in ("nightly", "twice"):
            wind_back(cursor, name)
            schedule, now = one(cursor, name), ticking(cursor)[1]
            take_tick(cursor, schedule, now)
    assert sorted(job_type for job_type, *_ in jobs(cursor)) == ["nightly", "twice", "twice"]
    assert columns(cursor, "nightly", "skipped") == (2,)
    assert columns(cursor, "twice", "skipped") == (1,)


def test_dormant_and_switched_off_ones_run_by_hand_alone(cursor: Cursor) -> None:
    seed(cursor, [declared(dormant=True), declared("off")])
    cursor.execute("UPDATE job_schedules SET enabled = false WHERE name = 'off'")
    assert ticking(cursor)[0] == []
    run_by_hand(cursor, "nightly")
    run_by_hand(cursor, "off")
    assert [(job_type, priority) for job_type, _, priority in jobs(cursor)] == [("nightly", 10), ("off", 10)]
    with pytest.raises(NotRun) as refused:
        run_by_hand(cursor, "off")
    assert refused.value.code == "busy"


# -- schedules that belong to something --------------------------------------------------------------------------------


def mine(cursor: Cursor, owner: str = "recipe:1", **more: Any) -> None:
    fields = {
        "name": "recipe 1",
        "cron": "0 8 * * 1",
        "timezone": "Europe/Oslo",
        "job_type": "recipe_tick",
        "payload": {"recipe": "1", "tick": "{tick}"},
        "collection_id": SYSTEM_COLLECTION_ID,
        **more,
    }
    put(cursor, owner=owner, **fields)


def test_a_recipes_schedule_tells_its_job_which_tick_it_is(cursor: Cursor) -> None:
    mine(cursor)
    wind_back(cursor, "recipe 1", days=8)
    schedule, now = one(cursor, "recipe 1"), ticking(cursor)[1]
    take_tick(cursor, schedule, now)
    ((job_type, payload, _),) = jobs(cursor)
    assert job_type == "recipe_tick"
    last = columns(cursor, "recipe 1", "last_tick_at")[0]
    assert last.astimezone(UTC).isoformat() in payload


def test_changed_times_begin_now_and_the_switch_survives(cursor: Cursor) -> None:
    mine(cursor)
    wind_back(cursor, "recipe 1", days=8)
    mine(cursor, payload={"recipe": "1"})
    assert columns(cursor, "recipe 1", "last_tick_at < now() - interval '7 days'") == (True,)
    cursor.execute("UPDATE job_schedules SET enabled = false")
    mine(cursor, cron="0 9 * * 1")
    assert columns(cursor, "recipe 1", "last_tick_at = now(), enabled") == (True, False)


def test_it_goes_with_its_owner_and_nobody_else_takes_its_name(cursor: Cursor) -> None:
    mine(cursor)
    with pytest.raises(NameTaken):
        mine(cursor, owner="recipe:2")
    with pytest.raises(CronRefused):
        mine(cursor, cron="0 0 31 2 *")
    with pytest.raises(CronRefused):
        mine(cursor, timezone="Europe/Olso")
    assert remove(cursor, "recipe:2") == 0
    assert remove(cursor, "recipe:1") == 1


# -- the alarm, and the clock ------------------------------------------------------------------------------------------


def test_a_tick_that_nobody_took_raises_the_alarm(cursor: Cursor) -> None:
    seed(cursor, [declared(cron="0 3 * * *"), declared("fresh"), declared("asleep", dormant=True)])
    wind_back(cursor)
    wind_back(cursor, "asleep")
    assert [found.name for found in late(cursor)] == ["nightly"]
    assert late(cursor, timedelta(days=30)) == []


def test_the_clock_takes_what_is_due_and_survives_a_line_that_it_cannot_read() -> None:
    with django_cursor() as cursor:
        cursor.execute("DELETE FROM job_schedules")
        mine(cursor, name="due", cron="* * * * *")
        mine(cursor, name="bad")
        wind_back(cursor, "due")
        cursor.execute("UPDATE job_schedules SET cron = 'never' WHERE name = 'bad'")
    clock = Clock()
    assert clock.make_round() == 1
    assert clock.make_round() == 0
    with django_cursor() as cursor:
        assert [job_type for job_type, *_ in jobs(cursor)] == ["recipe_tick"]


def test_a_round_of_the_clock_computes_a_line_once() -> None:
    schedule = Ticking("x", "0 3 * * *", "Europe/Oslo", datetime(2026, 1, 1, tzinfo=UTC))
    assert _next_tick(schedule) == datetime(2026, 1, 1, 2, tzinfo=UTC)


# -- at a shell --------------------------------------------------------------------------------------------------------


def test_a_schedule_is_run_at_a_shell_once_and_a_wrong_name_is_said(capsys: pytest.CaptureFixture[str]) -> None:
    call_command("run_schedule", "bulk_reevaluation")
    job = Job.objects.get(pk=capsys.readouterr().out.strip())
    assert (job.job_type, job.priority, job.status) == ("bulk_reevaluation", 10, "pending")
    with pytest.raises(CommandError, match="queued or running already"):
        call_command("run_schedule", "bulk_reevaluation")
    with pytest.raises(CommandError, match="no schedule named nothing"):
        call_command("run_schedule", "nothing")


def test_without_a_name_each_schedule_is_told_with_when_it_ticks(capsys: pytest.CaptureFixture[str]) -> None:
    Schedule.objects.filter(name="selection").update(enabled=False)
    Schedule.objects.filter(name="replica_sync").update(orphaned=True)
    call_command("run_schedule")
    lines = {line.split()[0]: line for line in capsys.readouterr().out.splitlines()}
    assert set(lines) == set(Schedule.objects.values_list("name", flat=True))
    assert "Every 10 minutes" in lines["reconciliation"]
    assert "by hand only" in lines["bulk_reevaluation"]
    assert "switched off" in lines["selection"]
    assert "its code is gone" in lines["replica_sync"]
