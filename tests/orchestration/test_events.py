"""The outbox consumer: which event starts which recipe, in which collection, once."""

from __future__ import annotations

import threading

import pytest
from django.db import connection, transaction

from orchestration import events
from orchestration.events import consume
from orchestration.models import Considered, Run
from synops.graph.models import Edge, GraphEvent, Node
from synops.store.identities import SYSTEM_COLLECTION_ID
from tests.orchestration.arrange import (
    compiled,
    consume_all,
    end,
    item,
    make_recipe,
    make_recording,
    note,
    runs_of,
    settle_outbox,
    started,
    transcribe,
)
from tests.people import make_collection, make_node

pytestmark = pytest.mark.django_db


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
