"""What the world does to a running recipe, and the sentence that a person reads of it (docs/running-recipes.md)."""

from __future__ import annotations

from pathlib import Path

import pytest
from django.db import connection, transaction

from jobs.queue import ClaimedJob, Ended
from jobs.tool_discovery import Tool
from jobs.worker.execution import prepare
from orchestration.events import consume
from orchestration.models import LogEntry, Run
from synops.graph.models import Edge, GraphEvent, Node
from synops.tools.describe import Description
from tests.orchestration.arrange import (
    SUMMARIZE,
    SUMMARIZE_IT,
    claim_one,
    compiled,
    end,
    finish,
    make_recipe,
    make_recording,
    note,
    open_items,
    run_next,
    settle_outbox,
    started,
    transcribe,
)
from tests.people import make_node

pytestmark = pytest.mark.django_db
STORM = 1_000


def worker_prepares(job: ClaimedJob) -> object:
    """What a worker asks right before it starts the program."""
    described = Description.from_json({"version": "1", "description": {}, "exit_codes": "sysexits", **SUMMARIZE})
    with transaction.atomic(), connection.cursor() as cursor:
        return prepare(cursor, Tool(Path("/usr/bin/synops-summarize"), described), job)


def test_a_node_deleted_in_mid_run_fails_the_step_that_names_it_and_says_which(collection):
    make = compiled([transcribe()], [SUMMARIZE_IT, note("{event.title}")])
    recipe, recording = make_recipe("R", make, collection), make_recording(collection, "Møtet")
    end(recording)
    run = started(recipe)
    first = claim_one("whisper_transcribe")
    Node.objects.filter(pk=recording.pk).delete()
    finish(first, result={"segments": 1})
    second = claim_one("summarize_communication")
    ended = worker_prepares(second)
    assert isinstance(ended, Ended)
    assert (ended.reason, ended.permanent) == ("outside_collection", True)
    finish(second, ended.outcome, error=ended.error, reason=ended.reason, permanent=True, exit_code=None)
    # What was read when the run began is still there: the fallback has its title.
    assert run_next("note").payload == {"text": "Møtet"}
    run.refresh_from_db()
    assert run.status == "completed"
    said = run.log.get(tool_binary="synops-summarize").error
    assert str(recording.pk) in said
    assert "does not lie in the job's collection" in said


def test_a_deleted_node_without_a_fallback_is_a_work_item_that_names_it(collection):
    recipe, recording = make_recipe("R", compiled([SUMMARIZE_IT]), collection), make_recording(collection)
    end(recording)
    started(recipe)
    job = claim_one("summarize_communication")
    Node.objects.filter(pk=recording.pk).delete()
    ended = worker_prepares(job)
    assert isinstance(ended, Ended)
    finish(job, "failed", error=ended.error, reason=ended.reason, permanent=True, exit_code=None)
    (found,) = open_items()
    assert str(recording.pk) in found.content


def test_a_tool_that_vanishes_between_two_steps_fails_the_second_with_its_name(collection):
    recipe = make_recipe("R", compiled([note("1")], [SUMMARIZE_IT]), collection)
    end(make_recording(collection))
    run = started(recipe)
    job = claim_one("note")
    Node.objects.filter(node_kind="cli_tool", title="synops-summarize").delete()
    finish(job)
    run.refresh_from_db()
    assert (run.status, run.reason) == ("failed", "tool_gone")
    (found,) = open_items()
    assert "synops-summarize" in found.content


def test_the_same_event_twice_is_two_events_and_a_value_that_stays_is_none(collection):
    recipe, recording = make_recipe("R", compiled([note("{event.title}")]), collection), make_recording(collection)
    end(recording)
    end(recording)  # the same value again: nothing has ended
    consume()
    assert Run.objects.filter(orchestration_id=recipe.pk).count() == 1
    with connection.cursor() as cursor:  # the same event, read again as if it had never been
        cursor.execute("UPDATE graph_events SET done_at = NULL WHERE event = 'communication.ended'")
    consume()
    assert Run.objects.filter(orchestration_id=recipe.pk).count() == 1


def test_an_edge_storm_starts_each_edge_once_and_feeds_on_nothing(collection):
    recipe = make_recipe("R", compiled([note("{event.edge_type} {event.target_id}")], event="edge.created"), collection)
    hub = make_node("content", "Sak", into=collection)
    settle_outbox()
    with connection.cursor() as cursor:
        cursor.execute(
            """WITH made AS (
                 INSERT INTO nodes (node_kind, title) SELECT 'topic', 'T' || n FROM generate_series(1, %s) n RETURNING id)
               INSERT INTO edges (source_id, target_id, edge_type) SELECT %s, id, 'discusses' FROM made""",
            [STORM, hub.pk],
        )
    while consume().events:
        pass
    assert not GraphEvent.objects.filter(done_at=None, event="edge.created").exists()
    runs = Run.objects.filter(orchestration_id=recipe.pk)
    assert runs.count() == STORM
    assert runs.values("event_id").distinct().count() == STORM


def test_edges_that_a_run_draws_do_not_start_its_recipe_again(collection):
    recipe = make_recipe("R", compiled([note("x")], event="edge.created"), collection)
    hub, topic = make_node("content", "Sak", into=collection), make_node("topic", "T")
    settle_outbox()
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("SELECT set_config('synops.chain', %s, true)", [f"{{{recipe.pk}}}"])
        Edge.objects.create(source=hub, target=topic, edge_type="discusses")
    consume()
    assert not Run.objects.filter(orchestration_id=recipe.pk).exists()
    assert LogEntry.objects.get(orchestration_id=recipe.pk).reason == "cycle"
