"""Steps, outcomes, ladder, fan-out and fan-in, with the statements that the worker uses."""

from __future__ import annotations

import pytest

from jobs.pipelines import (
    AlreadyOpen,
    ConfigurationGap,
    Excluded,
    Failed,
    Item,
    Misdeclared,
    PermanentlyFailed,
    Pipeline,
    Step,
    Succeeded,
    open_unit,
    open_units,
)
from synops.store.sql import Cursor
from tests.jobs.pipelines.making import (
    Book,
    Hands,
    Script,
    Shelf,
    make_all_due,
    shelf,
    state_of,
    steps_of,
    waiting,
)

pytestmark = pytest.mark.django_db


def test_a_unit_goes_from_the_list_over_each_book_to_one_sum(cursor: Cursor, inline: Script) -> None:
    hands = Hands(cursor)
    assert [unit.unit for unit in open_units(cursor, [shelf(books=3)])] == ["A"]
    assert hands.work() == 5
    assert steps_of(cursor) == {
        ("list", ""): ("succeeded", 1),
        ("read", "book 0"): ("succeeded", 1),
        ("read", "book 1"): ("succeeded", 1),
        ("read", "book 2"): ("succeeded", 1),
        ("sum", ""): ("succeeded", 1),
    }
    assert inline.sums == [("A", 1)]
    assert inline.ends == [("A", 1, "succeeded", "")]
    assert state_of(cursor) == ("succeeded", "")


def test_a_unit_that_has_a_run_is_not_selected_again(cursor: Cursor, inline: Script) -> None:
    Hands(cursor)
    assert len(open_units(cursor, [shelf("A"), shelf("A"), shelf("B")])) == 2
    assert open_units(cursor, [shelf("A"), shelf("B")]) == []
    assert len(waiting(cursor)) == 2


def test_a_failed_try_waits_on_the_ladder_and_the_fifth_is_the_last(cursor: Cursor, inline: Script) -> None:
    hands = Hands(cursor)
    inline.read = lambda _cursor, work: Failed("torn") if work.item == "book 0" else Succeeded()
    open_units(cursor, [shelf()])
    hands.work()
    for attempt, seconds in ((1, 30), (2, 120), (3, 300), (4, 900)):
        assert steps_of(cursor)["read", "book 0"] == ("failed", attempt)
        assert ("sum", "") not in steps_of(cursor)
        ((_, _, due_in),) = waiting(cursor)
        assert seconds * 0.9 <= due_in <= seconds * 1.1 + 1
        make_all_due(cursor)
        hands.work()
    assert steps_of(cursor)["read", "book 0"] == ("permanently_failed", 5)
    assert inline.sums == [("A", 1)], "the fan-in is tried when a step gives up, too"
    assert state_of(cursor) == ("succeeded", "")
    cursor.execute("SELECT outcome, attempts < max_attempts FROM job_queue WHERE status = 'error'")
    assert cursor.fetchall() == [("failed", True)], "the step's count ended it, not the queue's"


def test_an_exception_in_a_step_is_a_failed_try_and_takes_nobody_else_along(cursor: Cursor, inline: Script) -> None:
    hands = Hands(cursor)

    def read(cursor: Cursor, work: object) -> Succeeded:
        if getattr(work, "item", "") == "book 1":
            cursor.execute("SELECT 1/0")
        return Succeeded()

    inline.read = read
    open_units(cursor, [shelf(books=3)])
    hands.work()
    states = steps_of(cursor)
    assert states["read", "book 0"] == states["read", "book 2"] == ("succeeded", 1)
    assert states["read", "book 1"] == ("failed", 1)
    cursor.execute("SELECT error FROM pipeline_steps WHERE state = 'failed'")
    assert "division by zero" in cursor.fetchall()[0][0]


def test_no_evaluation_when_nothing_succeeded(cursor: Cursor, inline: Script) -> None:
    hands = Hands(cursor)
    inline.read = lambda *_: PermanentlyFailed("unreadable")
    open_units(cursor, [shelf()])
    hands.work()
    assert inline.sums == []
    assert state_of(cursor) == ("permanently_failed", "failed:read")
    assert inline.ends == [("A", 1, "permanently_failed", "failed:read")]


def test_an_empty_list_is_permanently_failed_with_its_reason(cursor: Cursor, inline: Script) -> None:
    hands = Hands(cursor)
    open_units(cursor, [shelf(books=0)])
    hands.work()
    assert inline.sums == []
    assert state_of(cursor) == ("permanently_failed", "none:read")


