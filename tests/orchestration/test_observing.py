"""Where a recipe looks: nodes that it observes, places that it was told to leave alone, and chains of its own events."""

from __future__ import annotations

import pytest
from django.db import connection, transaction

from orchestration.models import Considered, LogEntry, Run, Tombstone
from synops.graph.models import Edge, Node
from tests.orchestration.arrange import (
    compiled,
    consume_all,
    end,
    item,
    make_recipe,
    make_recording,
    runs_of,
    settle_outbox,
    transcribe,
)
from tests.people import make_node

pytestmark = pytest.mark.django_db


def test_observing_restricts_a_recipe_to_nodes_and_what_belongs_to_them(collection):
    recipe = make_recipe("R", compiled([transcribe()]), collection)
    watched, other = make_recording(collection, "A"), make_recording(collection, "B")
    inside = make_node("communication", "C", into=watched)
    Edge.objects.create(source=recipe, target=watched, edge_type="observes")
    for recording in (watched, other, inside):
        end(recording)
    consume_all()
    assert set(Run.objects.values_list("node_id", flat=True)) == {watched.pk, inside.pk}
    assert Considered.objects.get(orchestration_id=recipe.pk).reason == "not_observed"


def test_a_removed_observes_edge_means_never_here_and_never_widens_a_recipe(collection):
    recipe = make_recipe("R", compiled([transcribe()]), collection)
    watched, other = make_recording(collection, "A"), make_recording(collection, "B")
    edge = Edge.objects.create(source=recipe, target=watched, edge_type="observes")
    edge.delete()
    assert Tombstone.objects.filter(orchestration_id=recipe.pk, node_id=watched.pk).exists()
    end(watched)
    end(other)
    consume_all()
    assert runs_of(recipe) == 0
    recipe.metadata = {**recipe.metadata, "observe_elsewhere": True}
    recipe.save()
    end_again(watched)
    end_again(other)
    consume_all()
    assert set(Run.objects.values_list("node_id", flat=True)) == {other.pk}
    Edge.objects.create(source=recipe, target=watched, edge_type="observes")
    assert not Tombstone.objects.exists()
    end_again(watched)
    consume_all()
    assert runs_of(recipe) == 2


def end_again(recording: Node) -> None:
    recording.metadata = {}
    recording.save()
    end(recording)


def test_a_deleted_node_leaves_no_tombstone(collection):
    recipe = make_recipe("R", compiled([transcribe()]), collection)
    watched = make_recording(collection, "A")
    Edge.objects.create(source=recipe, target=watched, edge_type="observes")
    Node.objects.filter(pk=watched.pk)._raw_delete("default")
    assert not Tombstone.objects.exists()


def test_an_event_that_a_run_caused_does_not_start_the_same_recipe_again(collection):
    recipe = make_recipe(
        "R", compiled([item("x")], event="node.created", conditions=[{"node_kind": "content"}]), collection
    )
    settle_outbox()
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("SELECT set_config('synops.chain', %s, true)", ["{" + str(recipe.pk) + "}"])
        make_node("content", "Sak", into=collection)
    consume_all()
    assert runs_of(recipe) == 0
    line = LogEntry.objects.get(orchestration_id=recipe.pk)
    assert (line.tool_binary, line.status, line.reason) == ("cascade", "skipped", "cycle")


def test_a_chain_of_events_ends_at_the_depth_limit(collection, settings):
    settings.MAX_CASCADE_DEPTH = 3
    recipe = make_recipe(
        "R", compiled([item("x")], event="node.created", conditions=[{"node_kind": "content"}]), collection
    )
    settle_outbox()
    chain = "{" + ",".join(str(make_node("x").pk) for _ in range(3)) + "}"
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("SELECT set_config('synops.chain', %s, true)", [chain])
        make_node("content", "Sak", into=collection)
    consume_all()
    assert runs_of(recipe) == 0
    assert LogEntry.objects.get(orchestration_id=recipe.pk).reason == "depth"
