from __future__ import annotations

import dataclasses
import json
import os
import signal
import subprocess
import sys
import threading
import time
from email.utils import formatdate
from pathlib import Path
from typing import Any

import pytest

from synops.llm.chat import complete
from synops.llm.embeddings import embed
from synops.llm.endpoint import Endpoint, endpoint_of
from synops.llm.failures import BadAnswer, NotUsable, Unavailable
from synops.llm.slots import PIPELINE, slot
from synops.llm.structured import ask, find_object
from synops.llm.usage import Usage
from tests.deadline import wait_until
from tests.llm.server import MODEL, Hang, ModelServer, Raw, Reply, Status, Text, model_server, stream

QUESTION = [{"role": "user", "content": "Hva heter øya?"}]
SCHEMA = {
    "type": "object",
    "properties": {"name": {"type": "string"}, "size": {"type": "integer"}},
    "required": ["name"],
    "additionalProperties": False,
}
NOW = Status(429, "slow down", {"Retry-After": "0"})


def endpoint(server: ModelServer, folder: Path, **changes: Any) -> Endpoint:
    found = endpoint_of(server.environ | {"SYNOPS_VAR": str(folder)})
    assert found
    return dataclasses.replace(found, **{"backoff_seconds": 0.01, **changes})


def test_the_text_comes_in_pieces_and_its_cost_with_it(tmp_path: Path) -> None:
    grown: list[str] = []
    with model_server(Text("Øya heter Røst, og den er fin.")) as server:
        reply = complete(endpoint(server, tmp_path), QUESTION, on_text=grown.append)
    assert (reply.text, reply.model, reply.cut) == ("Øya heter Røst, og den er fin.", MODEL, False)
    assert reply.usage == Usage(1, 11, 7, 0.0025)
    assert grown[-1] == reply.text
    assert len(grown) > 3
    [asked] = server.requests
    assert asked["messages"] == QUESTION
    assert asked["stream"] is True
    assert server.headers[0]["Authorization"] == "Bearer sk-very-secret"


@pytest.mark.parametrize(
    ("reply", "text"),
    [
        (Text("Røst", whole=True), "Røst"),
        (
            Raw(b': a comment\r\n\r\ndata: {"choices":[{"delta":{"content":"R\xc3\xb8st"},"finish_reason":"stop"}]}'),
            "Røst",
        ),
        (stream({"choices": [{"delta": {"content": "R"}}]}, {"choices": [{"finish_reason": "length"}]}), "R"),
    ],
)
def test_other_forms_of_the_same_answer(reply: Reply, text: str, tmp_path: Path) -> None:
    with model_server(reply) as server:
        found = complete(endpoint(server, tmp_path), QUESTION)
    assert found.text == text
    assert found.cut == (text == "R")


@pytest.mark.parametrize(
    "first",
    [
        NOW,
        Status(503),
        Status(500, "x" * 100_000),
        Status(429, headers={"Retry-After": formatdate(time.time() - 5)}),
        Raw(b"<html>Bad gateway</html>"),
        Raw(b"data: {no json\n\n"),
        Raw(b""),
        stream({"choices": [{"delta": {"content": "half an ans"}}]}, done=False),
        stream({"error": {"code": 502, "message": "the provider is gone"}}),
        stream({"choices": [{"delta": {"content": ""}, "finish_reason": "stop"}]}),
        stream([1, 2]),
    ],
)
def test_what_may_pass_is_tried_again(first: Reply, tmp_path: Path) -> None:
    with model_server(first, Text("Røst")) as server:
        assert complete(endpoint(server, tmp_path), QUESTION).text == "Røst"
        assert len(server.requests) == 2


def test_in_the_end_the_last_failure_is_told(tmp_path: Path) -> None:
    with model_server(Status(503, "Overloaded\nsorry")) as server:
        with pytest.raises(Unavailable) as caught:
            complete(endpoint(server, tmp_path, attempts=3), QUESTION)
        assert str(caught.value) == f"{server.url[7:-3]} answered 503 Service Unavailable: Overloaded sorry (tried 3×)"
        assert len(server.requests) == 3


def test_a_pause_longer_than_the_time_left_is_not_waited_for(tmp_path: Path) -> None:
    with (
        model_server(Status(429, headers={"Retry-After": "3600"})) as server,
        pytest.raises(Unavailable) as caught,
    ):
        complete(endpoint(server, tmp_path), QUESTION)
    assert caught.value.retry_after == 3600
    assert len(server.requests) == 1


@pytest.mark.parametrize(
    ("status", "advice"),
    [
        (400, ""),
        (401, "Check SYNOPS_LLM_API_KEY."),
        (402, "credit"),
        (403, "KEY"),
        (404, "the model's name"),
        (301, ""),
    ],
)
def test_a_refusal_is_final_and_keeps_the_key_secret(status: int, advice: str, tmp_path: Path) -> None:
    body = "Incorrect API key provided: sk-very-secret. " + "x" * 295
    with model_server(Status(status, body, {"Location": "http://127.0.0.1:9/"})) as server:
        with pytest.raises(NotUsable) as caught:
            complete(endpoint(server, tmp_path), QUESTION)
        assert len(server.requests) == 1
    assert "provided: ***." in str(caught.value)
    assert "very-secret" not in str(caught.value)
    assert advice in str(caught.value)


