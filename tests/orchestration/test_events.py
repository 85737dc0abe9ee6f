"""The outbox consumer: which event starts which recipe, in which collection, once."""

from __future__ import annotations

import threading

import pytest
from django.db import connection, transaction

from orchestration import events
from orchestration.events import consume
from orchestration.models import Considered, LogEntry, Run, Tombstone
from orchestration.steward import prune_events, raise_due
from synops.graph.models import Edge, GraphEvent, Node
from synops.store.identities import SYSTEM_COLLECTION_ID
from tests.orchestration.arrange import (
    add_tools,
    compiled,
    end,
    item,
    make_recipe,
    make_recording,
    note,
    settle_outbox,
    started,
    transcribe,
)
from tests.people import make_collection, make_node

pytestmark = pytest.mark.django_db


@pytest.fixture
def collection():
    add_tools()
    return make_collection("Podcast")


def runs_of(recipe: Node) -> int:
    return Run.objects.filter(orchestration_id=recipe.pk).count()


def consume_all() -> None:
    while consume().events:
        pass


def move_events_back(seconds: int) -> None:
    with connection.cursor() as cursor:
        cursor.execute("UPDATE graph_events SET created_at = created_at - make_interval(secs => %s)", [seconds])


def test_an_event_starts_a_recipe_once_however_often_it_is_read(collection):
    recipe = make_recipe("R", compiled([transcribe()]), collection)
    end(make_recording(collection))
    consume()
    GraphEvent.objects.update(done_at=None)
    consume()
    assert runs_of(recipe) == 1


def test_only_active_recipes_of_the_events_collections_start(collection):
    other = make_collection("Annen")
    document = compiled([transcribe()])
    here = make_recipe("here", document, collection)
    both = make_recipe("both", document, collection, other)
    everywhere = make_recipe("everywhere", document)
    elsewhere = make_recipe("elsewhere", document, other)
    draft = make_recipe("draft", document, collection, state="draft")
    wrong_event = make_recipe("wrong", compiled([transcribe()], event="node.published"), collection)
    end(make_recording(collection))
    consume()
    assert [runs_of(r) for r in (here, both, everywhere, elsewhere, draft, wrong_event)] == [1, 1, 1, 0, 0, 0]
    assert set(Run.objects.values_list("collection_id", flat=True)) == {collection.pk}


def test_a_node_in_two_collections_starts_a_recipe_of_both_once(collection):
    other = make_collection("Annen")
    recipe = make_recipe("R", compiled([transcribe()]), collection, other)
    recording = make_recording(collection)
    Edge.objects.create(source=recording, target=other, edge_type="belongs_to")
    end(recording)
    consume()
    assert runs_of(recipe) == 1


def test_a_node_is_in_the_collection_of_what_it_belongs_to(collection):
    recipe = make_recipe("R", compiled([item("x")], event="node.created"), collection)
    recording = make_recording(collection)
    make_node("content", "Notat", into=recording)
    consume()
    assert Run.objects.get(orchestration_id=recipe.pk).collection_id == collection.pk


@pytest.mark.parametrize(
    ("conditions", "starts"),
    [
        ([], True),
        ([{"has_trait": "podcast"}], True),
        ([{"has_trait": "PODCAST"}], True),
        ([{"has_trait": "video"}], False),
        ([{"has_media": "audio"}], True),
        ([{"has_media": "image"}], False),
        ([{"has_tag": "haster"}], True),
        ([{"has_tag": "rolig"}], False),
        ([{"node_kind": "communication"}], True),
        ([{"node_kind": "content"}], False),
        ([{"not": {"has_tag": "rolig"}}], True),
        ([{"not": {"has_tag": "haster"}}], False),
        ([{"has_trait": "podcast"}, {"has_tag": "rolig"}], False),
        ([{"any": [{"has_tag": "rolig"}, {"has_media": "audio"}]}], True),
        ([{"any": [{"has_tag": "rolig"}, {"not": {"has_media": "audio"}}]}], False),
        ([{"something_else": "x"}], False),
        ([{"not": {"something_else": "x"}}], False),
    ],
)
def test_conditions(collection, conditions, starts):
    collection.metadata = {**collection.metadata, "traits": ["podcast"]}
    collection.save()
    recipe = make_recipe("R", compiled([transcribe()], conditions=conditions), collection)
    recording = make_recording(collection)
    Edge.objects.create(source=recording, target=make_node("tag", "Haster"), edge_type="tagged")
    end(recording)
    consume()
    assert runs_of(recipe) == int(starts)
    refused = Considered.objects.filter(orchestration_id=recipe.pk).values_list("reason", "times")
    assert list(refused) == ([] if starts else [("condition", 1)])