def test_an_excluded_unit_ends_without_error_or_counter(cursor: Cursor, inline: Script) -> None:
    hands = Hands(cursor)
    inline.catalogue = lambda *_: Excluded("withheld")
    open_units(cursor, [shelf()])
    hands.work()
    assert steps_of(cursor) == {("list", ""): ("excluded", 0)}
    assert state_of(cursor) == ("excluded", "excluded:list")
    assert open_units(cursor, [shelf()]) == [], "an excluded unit is not selected again"
    cursor.execute("SELECT status::text, outcome FROM job_queue WHERE job_type = 'library_list'")
    assert cursor.fetchall() == [("completed", "excluded")]


def test_a_gap_in_the_configuration_leaves_no_trace_and_the_unit_is_selected_again(
    cursor: Cursor, inline: Script
) -> None:
    hands = Hands(cursor)
    whole = inline.catalogue
    inline.catalogue = lambda *_: ConfigurationGap("nobody knows this scheme")
    open_units(cursor, [shelf()])
    hands.work()
    assert state_of(cursor) is None
    assert steps_of(cursor) == {}
    inline.catalogue = whole
    assert len(open_units(cursor, [shelf()])) == 1
    hands.work()
    assert state_of(cursor) == ("succeeded", "")


def test_a_gap_in_a_later_step_leaves_it_waiting_without_a_job(cursor: Cursor, inline: Script) -> None:
    hands = Hands(cursor)
    inline.sum = lambda *_: ConfigurationGap("no rules yet")
    open_units(cursor, [shelf()])
    hands.work()
    assert steps_of(cursor)["sum", ""] == ("pending", 0)
    assert waiting(cursor) == []
    assert state_of(cursor) == ("running", "")


def test_items_with_the_same_key_are_one_step(cursor: Cursor, inline: Script) -> None:
    hands = Hands(cursor)
    inline.catalogue = lambda *_: Succeeded(None, [Item("x", Book("A", "first")), Item("x", Book("A", "second"))])
    open_units(cursor, [shelf()])
    assert hands.work() == 3
    cursor.execute("SELECT payload->>'title' FROM pipeline_steps WHERE step = 'read'")
    assert cursor.fetchall() == [("first",)]


def test_a_run_by_hand_is_a_new_generation_with_a_new_counter(cursor: Cursor, inline: Script) -> None:
    hands = Hands(cursor)
    inline.catalogue = lambda *_: PermanentlyFailed("no")
    open_units(cursor, [shelf()])
    hands.work()
    inline.catalogue = lambda _cursor, work: Succeeded(None, [Item("only", Book("A", "only"))])
    assert open_unit(cursor, shelf()).generation == 2
    with pytest.raises(AlreadyOpen):
        open_unit(cursor, shelf())
    hands.work()
    assert inline.sums == [("A", 2)]
    assert state_of(cursor) == ("succeeded", "")
    assert open_unit(cursor, shelf()).generation == 3


def test_a_run_by_hand_supersedes_an_automatic_one(cursor: Cursor, inline: Script) -> None:
    hands = Hands(cursor)
    open_units(cursor, [shelf()])
    open_unit(cursor, shelf())
    assert steps_of(cursor, generation=1) == {("list", ""): ("superseded", 0)}
    hands.work()
    assert inline.sums == [("A", 2)]
    cursor.execute("SELECT outcome FROM job_queue WHERE status = 'error'")
    assert cursor.fetchall() == [("cancelled",)]


def test_a_bulk_run_begins_where_it_is_told_and_in_its_own_lane(cursor: Cursor, inline: Script) -> None:
    hands = Hands(cursor)
    open_unit(cursor, shelf(step="sum"), cause="bulk")
    ((_, job_type, _),) = waiting(cursor)
    assert job_type == "library_sum_bulk"
    hands.work()
    assert inline.sums == [("A", 1)]
    assert state_of(cursor) == ("succeeded", "")


# -- declarations ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("steps", "said"),
    [
        ([], "first step"),
        ([Step("a", "a", Shelf, follows="b")], "first step"),
        ([Step("a", "a", Shelf), Step("a", "b", Shelf, follows="a")], "two steps"),
        ([Step("a", "a", Shelf), Step("b", "b", Shelf)], "must follow an earlier step"),
        ([Step("a", "a", Shelf, shape="many")], "shape"),
        ([Step("a", "a", Shelf), Step("b", "b", Shelf, follows="a", shape="all")], "gather"),
        ([Step("a", "a", dict)], "dataclass"),
    ],
)
def test_a_pipeline_that_could_not_run_is_refused_when_it_is_declared(steps: list[Step[object]], said: str) -> None:
    with pytest.raises(Misdeclared, match=said):
        Pipeline("odd", "odd", steps)
