"""A run from its event to its end: order of steps, fallbacks, outcomes, values, work items."""

from __future__ import annotations

import pytest

from jobs import queue
from jobs.models import Job
from orchestration.events import consume
from orchestration.models import LogEntry, Run, WorkItem
from orchestration.runs import advance
from orchestration.steward import on_finished
from synops.graph.models import Edge, Node
from tests.jobs.arrange import django_cursor
from tests.orchestration.arrange import (
    DIGEST,
    SUMMARIZE_IT,
    UPDATE_FEED,
    begin,
    call,
    claim_one,
    compiled,
    edge_targets,
    end,
    finish,
    item,
    log_of,
    make_recipe,
    make_recording,
    note,
    open_items,
    run_next,
    settle_outbox,
    steps_of,
    transcribe,
)
from tests.people import make_node

pytestmark = pytest.mark.django_db


@pytest.fixture
def collection(collection):
    collection.metadata = {**collection.metadata, "traits": ["podcast"]}
    collection.save()
    return collection


PODCAST = compiled(
    [transcribe("large"), transcribe("medium"), transcribe()],
    [SUMMARIZE_IT],
    [UPDATE_FEED],
    conditions=[{"has_trait": "podcast"}, {"has_media": "audio"}],
    on_failure=[item("Pipeline feilet", "bug")],
)


def test_the_podcast_recipe_runs_step_by_step_with_the_events_values(collection):
    recipe, run, recording = begin(collection, PODCAST)
    first = run_next(result={"segments": 4})
    assert first.job_type == "whisper_transcribe"
    assert first.payload == {"cas_hash": DIGEST, "model": "large"}
    assert (first.run_id, first.chain, first.collection_id) == (run.pk, (recipe.pk,), collection.pk)
    assert run_next().payload == {"communication_id": str(recording.pk)}
    assert run_next().payload == {"collection_id": str(collection.pk)}
    run.refresh_from_db()
    assert (run.status, run.handled) == ("completed", False)
    assert [line[:2] for line in log_of(run)] == [
        ("synops-transcribe", "ok"),
        ("synops-summarize", "ok"),
        ("synops-rss", "ok"),
    ]
    line = run.log.first()
    assert line.argv == ["synops-transcribe", f"--cas-hash={DIGEST}", "--model=large"]
    assert (line.exit_code, line.result, line.job_id) == (0, {"segments": 4}, first.id)
    assert run.trigger == {
        "trigger_event": "communication.ended",
        "trigger_context": {"op": "UPDATE", "upstream_orchestration_id": None},
        "cascade_chain": [],
    }


def test_a_steps_fallbacks_are_tried_in_order_at_once_and_the_run_goes_on(collection):
    _, run, _ = begin(collection, PODCAST)
    run_next(outcome="failed", error="no large model", exit_code=78, permanent=True)
    run_next(outcome="failed", error="no medium model", exit_code=1)
    assert claim_and_succeed() == {"cas_hash": DIGEST}
    run_next("summarize_communication")
    run_next("rss")
    run.refresh_from_db()
    assert run.status == "completed"
    assert steps_of(run)[:3] == [
        (1, 0, "synops-transcribe", "failed"),
        (1, 1, "synops-transcribe", "failed"),
        (1, 2, "synops-transcribe", "succeeded"),
    ]
    assert open_items() == []
    assert [line.is_fallback for line in run.log.order_by("id")] == [False, True, True, False, False]


def claim_and_succeed() -> dict:
    return run_next().payload


def test_a_passing_failure_is_retried_before_the_fallback_and_an_ordinary_one_is_not(collection):
    _, run, _ = begin(collection, PODCAST)
    job = run_next(outcome="failed", exit_code=75, transient=True)
    assert Job.objects.get(pk=job.id).status == "retry"
    assert len(steps_of(run)) == 1
    Job.objects.filter(pk=job.id).update(scheduled_for="2020-01-01T00:00:00Z")
    run_next(outcome="failed", exit_code=1)
    assert [step[1] for step in steps_of(run)] == [0, 1]


def test_a_step_without_a_fallback_uses_its_retries_first(collection):
    _, run, _ = begin(collection, compiled([SUMMARIZE_IT]))
    job = run_next(outcome="failed", exit_code=1)
    assert Job.objects.get(pk=job.id).status == "retry"
    assert steps_of(run) == [(1, 0, "synops-summarize", "started")]


def fail_for_good(**fields) -> None:
    run_next(outcome="failed", permanent=True, **{"exit_code": 65, "error": "broken file", **fields})


def test_the_recipes_own_fallback_makes_its_work_item_and_the_run_ends_failed_but_handled(collection):
    recipe, run, recording = begin(collection, PODCAST)
    for _ in range(3):
        fail_for_good()
    run.refresh_from_db()
    assert (run.status, run.handled) == ("failed", True)
    [work] = open_items()
    assert work.title == "Pipeline feilet"
    assert edge_targets(work.pk, "belongs_to") == {collection.pk}
    assert edge_targets(work.pk, "source_material") == {recipe.pk, recording.pk}
    assert WorkItem.objects.with_tags().get(pk=work.pk).tag_names == ["bug"]
    assert log_of(run)[-1] == ("work_item", "ok", "")


def test_without_any_fallback_a_work_item_says_what_happened(collection):
    document = compiled([call("synops-transcribe", "whisper_transcribe", cas_hash="{event.cas_hash}", token="s3cret")])
    _, run, _ = begin(collection, document, "Transkriber alt")
    job = claim_one()
    with django_cursor() as cursor:
        line = "reading\npassword=hunter2 refused\nno such speaker\n"
        queue.append_log(cursor, [queue.LogText(job, 0, "head", line)])
    finish(job, "failed", permanent=True, exit_code=65, error="it is silent")
    run.refresh_from_db()
    assert (run.status, run.handled) == ("failed", False)
    [work] = open_items()
    assert "Transkriber alt" in work.title
    for part in ("step 1", "Exit code: 65", "it is silent", "no such speaker", "--cas-hash=" + DIGEST, str(run.pk)):
        assert part in work.content
    for secret in ("s3cret", "hunter2"):
        assert secret not in work.content
        assert secret not in str(run.log.values_list("argv", "error"))


