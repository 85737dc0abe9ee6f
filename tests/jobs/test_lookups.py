"""Agent, model and voice that a payload leaves open come from the graph, the nearest first; what it says always wins."""

from __future__ import annotations

import pytest
from django.db import connection

from jobs import queue
from jobs.lookups import completed
from synops.tools.describe import Description, Param
from tests.jobs.arrange import add_worker, claim, new_job
from tests.people import make_collection, make_node

pytestmark = pytest.mark.django_db

RESPOND = Description(
    "synops-respond",
    "1",
    {},
    job_types=("agent_respond",),
    params=(Param("communication_id", "uuid"), Param("agent_id", "uuid"), Param("model", "string")),
)
TTS = Description(
    "synops-tts", "1", {}, job_types=("tts_generate",), params=(Param("node_id", "uuid"), Param("voice", "string"))
)
OTHER = Description("synops-other", "1", {}, job_types=("other",), params=(Param("node_id", "uuid"),))


def payload(description: Description, collection, **given):
    [job_type] = description.job_types
    with connection.cursor() as cursor:
        queue.enqueue(cursor, new_job(job_type, collection=collection.pk, payload=given))
        [job] = claim(cursor, add_worker(cursor), types=[job_type])
        return completed(cursor, description, job).payload


def collection_with(**metadata):
    collection = make_collection("Lyd")
    collection.metadata = metadata
    collection.save()
    return collection


def test_the_collections_agent_answers_with_its_own_model():
    collection = collection_with(models={"agent_respond": "felles"})
    agent = make_node("agent", "bot", into=collection, metadata={"model": "stor"})
    collection.metadata |= {"agents": {"default": str(agent.pk)}}
    collection.save()
    assert payload(RESPOND, collection) == {"agent_id": str(agent.pk), "model": "stor"}
    plain = make_node("agent", "uten modell", into=collection)
    assert payload(RESPOND, collection, agent_id=str(plain.pk)) == {"agent_id": str(plain.pk), "model": "felles"}
    assert payload(RESPOND, collection, agent_id=str(agent.pk), model="min") == {
        "agent_id": str(agent.pk),
        "model": "min",
    }


def test_an_agents_tier_decides_how_much_intelligence_it_gets():
    collection = collection_with()
    description = RESPOND._replace(params=(*RESPOND.params, Param("intelligence", "integer")))
    for tier, expected in ((3, 3), (7, None), (True, None), ("2", None), (None, None)):
        agent = make_node("agent", "bot", into=collection, metadata={"tier": tier})
        assert payload(description, collection, agent_id=str(agent.pk)).get("intelligence") == expected


def test_a_voice_is_the_nodes_else_the_types_else_the_collections():
    collection = collection_with(voice="neutral", voices={"tts_generate": "female"})
    with_voice, without = (make_node("content", "", into=collection, metadata=m) for m in ({"voice": "male"}, {}))
    assert payload(TTS, collection, node_id=str(with_voice.pk))["voice"] == "male"
    assert payload(TTS, collection, node_id=str(without.pk))["voice"] == "female"
    collection.metadata = {"voice": "neutral"}
    collection.save()
    assert payload(TTS, collection, node_id=str(without.pk))["voice"] == "neutral"


def test_the_model_that_wrote_a_node_is_not_the_model_to_use():
    collection = collection_with()
    written = make_node("content", "", into=collection, metadata={"model": "skrev denne"})
    description = RESPOND._replace(params=(*RESPOND.params, Param("node_id", "uuid")))
    assert payload(description, collection, node_id=str(written.pk)) == {"node_id": str(written.pk)}


def test_what_nobody_has_chosen_stays_open_and_wrong_values_count_as_nothing():
    collection = collection_with(voice=7, voices=["female"], agents="x", models={"agent_respond": {}})
    assert payload(TTS, collection, node_id="no id") == {"node_id": "no id"}
    assert payload(RESPOND, collection, agent_id=3) == {"agent_id": 3}


def test_a_tool_that_takes_no_choice_costs_no_query(django_assert_num_queries):
    collection = collection_with(voice="neutral")
    with connection.cursor() as cursor:
        queue.enqueue(cursor, new_job("other", collection=collection.pk, payload={"node_id": "x"}))
        [job] = claim(cursor, add_worker(cursor), types=["other"])
        with django_assert_num_queries(0):
            assert completed(cursor, OTHER, job) is job
