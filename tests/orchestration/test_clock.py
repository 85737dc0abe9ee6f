"""Recipes that start by the clock: their schedule comes and goes with them, and a tick starts a run once."""

from __future__ import annotations

from datetime import UTC, datetime
from uuid import uuid4

import psycopg
import pytest
from django.db import connection, transaction

from jobs.live.address import direct_conninfo
from jobs.models import Job, Schedule
from jobs.queue import ClaimedJob, Limits, claim_inline
from jobs.registries import registries
from jobs.schedules import run_by_hand
from jobs.worker.inline import run_batch
from orchestration import clock, recipes, upkeep
from orchestration.models import Considered, Orchestration, Run
from orchestration.recipes import CannotActivate, Draft, activate, deactivate, save
from orchestration.reruns import rerun
from orchestration.steward import on_finished
from synops.graph.models import Edge, Node
from synops.store.identities import SYSTEM_COLLECTION_ID
from synops.tools.rss import DESCRIPTION as RSS
from tests.jobs.arrange import add_worker
from tests.orchestration.arrange import steps_of
from tests.orchestration.drafting.conftest import put_tool
from tests.people import make_collection, make_user

TEXT = "NÅR hver mandag kl. 8\n\n1. oppdater rss-feed\n"
MONDAY = datetime(2026, 5, 18, 6, tzinfo=UTC)


@pytest.fixture
def collection(db):
    put_tool(RSS.to_json())
    return make_collection("Podcast")


@pytest.fixture
def recipe(collection):
    saved = save(Draft(text=TEXT, title="Ukefeed", collections=[collection.pk]))
    activate(saved.id)
    return Orchestration.objects.get(pk=saved.id)


def schedule_of(recipe) -> Schedule | None:
    return Schedule.objects.filter(owner=f"recipe:{recipe.pk}").first()


def tick(recipe, at: datetime = MONDAY, collection=None, cursor=None):
    """What the worker's inline lane does with the job of a tick."""
    home = collection.pk if collection else Edge.objects.get(source=recipe, edge_type="belongs_to").target_id
    job = ClaimedJob(
        uuid4(),
        home,
        "recipe_tick",
        {"recipe": str(recipe.pk), "tick": at.isoformat()},
        1,
        uuid4(),
        1,
        3,
        None,
        (),
        Limits(60),
    )
    if cursor is not None:
        return clock.tick(cursor, job)
    with transaction.atomic(), connection.cursor() as own:
        return clock.tick(own, job)


def test_activating_makes_a_schedule_and_deactivating_removes_it(recipe, collection):
    schedule = schedule_of(recipe)
    assert schedule
    assert (schedule.cron, schedule.timezone, schedule.job_type) == ("0 8 * * 1", "Europe/Oslo", "recipe_tick")
    assert (schedule.collection_node_id, schedule.priority, schedule.description) == (collection.pk, 1, "Ukefeed")
    deactivate(recipe.pk)
    assert schedule_of(recipe) is None


def test_another_text_is_another_time_and_a_draft_has_none(recipe):
    save(Draft(text=TEXT.replace("mandag kl. 8", "fredag kl. 15:30")), recipe_id=recipe.pk)
    schedule = schedule_of(recipe)
    assert schedule
    assert schedule.cron == "30 15 * * 5"
    save(Draft(text="NÅR jeg trykker Kjør\n\n1. oppdater rss-feed\n"), recipe_id=recipe.pk)
    assert schedule_of(recipe) is None
    save(Draft(text=TEXT), recipe_id=recipe.pk)
    assert schedule_of(recipe), "still active"
    save(Draft(text=TEXT + "# x\n"), recipe_id=recipe.pk, user=make_user("Per"))
    assert schedule_of(recipe) is None, "a person who may not activate leaves a draft"


def test_a_recipe_that_breaks_loses_its_schedule_and_gets_it_back_with_the_tool(recipe):
    tools = Node.objects.filter(node_kind="cli_tool", title="synops-rss")
    tools.update(metadata={**RSS.to_json(), "available": False})
    upkeep.recompile_all()
    assert schedule_of(recipe) is None
    put_tool(RSS.to_json())
    upkeep.recompile_all()
    assert schedule_of(recipe)


