"""Dry run, “why didn't it run?”, and what observing a node means: looking changes nothing."""

from __future__ import annotations

import pytest

from jobs.models import Job
from orchestration import observing, why
from orchestration.dry_run import preview_event, preview_node
from orchestration.events import consume
from orchestration.language import from_json
from orchestration.models import Orchestration, Run, RunStep, Tombstone
from synops.graph.models import Edge, GraphEvent, Node
from tests.orchestration.arrange import (
    DIGEST,
    call,
    compiled,
    end,
    item,
    make_recipe,
    make_recording,
    note,
    transcribe,
)
from tests.people import make_collection, make_node, make_user

pytestmark = pytest.mark.django_db


def last_event() -> int:
    return GraphEvent.objects.latest("id").pk


def test_a_dry_run_shows_every_command_and_executes_nothing(collection):
    document = compiled(
        [transcribe("large"), transcribe()],
        [note("{steps.1.made} {event.title}")],
        [note("{event.slot}")],
        [call("synops-gone", "gone", x="1")],
        on_failure=[item("Feil i {event.title}", "bug")],
    )
    recipe = make_recipe("R", document, collection)
    end(make_recording(collection))
    preview = preview_event(recipe.pk, from_json(document), last_event())
    assert preview is not None
    assert preview.answer is not None
    assert preview.answer.starts
    shown = [(step.step, step.alternative, list(step.command), step.unresolved) for step in preview.steps]
    assert shown[:3] == [
        (1, 0, ["synops-transcribe", f"--cas-hash={DIGEST}", "--model=large"], ()),
        (1, 1, ["synops-transcribe", f"--cas-hash={DIGEST}"], ()),
        (2, 0, ["synops-note", "--text={steps.1.made} Møte"], ("steps.1.made",)),
    ]
    assert [bool(step.problem) for step in preview.steps] == [False, False, False, True, True, False]
    assert preview.steps[-1].command == ("work_item", "Feil i Møte", "--tag=bug")
    assert not Run.objects.exists()
    assert not Job.objects.exists()
    assert not RunStep.objects.exists()


def test_a_dry_run_on_a_node_asks_the_conditions_too(collection):
    document = compiled([note("{input.word} {event.title}")], conditions=[{"has_trait": "video"}])
    preview = preview_node(from_json(document), make_recording(collection).pk, {"word": "hei"})
    assert preview.answer is not None
    assert [clause[0].value for clause in preview.answer.failing] == ["video"]
    assert preview.steps[0].command == ("synops-note", "--text=hei Møte")


def test_an_event_that_is_not_kept_has_no_preview(collection):
    assert preview_event(collection.pk, from_json(compiled([note("a")])), 1 << 40) is None
    assert why.explain(collection.pk, 1 << 40) is None


def test_every_refusal_is_counted_and_a_chosen_event_evaluated_with_the_graph_of_now(collection):
    document = compiled([transcribe()], conditions=[{"has_tag": "klar"}])
    recipe = make_recipe("R", document, collection)
    recording = make_recording(collection)
    end(recording)
    event = last_event()
    consume()
    [count] = why.counts(recipe.pk)
    assert (count.reason, count.times, count.last_event_id) == ("condition", 1, event)
    said = why.explain(recipe.pk, event)
    assert said is not None
    assert (said.run_id, said.answer.starts, said.answer.reason) == (None, False, "condition")
    assert [clause[0].value for clause in said.answer.failing] == ["klar"]
    Edge.objects.create(source=recording, target=make_node("tag", "klar"), edge_type="tagged")
    again = why.explain(recipe.pk, event)
    assert again is not None
    assert again.answer.starts


@pytest.mark.parametrize("case", ["other_event", "other_collection", "inactive", "cycle", "node_gone", "not_a_recipe"])
def test_reasons(collection, case):
    recipe = make_recipe("R", compiled([transcribe()]), collection)
    recording = make_recording(make_collection("Annen") if case == "other_collection" else collection)
    if case == "other_event":
        make_node("content", "Sak", into=collection)
    else:
        end(recording)
    event = last_event()
    if case == "inactive":
        recipe.metadata = {**recipe.metadata, "state": "draft"}
        recipe.save()
    if case == "cycle":
        GraphEvent.objects.filter(pk=event).update(chain=[recipe.pk])
    if case == "node_gone":
        Node.objects.filter(pk=recording.pk)._raw_delete("default")
    said = why.explain(recording.pk if case == "not_a_recipe" else recipe.pk, event)
    assert said is not None
    assert (said.answer.starts, said.answer.reason) == (False, case)


def test_an_event_that_started_the_recipe_names_its_run(collection):
    recipe = make_recipe("R", compiled([transcribe()]), collection)
    end(make_recording(collection))
    event = last_event()
    consume()
    said = why.explain(recipe.pk, event)
    assert said is not None
    assert said.run_id == Run.objects.get().pk


def starts_for(recipe: Node, recording: Node) -> bool:
    end(recording)
    event = last_event()
    recording.metadata = {}
    recording.save()
    said = why.explain(recipe.pk, event)
    assert said is not None
    return said.answer.starts


def test_observing_and_its_end(collection):
    recipe = make_recipe("R", compiled([transcribe()]), collection)
    here, there = make_recording(collection, "her"), make_recording(collection, "der")
    observing.observe(recipe.pk, here.pk)
    assert (starts_for(recipe, here), starts_for(recipe, there)) == (True, False)
    assert observing.stop_observing(recipe.pk, here.pk), "it was the last: a person is asked"
    assert (starts_for(recipe, here), starts_for(recipe, there)) == (False, False)
    observing.stop_observing(recipe.pk, here.pk, elsewhere=True)
    assert (starts_for(recipe, here), starts_for(recipe, there)) == (False, True)
    observing.forget(recipe.pk, here.pk)
    assert (starts_for(recipe, here), starts_for(recipe, there)) == (True, True)


def test_never_here_leaves_everywhere_else(collection):
    recipe = make_recipe("R", compiled([transcribe()]), collection)
    here, there = make_recording(collection, "her"), make_recording(collection, "der")
    observing.never_here(recipe.pk, here.pk)
    assert (starts_for(recipe, here), starts_for(recipe, there)) == (False, True)
    observing.observe(recipe.pk, here.pk)
    assert not Tombstone.objects.exists()
    assert (starts_for(recipe, here), starts_for(recipe, there)) == (True, False)


def test_recent_events_are_those_of_the_recipes_kind(collection):
    recipe = make_recipe("R", compiled([transcribe()]), collection)
    recipe.metadata = {**recipe.metadata, "trigger": {"event": "communication.ended"}}
    recipe.save()
    end(make_recording(collection))
    stored = Orchestration.objects.get(pk=recipe.pk)
    found = why.recent_events(stored, make_user("boss", superuser=True))
    assert [event.event for event in found] == ["communication.ended"]
    assert why.recent_events(stored, make_user("stranger")) == []
