"""A crash at any statement of a run's life, in memory and of a real worker: the end is that of an undisturbed run."""

from __future__ import annotations

import os
import signal
from pathlib import Path
from typing import Any

import pytest
from django.db import connection, transaction

from jobs import queue
from jobs.models import Job
from jobs.preparing import preparing_cursor
from jobs.queue import Changed, ClaimedJob, Ended, Limits
from orchestration.events import consume
from orchestration.models import Run
from orchestration.steward import Round, Sweeper, on_finished
from synops.graph.models import GraphEvent, Node
from tests.deadline import wait_until
from tests.jobs.worker.conftest import start_worker, tools  # noqa: F401 (fixtures)
from tests.orchestration.arrange import (
    add_tools,
    claim_one,
    compiled,
    end,
    item,
    make_recipe,
    make_recording,
    note,
    open_items,
)
from tests.people import make_collection

FIVE_STEPS = compiled(
    [note("1")],
    [note("fail"), note("fallback")],
    [note("{steps.1.n}")],
    [item("Se på {event.title}", "sjekk")],
    [note("5")],
)


STRIDE = 1 if os.environ.get("LONG") else 7
"""LONG=1 crashes at every statement of the run, which takes minutes; otherwise at every seventh."""


EACH = 20
"""Statements that a worker gets through before it is killed: more than one transaction has, so that each gets on."""


class Crash(BaseException):
    """The process is gone: nothing catches it, and what it had not committed is lost."""


class CrashAt:
    """Lets a number of statements through and dies in place of the next. SAVEPOINT and RELEASE count: they stand for
    BEGIN and COMMIT, so that dying right before and right after a commit are among the cases."""

    def __init__(self, statements: int) -> None:
        self.left = statements
        self.fired = False

    def __call__(self, execute: Any, sql: str, params: Any, many: bool, context: Any) -> Any:
        if self.left == 0 and not self.fired:
            self.fired = True
            raise Crash
        self.left -= 1
        return execute(sql, params, many, context)


@pytest.fixture
def collection(db):
    add_tools()
    return make_collection("Podcast")


class Process:
    """Worker and steward in one, one transaction at a time; a crash loses the open one and what it had in memory."""

    def __init__(self) -> None:
        self.finished: list[Changed] = []
        """Finishes that have committed and that the listeners have not been told of."""

    def act(self) -> None:
        """The next thing that there is to do."""
        with transaction.atomic():
            if consume().events:
                return
            if self.finished:
                told, self.finished = self.finished, []
                on_finished(told)
            elif running := Job.objects.filter(status="running").first():
                self.finished = finish_as_wished(running)
            elif Job.objects.filter(status="pending").exists():
                claim_one()
            else:
                Sweeper().sweep(Round())


def finish_as_wished(row: Job) -> list[Changed]:
    """End a running job: the text "fail" fails, any other succeeds with a result made of it."""
    job = ClaimedJob(
        id=row.pk,
        collection_id=row.collection_node_id,
        job_type=row.job_type,
        payload=row.payload,
        lease=row.lease,
        worker_id=row.worker_id,
        attempt=row.attempts,
        max_attempts=row.max_attempts,
        run_id=row.run_id,
        chain=tuple(row.chain or ()),
        limits=Limits(600),
    )
    text = job.payload["text"]
    ended = Ended(job, "succeeded", result={"n": f"r{text}"}, exit_code=0)
    if text == "fail":
        ended = Ended(job, "failed", error="no", permanent=True, exit_code=65)
    with preparing_cursor() as cursor:
        return list(queue.finish(cursor, [ended]).changed)


def live_through(crash: CrashAt) -> None:
    """Work until nothing is left to do; a process that dies is followed by a new one."""
    process = Process()
    while unfinished():
        try:
            with connection.execute_wrapper(crash):
                process.act()
        except Crash:
            process = Process()


def unfinished() -> bool:
    return (
        GraphEvent.objects.filter(done_at=None).exists()
        or Run.objects.filter(status="running").exists()
        or Job.objects.filter(status__in=["pending", "retry", "running"]).exists()
    )


def story(recipe: Node) -> dict[str, Any]:
    """The recipe's one run without ids, times and counts."""
    run = Run.objects.get(orchestration_id=recipe.pk)
    steps = [(s.step, s.alternative, s.tool, s.params, s.state, s.reason, s.error) for s in run.steps.order_by("id")]
    lines = run.log.order_by("id")
    return {
        "status": run.status,
        "steps": steps,
        "results": [s.result for s in run.steps.order_by("id") if s.tool != "work_item"],
        "jobs": sorted((job.payload["text"], job.status) for job in Job.objects.filter(run_id=run.pk)),
        "log": [(line.tool_binary, line.status, line.argv, line.is_fallback, line.error) for line in lines],
        "items": [(work.title, work.metadata.get("times")) for work in open_items()],
    }


