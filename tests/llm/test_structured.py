"""Answers as data: objects by a schema, and vectors."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from synops.llm.embeddings import embed
from synops.llm.failures import BadAnswer, NotUsable, Unavailable
from synops.llm.structured import ask, find_object
from synops.llm.usage import Usage
from tests.llm.asking import QUESTION, SCHEMA, endpoint
from tests.llm.server import Reply, Status, Text, model_server


@pytest.mark.parametrize(
    "answer",
    [
        '{"name": "Røst", "size": 3}',
        'Sure! Here it is:\n```json\n{"name": "Røst", "size": 3}\n```\nAnything else?',
        'The {form} is {"name": "Røst", "size": 3}',
    ],
)
def test_data_is_found_in_whatever_stands_around_it(answer: str, tmp_path: Path) -> None:
    with model_server(Text(answer)) as server:
        data = ask(endpoint(server, tmp_path), QUESTION, SCHEMA)
    assert (data.value, data.rounds) == ({"name": "Røst", "size": 3}, 1)
    assert server.requests[0]["response_format"]["json_schema"]["schema"] == SCHEMA


def test_the_model_is_told_what_is_wrong_and_asked_again(tmp_path: Path) -> None:
    wrong = [Text("It is Røst."), Text('{"name": 3, "extra": 1}'), Text('{"name": "Bodø"}'), Text('{"name": "Røst"}')]
    with model_server(*wrong) as server:
        check = lambda value: [] if value["name"] == "Røst" else ["name is not in the text"]  # noqa: E731
        data = ask(endpoint(server, tmp_path), QUESTION, SCHEMA, rounds=4, check=check)
    assert (data.value, data.rounds, data.usage.calls, data.usage.cost) == ({"name": "Røst"}, 4, 4, 0.01)
    told = [request["messages"][-1]["content"] for request in server.requests[1:]]
    assert "the answer holds no JSON object" in told[0]
    assert "name: 3 is not of type 'string'" in told[1]
    assert "'extra' was unexpected" in told[1]
    assert "name is not in the text" in told[2]


def test_prose_for_ever_is_a_bad_answer(tmp_path: Path) -> None:
    with model_server(Text("I think that it is Røst.", ended="length")) as server:
        with pytest.raises(BadAnswer) as caught:
            ask(endpoint(server, tmp_path), QUESTION, SCHEMA, rounds=2)
        assert len(server.requests) == 2
    assert str(caught.value) == (
        "test/model-1 gave no usable answer in 2 rounds: the answer holds no JSON object (it was cut off by the length "
        "limit). It said: I think that it is Røst."
    )


def test_a_server_without_schemas_is_asked_without(tmp_path: Path) -> None:
    def think(body: dict[str, Any]) -> Reply:
        return (
            Status(400, "response_format is not supported") if "response_format" in body else Text('{"name": "Røst"}')
        )

    with model_server(think=think) as server:
        assert ask(endpoint(server, tmp_path), QUESTION, SCHEMA).value == {"name": "Røst"}
        assert [("response_format" in request) for request in server.requests] == [True, False]


def test_hostile_nesting_is_no_object() -> None:
    for text in ("{" * 50_000, '{"a":' * 3_000, ""):
        with pytest.raises(ValueError, match="no JSON object"):
            find_object(text)


def test_vectors_keep_their_order_over_batches(tmp_path: Path) -> None:
    def think(body: dict[str, Any]) -> Reply:
        rows = [{"index": at, "embedding": [float(len(text)), 1]} for at, text in enumerate(body["input"])]
        return Status(200, json.dumps({"data": rows[::-1], "usage": {"prompt_tokens": 5}}))

    with model_server(think=think) as server:
        place = endpoint(server, tmp_path, embeddings_model="e5")
        found = embed(place, ["x" * length for length in range(100)])
        with pytest.raises(NotUsable, match="SYNOPS_EMBEDDINGS_MODEL"):
            embed(endpoint(server, tmp_path), ["x"])
    assert [vector[0] for vector in found.vectors] == list(range(100))
    assert found.usage == Usage(2, 10, 0, None)


@pytest.mark.parametrize("body", ["[]", '{"data": [{"index": 0}]}', '{"data": []}', "<html>"])
def test_an_answer_without_vectors(body: str, tmp_path: Path) -> None:
    with model_server(Status(200, body)) as server, pytest.raises(Unavailable):
        embed(endpoint(server, tmp_path, embeddings_model="e5", attempts=1), ["x"])
