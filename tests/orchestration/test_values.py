"""What a step is given: values of the event, of earlier steps and of the error, hostile ones, missing ones, too large ones."""

from __future__ import annotations

import pytest

from synops.graph.models import Node
from tests.orchestration.arrange import (
    begin,
    call,
    compiled,
    end,
    make_recipe,
    make_recording,
    note,
    open_items,
    run_next,
    started,
)
from tests.people import make_collection, make_node

pytestmark = pytest.mark.django_db


@pytest.fixture
def collection(collection):
    collection.metadata = {**collection.metadata, "traits": ["podcast"]}
    collection.save()
    return collection


HOSTILE = ["--help", "$(id)", "`id`; rm -rf /", "{event.title} {run.id}", "'\"\\", "line\nbreak", "–\u202e‮", "%s %(x)s"]


def test_values_come_from_earlier_steps_the_error_and_the_run(collection):
    document = compiled(
        [note("hei {event.title}")],
        [note("{steps.1.nothing}"), note("{steps.1.word} etter {error.message} ({error.exit_code})")],
        [note("{{bokstavelig}} {run.id}")],
        [note("{steps.1.number}")],
    )
    _, run, _ = begin(collection, document)
    assert run_next(result={"word": "ord {event.title}", "number": 7}).payload == {"text": "hei Møte"}
    second = run.steps.get(step=2, alternative=0)
    assert (second.state, second.reason) == ("failed", "missing_value")
    assert run_next().payload == {"text": "ord {event.title} etter {steps.1.nothing} (–)"}
    assert run_next().payload == {"text": f"{{bokstavelig}} {run.pk}"}
    assert run_next().payload == {"text": "7"}, "a number fits a param of type text"


def test_a_missing_value_fails_the_step_before_anything_starts(collection):
    _, run, _ = begin(collection, compiled([note("{event.slot}"), note("reserve")]))
    step = run.steps.first()
    assert (step.state, step.reason, step.error, step.job_id) == ("failed", "missing_value", "{event.slot}", None)
    assert run_next().payload == {"text": "reserve"}


def test_a_tool_that_vanished_fails_the_step_and_says_so(collection):
    Node.objects.filter(title="synops-note").update(metadata={"name": "synops-note", "available": False})
    _, run, _ = begin(collection, compiled([note("hei")]))
    run.refresh_from_db()
    assert run.status == "failed"
    [work] = open_items()
    assert "not installed" in work.content


@pytest.mark.parametrize("text", HOSTILE)
def test_a_hostile_value_stays_one_value(collection, text):
    recipe = make_recipe("Recipe", compiled([note("{event.title}")]), collection)
    recording = make_recording(collection, text)
    end(recording)
    run = started(recipe)
    assert run_next().payload == {"text": text}
    assert run.log.get().argv == ["synops-note", f"--text={text}"]


def test_a_value_too_large_for_a_job_fails_the_step_with_a_sentence(collection):
    recipe = make_recipe("Recipe", compiled([note("{event.title}")]), collection)
    end(make_recording(collection, "ord " * 250_000))
    run = started(recipe)
    run.refresh_from_db()
    step = run.steps.get()
    assert (run.status, step.reason) == ("failed", "refused")
    assert "Put the file in the store" in step.error


def test_nul_and_lone_surrogates_of_a_result_reach_the_next_step_as_replacements(collection):
    _, run, _ = begin(collection, compiled([note("a")], [note("{steps.1.word}")]))
    run_next(result={"word": "a\x00b\ud800"})
    assert run_next().payload == {"text": "a�b�"}
    run.refresh_from_db()
    assert run.status == "completed"


def test_a_step_that_names_something_outside_the_collection_fails_before_anything_starts(collection):
    elsewhere = make_node("communication", "Hemmelig", into=make_collection("Annen"))
    leak = call("synops-summarize", "summarize_communication", communication_id=str(elsewhere.pk))
    _, run, _ = begin(collection, compiled([leak]))
    step = run.steps.get()
    assert (step.state, step.reason, step.job_id) == ("failed", "outside", None)
    assert str(elsewhere.pk) in step.error
