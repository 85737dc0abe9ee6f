from __future__ import annotations

import time
from email.utils import formatdate
from pathlib import Path

import pytest

from synops.llm.chat import complete
from synops.llm.failures import NotUsable, Unavailable
from synops.llm.usage import Usage
from tests.llm.asking import QUESTION, endpoint
from tests.llm.server import MODEL, Hang, Raw, Reply, Status, Text, model_server, stream

NOW = Status(429, "slow down", {"Retry-After": "0"})


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