def test_two_consumers_share_the_work_and_start_nothing_twice(collection):
    recipe = make_recipe("R", compiled([transcribe()]), collection)
    end(make_recording(collection))
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(events.LOCK)
        # The lock is this session's own, so a second consumer needs a session of its own: see the next test.
        assert cursor.fetchone() == (True,)
    consume()
    assert runs_of(recipe) == 1


@pytest.mark.django_db(transaction=True)
def test_many_consumers_at_once_start_each_event_once(collection):
    recipe = make_recipe("R", compiled([item("x")]), collection)
    with transaction.atomic():
        for number in range(60):
            end(make_node("communication", f"M{number}", into=collection))
    failures = []

    def work() -> None:
        try:
            done = 0
            while GraphEvent.objects.filter(done_at=None, event="communication.ended").exists() and done < 1000:
                consume(limit=7)
                done += 1
        except Exception as error:  # noqa: BLE001 (shown by the test itself)
            failures.append(error)
        finally:
            connection.close()

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures
    assert runs_of(recipe) == 60
    assert Run.objects.values("event_id").distinct().count() == 60


def test_a_new_node_without_a_collection_waits_a_moment_and_is_read_again(collection):
    recipe = make_recipe(
        "R", compiled([item("x")], event="node.created", conditions=[{"node_kind": "content"}]), collection
    )
    settle_outbox()
    node = make_node("content", "Sak")
    assert consume().events == 0
    Edge.objects.create(source=node, target=collection, edge_type="belongs_to")
    consume_all()
    assert runs_of(recipe) == 1


def test_a_node_that_stays_without_a_collection_is_read_in_the_end(collection):
    everywhere = make_recipe("R", compiled([item("x")], event="node.created", conditions=[{"node_kind": "content"}]))
    settle_outbox()
    make_node("content", "Sak")
    assert consume().events == 0
    move_events_back(6)
    assert consume().events == 1
    assert Run.objects.get(orchestration_id=everywhere.pk).collection_id == SYSTEM_COLLECTION_ID


def test_an_event_whose_node_is_gone_is_done_and_starts_nothing(collection):
    recipe = make_recipe("R", compiled([transcribe()]), collection)
    recording = make_recording(collection)
    end(recording)
    Node.objects.filter(pk=recording.pk)._raw_delete("default")
    assert consume().events == 1
    assert runs_of(recipe) == 0
    assert not GraphEvent.objects.filter(done_at=None).exists()


def test_publishing_starts_recipes_of_the_collection_published_in_only(collection):
    other = make_collection("Annen")
    document = compiled([note("{event.slot} {event.title}")], event="node.published")
    here, there = make_recipe("here", document, collection), make_recipe("there", document, other)
    article = make_node("content", "Sak", into=other)
    settle_outbox()
    Edge.objects.create(source=article, target=collection, edge_type="belongs_to", metadata={"slot": "forside"})
    consume()
    assert (runs_of(here), runs_of(there)) == (1, 0)
    step = Run.objects.get(orchestration_id=here.pk).steps.get()
    assert step.params == {"text": "forside Sak"}


def test_an_edge_event_gives_both_ends_and_its_type(collection):
    document = compiled([note("{event.edge_type} {event.source_id} {event.target_id}")], event="edge.created")
    recipe = make_recipe("R", document, collection)
    article, topic = make_node("content", "Sak", into=collection), make_node("topic", "Havn", into=collection)
    settle_outbox()
    Edge.objects.create(source=article, target=topic, edge_type="about")
    assert started(recipe).steps.get().params == {"text": f"about {article.pk} {topic.pk}"}


