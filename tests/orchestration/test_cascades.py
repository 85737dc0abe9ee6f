"""Success follows `triggers` edges: chain, depth, cycles, what the next recipe knows, and what is logged."""

from __future__ import annotations

from itertools import pairwise

import pytest

from orchestration.events import consume
from orchestration.models import Run
from synops.graph.models import Edge, Node
from tests.orchestration.arrange import (
    DIGEST,
    call,
    compiled,
    end,
    item,
    log_of,
    make_recipe,
    make_recording,
    note,
    run_next,
    started,
    steps_of,
)
from tests.people import make_node

pytestmark = pytest.mark.django_db


def link(source: Node, target: Node) -> None:
    Edge.objects.create(source=source, target=target, edge_type="triggers")


def cascades(run: Run) -> list[tuple[str, str]]:
    return [(status, reason) for tool, status, reason in log_of(run) if tool == "cascade"]


def follower(collection, *steps, title="Neste", **fields) -> Node:
    return make_recipe(title, compiled(*(steps or ([item("x")],)), event="cascade", **fields), collection)


def test_success_starts_the_next_recipe_with_what_the_first_knew_and_made(collection):
    first = make_recipe("Først", compiled([note("a")], [note("b")]), collection)
    text = (
        "{event.communication_id} {event.cas_hash} {event.upstream_orchestration_id} "
        "{upstream.summary} {upstream.steps.1.summary} {input.last}"
    )
    second = follower(collection, [note(text)])
    link(first, second)
    recording = make_recording(collection)
    end(recording)
    upstream = started(first)
    run_next(result={"summary": "kort", "list": [1]})
    assert not Run.objects.filter(orchestration_id=second.pk).exists()
    run_next(result={"last": 2})
    run = Run.objects.get(orchestration_id=second.pk)
    assert run.trigger == {
        "trigger_event": "cascade",
        "trigger_context": {"op": "CASCADE", "upstream_orchestration_id": str(first.pk)},
        "cascade_chain": [str(first.pk)],
    }
    assert (run.upstream_run_id, run.chain, run.node_id) == (upstream.pk, [first.pk, second.pk], recording.pk)
    job = run_next()
    assert job.payload == {"text": f"{recording.pk} {DIGEST} {first.pk} kort kort 2"}
    assert job.chain == (first.pk, second.pk)
    assert cascades(upstream) == [("ok", "")]


def test_failure_starts_nothing(collection):
    first = make_recipe("Først", compiled([note("a")], on_failure=[item("x")]), collection)
    link(first, follower(collection))
    end(make_recording(collection))
    upstream = started(first)
    run_next(outcome="failed", permanent=True)
    assert Run.objects.count() == 1
    assert cascades(upstream) == []


def test_targets_that_cannot_start_are_logged_and_the_finished_run_stays_a_success(collection):
    first = make_recipe("Først", compiled([item("x")]), collection)
    draft = make_recipe("Utkast", compiled([item("x")], event="cascade"), collection, state="draft")
    article = make_node("content", "Sak", into=collection)
    picky = follower(collection, conditions=[{"has_trait": "video"}], title="Kresen")
    for target in (draft, article, picky):
        link(first, target)
    end(make_recording(collection))
    run = started(first)
    assert run.status == "completed"
    assert cascades(run) == [("skipped", "inactive"), ("skipped", "not_a_recipe"), ("skipped", "condition")]


def test_a_circle_ends_where_it_began(collection):
    recipes = [make_recipe("0", compiled([item("x")]), collection)]
    recipes += [follower(collection, title=str(n)) for n in (1, 2)]
    for source, target in zip(recipes, [*recipes[1:], recipes[0]], strict=True):
        link(source, target)
    end(make_recording(collection))
    consume()
    assert Run.objects.count() == 3
    last = Run.objects.get(orchestration_id=recipes[2].pk)
    assert cascades(last) == [("skipped", "cycle")]
    assert last.status == "completed"


def test_a_chain_is_at_most_as_long_as_the_setting(collection, settings):
    settings.MAX_CASCADE_DEPTH = 4
    recipes = [make_recipe("0", compiled([item("x")]), collection)]
    recipes += [follower(collection, title=str(n)) for n in range(1, 8)]
    for source, target in pairwise(recipes):
        link(source, target)
    end(make_recording(collection))
    consume()
    assert Run.objects.count() == 4
    last = Run.objects.get(orchestration_id=recipes[3].pk)
    assert len(last.chain) == 4
    assert cascades(last) == [("skipped", "depth")]


def test_one_recipe_can_trigger_several_and_their_failures_are_their_own(collection):
    first = make_recipe("Først", compiled([item("x")]), collection)
    bad, good = follower(collection, [note("{event.nope}")], title="a"), follower(collection, title="b")
    link(first, bad)
    link(first, good)
    end(make_recording(collection))
    consume()
    states = dict(Run.objects.values_list("orchestration_id", "status"))
    assert states == {first.pk: "completed", bad.pk: "failed", good.pk: "completed"}


def test_a_cascade_goes_on_when_the_node_is_gone(collection):
    first = make_recipe("Først", compiled([note("a")]), collection)
    second = follower(collection, [call("synops-rss", "rss", collection_id="{event.collection_id}")])
    link(first, second)
    recording = make_recording(collection)
    end(recording)
    started(first)
    Node.objects.filter(pk=recording.pk)._raw_delete("default")
    run_next()
    run = Run.objects.get(orchestration_id=second.pk)
    assert steps_of(run) == [(1, 0, "synops-rss", "started")]