@pytest.mark.parametrize(
    ("reply", "changes", "said"),
    [
        (Hang(), {"read_seconds": 0.2}, "did not answer within 0.2 s"),
        (Raw(b": still thinking\n\n", drip=0.05), {"total_seconds": 0.4}, "was not done within 0.4 s"),
        (Raw(b"data: " + b"x" * 1_000_000, drip=0.0001), {}, "more than 32 MB"),
    ],
)
def test_a_server_that_hangs_drips_or_floods(
    reply: Reply, changes: dict[str, float], said: str, tmp_path: Path
) -> None:
    with model_server(reply) as server, pytest.raises(Unavailable, match=said):
        complete(endpoint(server, tmp_path, attempts=1, **changes), QUESTION)


def test_no_server_at_all(tmp_path: Path) -> None:
    with model_server(Hang()) as server:
        gone = endpoint(server, tmp_path, attempts=2)
    with pytest.raises(Unavailable, match=r"can't be reached.*\(tried 2×\)"):
        complete(gone, QUESTION)


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


def test_all_calls_of_a_machine_share_its_slots(tmp_path: Path) -> None:
    with model_server(Raw(b": wait\n\n", drip=0.01)) as server:
        place = endpoint(server, tmp_path, max_concurrent=2, total_seconds=0.3, attempts=1)

        def call() -> None:
            with pytest.raises(Unavailable):
                complete(place, QUESTION)

        threads = [threading.Thread(target=call) for _ in range(5)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert len(server.requests) == 5
        assert server.busiest == 2


def test_pipelines_leave_slots_for_the_others(tmp_path: Path) -> None:
    with model_server(Text("x")) as server:
        place = endpoint(server, tmp_path, max_concurrent=2, pipeline_max_concurrent=1)
    got = threading.Event()

    def second() -> None:
        with slot(place, PIPELINE):
            got.set()

    with slot(place, PIPELINE):
        thread = threading.Thread(target=second)
        thread.start()
        with slot(place) as waited:
            assert waited < 30
            assert not got.wait(0.3)
    thread.join(60)
    assert got.is_set()


def test_death_frees_a_slot(tmp_path: Path) -> None:
    with model_server(Text("x")) as server:
        place = endpoint(server, tmp_path, max_concurrent=1)
    environ = {**os.environ, **server.environ, "SYNOPS_VAR": str(tmp_path), "SYNOPS_LLM_MAX_CONCURRENT": "1"}
    holder = (
        "import os, time; from synops.llm.endpoint import endpoint_of; from synops.llm.slots import slot\n"
        "with slot(endpoint_of(os.environ)): print('held', flush=True); time.sleep(600)"
    )
    process = subprocess.Popen([sys.executable, "-c", holder], env=environ, stdout=subprocess.PIPE)
    assert process.stdout
    assert process.stdout.readline() == b"held\n"
    got: list[float] = []

    def take() -> None:
        with slot(place) as waited:
            got.append(waited)

    thread = threading.Thread(target=take)
    thread.start()
    wait_until(thread.is_alive, "the thread waits")
    assert not got
    process.send_signal(signal.SIGKILL)
    process.wait()
    process.stdout.close()
    thread.join(60)
    assert got


def test_settings(tmp_path: Path) -> None:
    base = {"SYNOPS_LLM_BASE_URL": "https://openrouter.ai/api/v1/", "SYNOPS_VAR": str(tmp_path)}
    assert endpoint_of({}) is None
    bare = endpoint_of(base)
    assert bare
    assert (bare.base_url, bare.server, bare.max_concurrent) == ("https://openrouter.ai/api/v1", "openrouter.ai", 4)
    with pytest.raises(NotUsable, match="SYNOPS_LLM_MODEL names no model"):
        bare.model()
    tiers = endpoint_of(base | {"SYNOPS_LLM_MODEL": "m", "SYNOPS_LLM_MODEL_SMALL": "s"})
    assert tiers
    assert [tiers.model(tier) for tier in (1, 2, 3)] == ["s", "m", "m"]


@pytest.mark.parametrize(
    "wrong",
    [
        {"SYNOPS_LLM_BASE_URL": "openrouter.ai"},
        {"SYNOPS_LLM_BASE_URL": "file:///etc/passwd"},
        {"SYNOPS_LLM_BASE_URL": "http://[::1"},
        {"SYNOPS_LLM_BASE_URL": "http://x:99999/v1"},
        {"SYNOPS_LLM_MAX_CONCURRENT": "0"},
        {"SYNOPS_LLM_MAX_CONCURRENT": "many"},
        {"SYNOPS_LLM_TIMEOUT_SECONDS": "-1"},
        {"SYNOPS_LLM_READ_TIMEOUT_SECONDS": "nan"},
    ],
)
def test_wrong_settings_are_named(wrong: dict[str, str]) -> None:
    with pytest.raises(NotUsable, match=next(iter(wrong))):
        endpoint_of({"SYNOPS_LLM_BASE_URL": "http://127.0.0.1/v1", **wrong})


def test_slots_that_can_not_be_made(tmp_path: Path) -> None:
    (tmp_path / "llm-slots").write_text("a file")
    with model_server(Text("x")) as server, pytest.raises(NotUsable, match="Check SYNOPS_VAR"):
        complete(endpoint(server, tmp_path), QUESTION)