def test_a_planned_time_starts_recipes_once_per_value(collection):
    recipe = make_recipe("R", compiled([note("{event.scheduled_for}")], event="scheduled.due"), collection)
    node = make_node("content", "Sak", into=collection, metadata={"scheduled_for": "2026-05-17T08:00"})
    make_node("content", "Senere", into=collection, metadata={"scheduled_for": "2999-01-01"})
    for value in ("ikke en tid", 17, None, "2026-99-99T99:99"):
        make_node("content", "Rot", into=collection, metadata={"scheduled_for": value})
    assert [raise_due(), raise_due()] == [1, 0]
    consume_all()
    assert runs_of(recipe) == 1
    node.metadata = {"scheduled_for": "2026-05-18T08:00:00+02:00"}
    node.save()
    assert raise_due() == 1
    consume_all()
    assert runs_of(recipe) == 2


@pytest.mark.parametrize(
    ("value", "utc"),
    [
        ("2026-07-01T08:00", "2026-07-01 06:00"),
        ("2026-01-01 08:00:00", "2026-01-01 07:00"),
        ("2026-07-01", "2026-06-30 22:00"),
        ("2026-07-01T08:00:00Z", "2026-07-01 08:00"),
        ("2026-07-01T08:00:00+05:00", "2026-07-01 03:00"),
        ("2026-07-01T08:00:00.123-0500", "2026-07-01 13:00"),
        ("tull", None),
        ("", None),
    ],
)
def test_a_time_without_an_offset_is_local(value, utc):
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT to_char(planned_time(%s, 'Europe/Oslo') AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI')", [value]
        )
        assert cursor.fetchone() == (utc,)


def test_a_clock_recipe_is_not_started_by_planned_nodes(collection):
    document = compiled([item("x")], event="scheduled.due")
    document["trigger"]["schedule"] = {"cron": "0 8 * * 1", "timezone": "Europe/Oslo"}
    recipe = make_recipe("R", document, collection)
    make_node("content", "Sak", into=collection, metadata={"scheduled_for": "2026-05-17T08:00"})
    raise_due()
    consume_all()
    assert runs_of(recipe) == 0


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


def test_an_event_that_fails_alone_is_set_aside_and_the_others_go_on(collection, caplog):
    good = make_recipe("good", compiled([transcribe()]), collection)
    bad = make_recipe("bad", compiled([transcribe()]), collection)
    end(make_recording(collection, "A"))
    with connection.cursor() as cursor:
        # A version that does not fit its column is what hand-written metadata may hold.
        cursor.execute("UPDATE nodes SET metadata = metadata || '{\"version\": 99999999999}' WHERE id = %s", [bad.pk])
    consume()
    assert not GraphEvent.objects.filter(done_at=None, event="communication.ended").exists()
    assert "is set aside" in caplog.text
    Node.objects.filter(pk=bad.pk)._raw_delete("default")
    end(make_recording(collection, "B"))
    consume()
    assert runs_of(good) == 1


def test_ten_thousand_events_at_once(collection):
    recipe = make_recipe("R", compiled([note("{event.title}")]), collection)
    with connection.cursor() as cursor:
        cursor.execute(
            """WITH made AS (
                 INSERT INTO nodes (node_kind, title, metadata)
                 SELECT 'communication', 'M' || n, '{"ended_at": "2026-05-17"}' FROM generate_series(1, 10000) n
                 RETURNING id)
               INSERT INTO edges (source_id, target_id, edge_type) SELECT id, %s, 'belongs_to' FROM made""",
            [collection.pk],
        )
        cursor.execute("UPDATE graph_events SET done_at = now() WHERE event <> 'communication.ended'")
    batches = 0
    while consume().events:
        batches += 1
    assert batches == 20
    assert runs_of(recipe) == 10_000
    with connection.cursor() as cursor:
        cursor.execute("SELECT count(*), count(DISTINCT payload ->> 'text') FROM job_queue WHERE job_type = 'note'")
        assert cursor.fetchone() == (10_000, 10_000)


def test_handled_events_are_forgotten_after_a_week_but_planned_times_are_remembered(collection):
    node = make_node("content", "Sak", into=collection, metadata={"scheduled_for": "2026-05-17T08:00"})
    raise_due()
    consume_all()
    with connection.cursor() as cursor:
        cursor.execute("UPDATE graph_events SET done_at = now() - interval '8 days'")
    prune_events()
    assert [event.event for event in GraphEvent.objects.all()] == ["scheduled.due"]
    assert raise_due() == 0
    Node.objects.filter(pk=node.pk)._raw_delete("default")
    prune_events()
    assert not GraphEvent.objects.exists()