def test_a_crash_at_each_statement_changes_nothing_in_the_end(collection):
    expected = live_once(collection, CrashAt(100_000))
    assert expected["status"] == "completed"
    assert [line[:2] for line in expected["log"]] == [
        ("synops-note", "ok"),
        ("synops-note", "failed"),
        ("synops-note", "ok"),
        ("synops-note", "ok"),
        ("work_item", "ok"),
        ("synops-note", "ok"),
    ]
    statement, crash = 0, CrashAt(0)
    while statement == 0 or crash.fired:
        crash = CrashAt(statement)
        assert live_once(collection, crash) == expected, f"after a crash at statement {statement}"
        statement += STRIDE
    assert statement > 60, "far fewer statements than a run of five steps has"


def live_once(collection: Node, crash: CrashAt) -> dict[str, Any]:
    """One run of the five steps with a crash in it; everything is forgotten afterwards."""
    try:
        with transaction.atomic():
            recipe = make_recipe("Fem", FIVE_STEPS, collection)
            end(make_recording(collection))
            live_through(crash)
            raise Forget(story(recipe))
    except Forget as told:
        return told.story


class Forget(Exception):
    """Rolls back, and carries out what is worth knowing."""

    def __init__(self, story: dict[str, Any]) -> None:
        super().__init__("rolled back")
        self.story = story


FAULTY = str(Path(__file__).with_name("dying_worker.py"))
NOTE = """
text="${1#--text=}"
if [ "$text" = fail ]; then echo no >&2; exit 65; fi
echo "{\\"n\\": \\"r$text\\"}"
"""


@pytest.fixture
def five_steps(tools, transactional_db):  # noqa: F811
    """A way to begin the five steps in the database, with real programs: the recipe."""
    tools.add("note", NOTE, job_types=["note"], params=[{"name": "text", "type": "text"}], exit_codes="sysexits")
    add_tools()
    collection = make_collection("Podcast")

    def begin() -> Node:
        recipe = make_recipe("Fem", FIVE_STEPS, collection)
        end(make_recording(collection))
        return recipe

    return begin


def is_over(recipe: Node) -> bool:
    return Run.objects.filter(orchestration_id=recipe.pk).exclude(status="running").exists()


def kill_at(start_worker: Any, recipe: Node, statement: int) -> bool:  # noqa: F811
    """A worker that dies at that statement about runs, or lives until the run is over; whether it died."""
    worker = start_worker(program=(FAULTY, str(statement)))
    wait_until(lambda: worker.process.poll() is not None or is_over(recipe), "the worker is dead or the run over", 120)
    died = worker.process.poll() is not None
    assert not died or worker.process.returncode == -signal.SIGKILL, worker.output()
    worker.signal(signal.SIGKILL)
    worker.process.wait()
    return died


def forget(recipe: Node) -> None:
    """Leave nothing of a run that the next one could be mixed up with."""
    Job.objects.all().delete()
    Node.objects.filter(node_kind="work_item").delete()
    Node.objects.filter(pk=recipe.pk).delete()


def test_a_run_ends_as_ever_though_each_worker_is_killed_after_a_few_statements(start_worker, five_steps):  # noqa: F811
    """Five steps take some forty-five statements about runs, commits included; no worker gets further than EACH of them."""
    expected = undisturbed(five_steps())
    recipe, deaths = five_steps(), 0
    while not is_over(recipe):
        deaths += kill_at(start_worker, recipe, EACH)
    assert story(recipe) == expected
    assert deaths >= 2, "far fewer deaths than a run of five steps has room for"


@pytest.mark.long
def test_kill_9_at_each_statement_of_a_real_worker(start_worker, five_steps):  # noqa: F811
    expected = undisturbed(five_steps())
    statement, died = 0, True
    while died:
        statement += 1
        recipe = five_steps()
        died = kill_at(start_worker, recipe, statement)
        while not is_over(recipe):
            kill_at(start_worker, recipe, 100_000)
        assert story(recipe) == expected, f"after a death at statement {statement}"
        forget(recipe)
    assert statement > 30, "far fewer statements than a run of five steps has"


def undisturbed(recipe: Node) -> dict[str, Any]:
    """The story of a run that nothing happens to; its programs are only told of, and say what the real ones do."""
    live_through(CrashAt(100_000))
    told = story(recipe)
    assert told["status"] == "completed"
    forget(recipe)
    return told
