"""Steps that are programs: each follows its job, however that ends, once."""

from __future__ import annotations

import pytest

from jobs import queue
from jobs.pipelines import (
    Failed,
    Succeeded,
    open_units,
)
from jobs.pipelines.settling import settle, unheard_jobs
from jobs.queue import Ended
from synops.store.sql import Cursor
from tests.jobs.arrange import fail, succeed
from tests.jobs.pipelines.making import (
    Hands,
    Script,
    make_all_due,
    shelf,
    state_of,
    steps_of,
    waiting,
)

pytestmark = pytest.mark.django_db


def test_steps_that_are_programs_follow_their_jobs(cursor: Cursor, programs: Script) -> None:
    hands = Hands(cursor)
    open_units(cursor, [shelf(books=3)])
    assert hands.run_programs(succeed) == 5
    assert programs.sums == [("A", 1)]
    assert state_of(cursor) == ("succeeded", "")


@pytest.mark.parametrize(
    ("ending", "state", "unit"),
    [
        ({"outcome": "excluded", "error": "§ 13"}, "excluded", "excluded"),
        ({"exit_code": 65, "permanent": True}, "permanently_failed", "permanently_failed"),
        ({"exit_code": 69, "transient": True}, "failed", "running"),
        ({"outcome": "timed_out"}, "failed", "running"),
        ({"outcome": "cancelled"}, "permanently_failed", "permanently_failed"),
        ({"exit_code": 78, "permanent": True}, None, None),
    ],
)
def test_how_a_program_ends_decides_its_step(
    cursor: Cursor, programs: Script, ending: dict[str, object], state: str | None, unit: str | None
) -> None:
    hands = Hands(cursor)
    open_units(cursor, [shelf()])
    (job,) = hands.claim_programs()
    assert hands.begin(job)
    fields = {"outcome": "failed", "error": "it broke", **ending}
    hands.end(Ended(job, **fields))  # type: ignore[arg-type]
    found = steps_of(cursor).get(("list", ""))
    assert (found[0] if found else None) == state
    whole = state_of(cursor)
    assert (whole[0] if whole else None) == unit


def test_a_program_that_keeps_failing_is_stopped_by_the_steps_count(cursor: Cursor, programs: Script) -> None:
    hands = Hands(cursor)
    open_units(cursor, [shelf()])
    for attempt, seconds in ((1, 30), (2, 120), (3, 300), (4, 900)):
        hands.run_programs(fail)
        assert steps_of(cursor)["list", ""] == ("failed", attempt)
        ((_, _, due_in),) = waiting(cursor)
        assert seconds - 1 <= due_in <= seconds + 1
        make_all_due(cursor)
    hands.run_programs(fail)
    assert steps_of(cursor)["list", ""] == ("permanently_failed", 5)
    assert waiting(cursor) == []
    assert state_of(cursor) == ("permanently_failed", "failed:list")


def test_a_result_that_turns_out_to_be_empty_is_tried_again_with_a_new_job(cursor: Cursor, programs: Script) -> None:
    hands = Hands(cursor)
    whole = programs.read
    programs.read = lambda *_: Failed("empty answer")
    open_units(cursor, [shelf(books=1)])
    hands.run_programs(succeed)
    assert steps_of(cursor)["read", "book 0"] == ("failed", 1)
    programs.read = whole
    ((_, job_type, due_in),) = waiting(cursor)
    assert job_type == "library_read"
    assert 29 <= due_in <= 31
    make_all_due(cursor)
    hands.run_programs(succeed)
    assert steps_of(cursor)["read", "book 0"] == ("succeeded", 2)
    assert state_of(cursor) == ("succeeded", "")


def test_code_that_cannot_read_a_result_makes_it_a_failed_try(cursor: Cursor, programs: Script) -> None:
    hands = Hands(cursor)

    def read(cursor: Cursor, _work: object) -> Succeeded:
        cursor.execute("INSERT INTO nowhere VALUES (1)")
        return Succeeded()

    programs.catalogue = read
    open_units(cursor, [shelf()])
    hands.run_programs(succeed)
    assert steps_of(cursor)["list", ""] == ("failed", 1)


def test_an_interrupted_program_goes_on_with_the_same_attempt(cursor: Cursor, programs: Script) -> None:
    hands = Hands(cursor)
    open_units(cursor, [shelf()])
    (job,) = hands.claim_programs()
    assert hands.begin(job)
    queue.give_back(cursor, [job])
    (again,) = hands.claim_programs()
    assert hands.begin(again)
    assert steps_of(cursor)["list", ""] == ("running", 1)


def test_a_job_that_is_not_the_steps_is_refused_quietly(cursor: Cursor, programs: Script) -> None:
    hands = Hands(cursor)
    open_units(cursor, [shelf()])
    stray = queue.enqueue(cursor, queue.NewJob(shelf().collection_id, "library_list", {"shelf": "A"}))
    jobs = {job.id: job for job in hands.claim_programs()}
    assert stray is not None
    assert not hands.begin(jobs[stray])
    cursor.execute("SELECT status::text, outcome FROM job_queue WHERE id = %(id)s", {"id": stray})
    assert cursor.fetchall() == [("completed", "excluded")]
    cursor.execute("SELECT reason FROM job_attempts WHERE job_id = %(id)s", {"id": stray})
    assert cursor.fetchall() == [("claim_refused",)]


def test_telling_a_step_twice_changes_nothing(cursor: Cursor, programs: Script) -> None:
    hands = Hands(cursor)
    open_units(cursor, [shelf(books=1)])

    (job,) = hands.claim_programs()
    hands.begin(job)
    hands.end(succeed(job))
    before = steps_of(cursor)
    assert settle(cursor, [job.id]) == 0
    assert unheard_jobs(cursor) == []
    assert steps_of(cursor) == before


def test_a_missed_call_is_found_by_the_sweep(cursor: Cursor, programs: Script) -> None:
    hands = Hands(cursor)
    open_units(cursor, [shelf(books=1)])
    (job,) = hands.claim_programs()
    hands.begin(job)
    hands.end(succeed(job), tell=False)
    assert steps_of(cursor)["list", ""] == ("running", 1)
    assert unheard_jobs(cursor) == [job.id]
    assert settle(cursor, [job.id]) == 1
    assert steps_of(cursor)["list", ""] == ("succeeded", 1)
