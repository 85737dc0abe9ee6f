"""Cancelling a run, and running it again whole or from the step that failed."""

from __future__ import annotations

import pytest

from jobs.models import Job
from orchestration.models import Run
from orchestration.reruns import CannotRerun, cancel, rerun, retry_from_failed
from synops.graph.models import Node
from tests.orchestration.arrange import (
    add_tools,
    claim_one,
    compiled,
    end,
    finish,
    log_of,
    make_recipe,
    make_recording,
    note,
    open_items,
    run_next,
    started,
    steps_of,
)
from tests.people import make_collection, make_user

pytestmark = pytest.mark.django_db

DOCUMENT = compiled([note("{event.title}")], [note("{steps.1.made}"), note("reserve")], [note("3")])


@pytest.fixture
def recipe():
    add_tools()
    return make_recipe("R", DOCUMENT, make_collection("Podcast"))


def begin(recipe: Node) -> Run:
    collection = Node.objects.get(node_kind="collection", title="Podcast")
    end(make_recording(collection))
    return started(recipe)


def fail_at_two(recipe: Node) -> Run:
    run = begin(recipe)
    run_next(result={"made": "fil"})
    for _ in range(2):
        run_next(outcome="failed", permanent=True, exit_code=65)
    run.refresh_from_db()
    assert run.status == "failed"
    return run


def test_cancelling_ends_a_waiting_job_and_the_run_at_once(recipe):
    run = begin(recipe)
    assert cancel(run.pk)
    run.refresh_from_db()
    assert (run.status, run.reason) == ("cancelled", "cancelled")
    assert Job.objects.get(run_id=run.pk).outcome == "cancelled"
    assert open_items() == []
    assert not cancel(run.pk)


def test_cancelling_asks_a_running_job_to_stop_and_even_its_success_starts_nothing_more(recipe):
    run = begin(recipe)
    job = claim_one()
    assert cancel(run.pk)
    assert Job.objects.get(pk=job.id).cancel_requested_at is not None
    assert Run.objects.get(pk=run.pk).status == "running"
    finish(job, "succeeded", result={"made": "fil"})
    run.refresh_from_db()
    assert run.status == "cancelled"
    assert Job.objects.filter(run_id=run.pk).count() == 1


def test_from_the_failed_step_keeps_what_had_succeeded(recipe):
    old = fail_at_two(recipe)
    user = make_user("kari")
    new = Run.objects.get(pk=retry_from_failed(old.pk, user=user))
    assert (new.rerun_of, new.user, new.priority) == (old.pk, user, 10)
    assert steps_of(new) == [(1, 0, "synops-note", "succeeded"), (2, 0, "synops-note", "started")]
    assert [step.copied for step in new.steps.order_by("id")] == [True, False]
    assert run_next().payload == {"text": "fil"}
    assert run_next().payload == {"text": "3"}
    new.refresh_from_db()
    assert new.status == "completed"
    assert [line[:2] for line in log_of(new)] == [("synops-note", "ok")] * 2
    assert steps_of(old)[0][3] == "succeeded", "the old run stays as it was"


def test_whole_starts_at_the_first_step_with_the_same_values(recipe):
    old = fail_at_two(recipe)
    new = Run.objects.get(pk=rerun(old.pk))
    assert steps_of(new) == [(1, 0, "synops-note", "started")]
    assert run_next().payload == {"text": "Møte"}


def test_a_new_text_is_used_unless_its_earlier_steps_changed_or_the_old_one_is_wanted(recipe):
    old = fail_at_two(recipe)
    changed = compiled(DOCUMENT["steps"][0]["alternatives"], [note("rettet {steps.1.made}")])
    recipe.metadata = {**recipe.metadata, "compiled": changed}
    recipe.save()
    retry_from_failed(old.pk)
    assert run_next().payload == {"text": "rettet fil"}
    recipe.metadata = {**recipe.metadata, "compiled": compiled([note("en annen")])}
    recipe.save()
    with pytest.raises(CannotRerun, match="changed"):
        retry_from_failed(old.pk)
    retry_from_failed(old.pk, new_text=False)
    assert run_next().payload == {"text": "fil"}


def test_what_can_not_be_rerun_says_why(recipe):
    run = begin(recipe)
    with pytest.raises(CannotRerun, match="unfinished"):
        rerun(run.pk)
    cancel(run.pk)
    recipe.metadata = {"state": "draft"}
    recipe.save()
    with pytest.raises(CannotRerun, match="does_not_compile"):
        rerun(run.pk)
    Node.objects.filter(pk=recipe.pk)._raw_delete("default")
    with pytest.raises(CannotRerun, match="recipe_gone"):
        rerun(run.pk)


def test_a_success_has_no_failed_step(recipe):
    run = begin(recipe)
    for text in ("a", "b", "c"):
        run_next(result={"made": text})
    with pytest.raises(CannotRerun, match="nothing_failed"):
        retry_from_failed(run.pk)
