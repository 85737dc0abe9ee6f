"""The fan-in happens exactly once a generation, for any order of completions, crashes and reconciliations: a property."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from jobs import queue
from jobs.pipelines import open_units
from jobs.pipelines.reconciling import reconcile
from jobs.pipelines.settling import settle, unheard_jobs
from jobs.queue import ClaimedJob, Ended
from synops.store.sql import Cursor
from tests.jobs.arrange import fail, psycopg_cursor, succeed
from tests.jobs.pipelines.dying import mortally
from tests.jobs.pipelines.making import Hands, library, make_all_due, note_sum, shelf, state_of

pytestmark = pytest.mark.django_db

AGE = (
    "UPDATE pipeline_steps SET updated_at = updated_at - interval '2 hours'",
    "UPDATE pipeline_generations SET created_at = created_at - interval '2 hours'",
    "UPDATE job_queue SET created_at = created_at - interval '2 hours'",
)


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
