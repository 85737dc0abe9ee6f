"""The steward in a real worker: --drain ends after the last step, and what nobody advanced is picked up."""

from __future__ import annotations

import pytest

from jobs import queue
from orchestration.events import consume
from orchestration.models import Run
from orchestration.steward import Round, Sweeper, advance_safely
from tests.jobs.arrange import django_cursor
from tests.jobs.worker.conftest import start_worker, tools  # noqa: F401 (fixtures)
from tests.orchestration.arrange import add_tools, compiled, end, make_recipe, make_recording, note, started, steps_of
from tests.people import make_collection

TAKES_TEXT = {"params": [{"name": "text", "type": "text"}]}


@pytest.mark.django_db(transaction=True)
def test_drain_ends_only_when_the_events_are_read_and_the_runs_are_over(start_worker, tools):  # noqa: F811
    """Each step exists only once its predecessor has ended: a drain that asks too early would leave the rest."""
    tools.add("note", "echo '{\"made\": 1}'", job_types=["note"], **TAKES_TEXT)
    add_tools()
    collection = make_collection("Podcast")
    recipe = make_recipe("R", compiled([note("1")], [note("2")], [note("3")]), collection)
    end(make_recording(collection))
    worker = start_worker("--drain")
    assert worker.ended(60) == 0, worker.output()
    run = Run.objects.get(orchestration_id=recipe.pk)
    assert run.status == "completed", worker.output()
    assert [step[3] for step in steps_of(run)] == ["succeeded"] * 3


@pytest.mark.django_db
def test_a_job_cancelled_past_the_worker_ends_its_run_at_the_next_sweep():
    add_tools()
    collection = make_collection("Podcast")
    recipe = make_recipe("R", compiled([note("1")]), collection)
    end(make_recording(collection))
    run = started(recipe)
    done = Round()
    Sweeper().sweep(done)
    assert (done.advanced, done.quiet) == (0, True), "a run with a live job is nobody's business"
    with django_cursor() as cursor:
        queue.cancel(cursor, [run.steps.get().job_id])
    Sweeper().sweep(done)
    run.refresh_from_db()
    assert (done.advanced, run.status) == (1, "cancelled")


@pytest.mark.django_db
def test_a_run_that_can_not_be_advanced_leaves_the_others_alone(caplog):
    add_tools()
    collection = make_collection("Podcast")
    recipe = make_recipe("R", compiled([note("1")]), collection)
    for recording in [make_recording(collection, title) for title in ("a", "b")]:
        end(recording)
    consume()
    started_runs = list(Run.objects.filter(orchestration_id=recipe.pk).order_by("id"))
    Run.objects.filter(pk=started_runs[0].pk).update(compiled={"schema": 99})
    with django_cursor() as cursor:
        queue.cancel(cursor, [run.steps.get().job_id for run in started_runs])
    assert advance_safely(started_runs[0].pk) is None
    sweeper = Sweeper()
    for _ in range(2):
        sweeper.sweep(Round())
    assert Run.objects.get(pk=started_runs[1].pk).status == "cancelled"
    assert caplog.text.count("could not be advanced") == 2, "it is not tried again at every sweep"