def test_the_same_trouble_counts_up_one_open_item_and_a_closed_one_makes_room(collection):
    from orchestration import work_items

    recipe = make_recipe("Recipe", compiled([SUMMARIZE_IT]), collection)
    for number in range(2):
        end(make_recording(collection, f"Møte {number}"))
        consume()
        fail_for_good()
    [work] = open_items()
    assert (work.metadata["times"], len(edge_targets(work.pk, "source_material"))) == (2, 3)
    assert work_items.close(work.pk, note="done")
    assert not work_items.close(work.pk)
    end(make_recording(collection, "Møte 3"))
    consume()
    fail_for_good()
    [again] = open_items()
    assert again.pk != work.pk
    assert not work_items.reopen(work.pk), "its trouble has an open item already"
    assert Run.objects.filter(orchestration_id=recipe.pk, status="failed").count() == 3


def test_a_work_item_can_be_a_step_and_the_run_goes_on(collection):
    _, run, recording = begin(collection, compiled([item("Se over {event.title}", "sjekk")], [UPDATE_FEED]))
    [work] = open_items()
    assert work.title == "Se over Møte"
    run_next("rss")
    run.refresh_from_db()
    assert run.status == "completed"
    end_again(recording)
    consume()
    assert len(open_items()) == 2, "a step's own items are not counted as the same trouble"


def end_again(recording: Node) -> None:
    recording.metadata = {key: value for key, value in recording.metadata.items() if key != "ended_at"}
    recording.save()
    end(recording, "2026-05-18T12:00:00Z")


@pytest.mark.parametrize("outcome", ["excluded", "cancelled"])
def test_excluded_and_cancelled_end_the_run_as_such_and_start_no_fallback(collection, outcome):
    _, run, _ = begin(collection, PODCAST)
    if outcome == "excluded":
        run_next(outcome="excluded", exit_code=77)
    else:
        with django_cursor() as cursor:
            changed = queue.cancel(cursor, [run.steps.get().job_id])
        on_finished(changed)
    run.refresh_from_db()
    assert run.status == outcome
    assert len(steps_of(run)) == 1
    assert open_items() == []


def test_advancing_again_late_or_twice_changes_nothing(collection):
    _, run, _ = begin(collection, PODCAST)
    for _ in range(3):
        assert advance(run.pk)
    assert Job.objects.filter(run_id=run.pk).count() == 1
    run_next()
    advance(run.pk)
    assert Job.objects.filter(run_id=run.pk).count() == 2
    run_next()
    run_next()
    before = list(run.log.values())
    assert not advance(run.pk)
    assert list(run.log.values()) == before


def test_a_deleted_recipe_ends_its_run_after_the_current_step(collection):
    recipe, run, _ = begin(collection, PODCAST)
    Node.objects.filter(pk=recipe.pk)._raw_delete("default")
    run_next()
    run.refresh_from_db()
    assert (run.status, run.reason, run.orchestration_id) == ("cancelled", "recipe_gone", None)
    assert run.title == "Recipe"


def test_a_deleted_job_fails_the_step(collection):
    _, run, _ = begin(collection, compiled([SUMMARIZE_IT]))
    Job.objects.filter(run_id=run.pk)._raw_delete("default")
    advance(run.pk)
    run.refresh_from_db()
    assert (run.status, run.reason) == ("failed", "job_gone")


def test_a_deleted_collection_takes_its_runs_and_jobs_along(collection):
    _, run, _ = begin(collection, PODCAST)
    Node.objects.filter(pk=collection.pk)._raw_delete("default")
    assert not Run.objects.filter(pk=run.pk).exists()
    assert not advance(run.pk)


def test_a_run_keeps_the_recipe_it_started_with(collection):
    recipe, _, _ = begin(collection, compiled([note("old")], [note("old too")]))
    recipe.metadata = {**recipe.metadata, "compiled": compiled([note("new")], [note("new too")])}
    recipe.save()
    assert run_next().payload == {"text": "old"}
    assert run_next().payload == {"text": "old too"}


def test_priority_of_steps_is_the_rules_for_events(collection):
    begin(collection, PODCAST)
    assert Job.objects.get(job_type="whisper_transcribe").priority == 5


def test_a_recipe_about_new_nodes_does_not_react_to_its_own_work_items(collection):
    recipe = make_recipe("Nodes", compiled([item("Ny")], event="node.created"), collection)
    settle_outbox()
    make_node("content", "Sak", into=collection)
    while consume().events:
        pass
    assert Run.objects.filter(orchestration_id=recipe.pk).count() == 1
    assert len(open_items()) == 1
    [skipped] = recipe_log(recipe)
    assert skipped == ("cascade", "skipped", "cycle")


def recipe_log(recipe):
    lines = LogEntry.objects.filter(orchestration_id=recipe.pk, run=None)
    return [(line.tool_binary, line.status, line.reason) for line in lines]


def test_edges_of_gone_sources_are_left_out(collection):
    recipe, _, recording = begin(collection, compiled([SUMMARIZE_IT]))
    Edge.objects.filter(source=recording).delete()
    Node.objects.filter(pk=recording.pk)._raw_delete("default")
    fail_for_good()
    [work] = open_items()
    assert edge_targets(work.pk, "source_material") == {recipe.pk}