def test_a_tick_starts_a_run_once_however_often_it_is_told(recipe, collection):
    first = tick(recipe)
    run = Run.objects.get(pk=first["run_id"])
    assert steps_of(run) == [(1, 0, "synops-rss", "started")]
    assert run.trigger["trigger_event"] == "scheduled.due"
    assert run.variables["event"] == {"collection_id": str(collection.pk), "scheduled_for": MONDAY.isoformat()}
    assert Job.objects.get(run_id=run.pk).priority == 1
    assert tick(recipe) == {"skipped": "already_started"}
    assert "run_id" in tick(recipe, MONDAY.replace(day=25))
    assert Run.objects.count() == 2


def test_a_clock_run_is_run_again_without_its_tick(recipe):
    old = Run.objects.get(pk=tick(recipe)["run_id"])
    Run.objects.filter(pk=old.pk).update(status="failed", finished_at=MONDAY)
    assert Run.objects.get(pk=rerun(old.pk)).tick_at is None


def test_conditions_are_asked_of_the_collection_and_a_refusal_is_counted(collection):
    saved = save(Draft(text=TEXT.replace("\n\n", "\nHVIS samling har podcast\n\n"), collections=[collection.pk]))
    activate(saved.id)
    recipe = Orchestration.objects.get(pk=saved.id)
    assert tick(recipe) == {"skipped": "condition"}
    assert [(row.reason, row.times) for row in Considered.objects.filter(orchestration=recipe)] == [("condition", 1)]
    collection.metadata = {**collection.metadata, "traits": ["podcast"]}
    collection.save()
    assert "run_id" in tick(recipe)


def test_a_tick_of_another_collection_starts_nothing(recipe):
    assert tick(recipe, collection=make_collection("Annen")) == {"skipped": "other_collection"}


def test_a_tick_of_a_recipe_that_is_gone_or_switched_off_removes_the_schedule(recipe, collection):
    Node.objects.filter(pk=recipe.pk).update(metadata={**recipe.metadata, "state": "draft"})
    assert tick(recipe) == {"skipped": "inactive"}
    assert schedule_of(recipe) is None
    activate(recipe.pk)
    Node.objects.filter(pk=recipe.pk).delete()
    assert tick(recipe, collection=collection) == {"skipped": "not_a_recipe"}
    assert schedule_of(recipe) is None


def test_it_works_in_one_collection_or_for_a_superuser_in_none(collection):
    saved = save(Draft(text=TEXT, collections=[collection.pk, make_collection("Annen").pk]))
    with pytest.raises(CannotActivate, match=r"one collection|én samling"):
        activate(saved.id)
    save(Draft(text=TEXT, collections=[]), recipe_id=saved.id)
    recipes.activate(saved.id, user=make_user("Sjef", superuser=True))
    schedule = schedule_of(Orchestration.objects.get(pk=saved.id))
    assert schedule
    assert schedule.collection_node_id == SYSTEM_COLLECTION_ID


@pytest.mark.parametrize(
    "payload",
    [None, {}, {"recipe": "x", "tick": "y"}, {"recipe": str(uuid4()), "tick": "2026-05-18T06:00"}, {"recipe": 1}],
)
def test_a_payload_that_is_no_tick_is_named(payload):
    assert registries.inline["recipe_tick"].validate(payload)


@pytest.mark.django_db(transaction=True)
def test_the_workers_own_cursor_starts_the_run_in_the_transaction_that_ends_the_job():
    put_tool(RSS.to_json())
    saved = save(Draft(text=TEXT, collections=[make_collection("Podcast").pk]))
    activate(saved.id)
    with transaction.atomic(), connection.cursor() as cursor:
        job_id = run_by_hand(cursor, f"recipe:{saved.id}")
    with psycopg.connect(direct_conninfo()) as own, own.cursor() as cursor:
        claimed = claim_inline(cursor, worker_id=add_worker(cursor), types=["recipe_tick"])
        assert [job.id for job in claimed] == [job_id]
        changed = run_batch(cursor, claimed, registries.inline)
        assert not Run.objects.exists(), "nothing is seen before the commit"
    on_finished(changed)
    run = Run.objects.get(orchestration_id=saved.id)
    assert Job.objects.get(pk=job_id).result == {"run_id": str(run.pk)}
    assert steps_of(run) == [(1, 0, "synops-rss", "started")]
