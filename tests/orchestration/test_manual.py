"""Runs that a person starts: on a node or a collection, with inputs, within what they may see."""

from __future__ import annotations

import io
from uuid import uuid4

import pytest
from django.core.management import CommandError, call_command

from jobs.models import Job
from orchestration.language import from_json
from orchestration.manual import CannotRun, Wish, needed_inputs, start
from orchestration.models import Run
from tests.orchestration.arrange import (
    UPDATE_FEED,
    compiled,
    make_recipe,
    make_recording,
    note,
    run_next,
    steps_of,
    transcribe,
)
from tests.people import make_collection, make_node, make_user

pytestmark = pytest.mark.django_db


def test_a_recipe_runs_on_a_chosen_node_at_once_and_first_in_line(collection):
    recipe = make_recipe("R", compiled([transcribe()], conditions=[{"has_tag": "never"}]), collection)
    recording = make_recording(collection)
    user = make_user("boss", superuser=True)
    run = Run.objects.get(pk=start(Wish(recipe.pk, recording.pk, user=user)))
    assert run.trigger["trigger_event"] == "manual"
    assert (run.user, run.priority, run.collection_id, run.node_id) == (user, 10, collection.pk, recording.pk)
    assert Job.objects.get(run_id=run.pk).priority == 10


def test_without_a_node_the_collection_is_enough_when_the_recipe_needs_no_more(collection):
    recipe = make_recipe("R", compiled([UPDATE_FEED], event="manual"), collection)
    run = Run.objects.get(pk=start(Wish(recipe.pk)))
    assert run.steps.get().params == {"collection_id": str(collection.pk)}


def test_what_the_choice_lacks_is_said_before_anything_starts(collection):
    recipe = make_recipe("R", compiled([transcribe()]), collection)
    article = make_node("content", "Sak", into=collection)
    for wish in (Wish(recipe.pk), Wish(recipe.pk, article.pk)):
        with pytest.raises(CannotRun, match="cas_hash"):
            start(wish)
    assert not Run.objects.exists()


def test_inputs_are_asked_for_and_fill_their_places(collection):
    document = compiled([note("{input.hilsen} {input.navn}")], event="manual")
    recipe = make_recipe("R", document, collection)
    assert needed_inputs(from_json(document)) == ["hilsen", "navn"]
    with pytest.raises(CannotRun, match="navn"):
        start(Wish(recipe.pk, inputs={"hilsen": "hei"}))
    start(Wish(recipe.pk, inputs={"hilsen": "{event.title}", "navn": "--help"}))
    assert run_next().payload == {"text": "{event.title} --help"}


def test_a_person_starts_only_what_they_see_on_what_they_see(collection):
    user = make_user("kari")
    own = make_collection("Egen", user)
    recipe, hidden = (
        make_recipe("R", compiled([UPDATE_FEED]), own),
        make_recipe("H", compiled([UPDATE_FEED]), collection),
    )
    recording = make_recording(collection)
    for wish in (
        Wish(hidden.pk, user=user),
        Wish(recipe.pk, recording.pk, user=user),
        Wish(recipe.pk, collection_id=collection.pk, user=user),
        Wish(uuid4(), user=user),
        Wish(recording.pk),
    ):
        with pytest.raises(CannotRun):
            start(wish)
    assert start(Wish(recipe.pk, collection_id=own.pk, user=user))


def test_a_node_outside_any_collection_or_the_named_one_is_refused(collection):
    recipe = make_recipe("R", compiled([transcribe()]), collection)
    with pytest.raises(CannotRun):
        start(Wish(recipe.pk, make_recording(None).pk))
    with pytest.raises(CannotRun):
        start(Wish(recipe.pk, make_recording(collection).pk, make_collection("Annen").pk))


def test_a_recipe_that_does_not_compile_is_refused(collection):
    recipe = make_node("orchestration", "R", into=collection, metadata={"state": "draft"})
    with pytest.raises(CannotRun):
        start(Wish(recipe.pk))


def test_the_command_starts_a_run_and_prints_its_id(collection):
    recipe = make_recipe("Min oppskrift", compiled([note("{input.ord}")], event="manual"), collection)
    said = io.StringIO()
    call_command("run_orchestration", "Min oppskrift", "--input", "ord=a=b", stdout=said)
    run = Run.objects.get(pk=said.getvalue().strip())
    assert run.orchestration_id == recipe.pk
    assert run_next().payload == {"text": "a=b"}
    for arguments in (
        ["Min oppskrift"],
        ["finnes ikke"],
        [str(uuid4())],
        ["Min oppskrift", "--on", "finnes ikke"],
        ["Min oppskrift", "--collection", "finnes-ikke"],
        ["Min oppskrift", "--input", "tull"],
    ):
        with pytest.raises(CommandError):
            call_command("run_orchestration", *arguments, stdout=io.StringIO())


def test_the_command_says_when_nobody_works(collection):
    make_recipe("R", compiled([UPDATE_FEED], event="manual"), collection)
    with pytest.raises(CommandError, match="worker"):
        call_command("run_orchestration", "R", "--wait", "0.3", stdout=io.StringIO())


def test_a_rule_of_moves_steps_begin_with_the_first(collection):
    recipe = make_recipe("R", compiled([UPDATE_FEED], [note("b")], event="manual"), collection)
    run = Run.objects.get(pk=start(Wish(recipe.pk)))
    assert steps_of(run) == [(1, 0, "synops-rss", "started")]
