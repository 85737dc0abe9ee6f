from __future__ import annotations

import json
from typing import Any
from uuid import UUID, uuid4

import pytest
from django.db import connection

from synops.store.nodes import Node, insert_node
from synops.tools.failures import BadInput
from synops.tools.prompt_sets import read_prompt_set
from synops.tools.similarity import contains, exact, rouge_l
from tests.llm.server import Reply, Status, Text, model_server
from tests.tools.conftest import Workshop

SET = {
    "prompts": {"kort": "Svar med ett ord: {input}", "lang": "Forklar: {input}"},
    "cases": [
        {"name": "hovedstad", "input": "Hva er hovedstaden i Norge?", "expected": "Oslo", "contains": ["oslo"]},
        {"input": "Hva er 2 + 2?", "expected": "4"},
    ],
}


def stored(content: Any) -> UUID:
    with connection.cursor() as cur:
        insert_node(cur, Node(key := uuid4(), "content", "Testsett", json.dumps(content)))
    return key


def test_prompts_by_models(database_workshop: Workshop) -> None:
    def think(body: dict[str, Any]) -> Reply:
        text = body["messages"][0]["content"]
        if body["model"] == "b" and "hovedstaden" in text:
            return Status(400, "too hard")
        right = "Oslo" if "hovedstaden" in text else "4"
        return Text(right if text.startswith("Svar") else f"Det er {right}, tror jeg.")

    with model_server(think=think) as server:
        flags = (f"--node-id={stored(SET)}", "--models=a,b,extractive,a")
        result = database_workshop.run("synops-prompt-eval", *flags, **server.environ).result
    rows = {(row["model"], row["prompt"]): row for row in result["rows"]}
    assert len(rows) == 6
    best = rows["a", "kort"]
    assert (best["exact"], best["contains"], best["rouge_l"], best["valid_json"], best["cases"]) == (1, 1, 1, None, 2)
    assert best["cosine"] == pytest.approx(1, abs=1e-3)
    assert best["usage"]["calls"] == 2
    assert rows["a", "lang"]["exact"] == 0 < rows["a", "lang"]["rouge_l"] < 1
    assert rows["b", "kort"]["exact"] == 0.5
    assert result["best"] == {"model": "a", "prompt": "kort", "score": best["score"]}
    assert [one["error"][-8:] for one in result["answers"] if "error" in one] == ["too hard", "too hard"]
    assert result["table"].splitlines()[2].startswith("| a | kort | 2 | – | 1.0 | 1.0 | 1.0 |")
    assert result["usage"]["calls"] == 6


def test_answers_as_json_and_without_a_server(database_workshop: Workshop) -> None:
    schema = {"type": "object", "required": ["by"]}
    key = stored({"prompts": {"p": "{input}"}, "schema": schema, "cases": [{"input": "x"}, {"input": "y"}]})
    with model_server(Text('{"by": "Oslo"}'), Text("Oslo")) as server:
        result = database_workshop.run("synops-prompt-eval", f"--node-id={key}", **server.environ).result
        assert server.requests[0]["response_format"]["json_schema"]["schema"] == schema
    assert result["rows"][0]["valid_json"] == result["rows"][0]["score"] == 0.5
    alone = database_workshop.run("synops-prompt-eval", f"--node-id={key}").result
    assert (alone["engine"], alone["rows"][0]["valid_json"]) == ("extractive", 0)
    refused = database_workshop.run("synops-prompt-eval", f"--node-id={key}", "--models=gpt")
    assert (refused.code, "model gpt needs a server" in refused.stderr) == (78, True)
    with model_server(Status(401)) as server:
        assert database_workshop.run("synops-prompt-eval", f"--node-id={key}", **server.environ).code == 78
    assert database_workshop.run("synops-prompt-eval", f"--node-id={uuid4()}").code == 66


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "is no JSON"),
        ("[" * 100_000, "is no JSON"),
        ("[]", "is not of type 'object'"),
        ('{"prompts": {"p": "{input}"}, "cases": []}', "cases: "),
        ('{"prompts": {"p": "no place"}, "cases": [{"input": "x"}]}', 'prompt "p" lacks {input}'),
        ('{"prompts": {"p": "{input}"}, "cases": [{"inputt": "x"}]}', "inputt"),
    ],
)
def test_what_is_no_test_set(text: str, said: str) -> None:
    with pytest.raises(BadInput) as caught:
        read_prompt_set(text)
    assert said in str(caught.value)


def test_measures() -> None:
    assert exact(" OSLO\n", "oslo")
    assert contains("Oslo er fin", ["oslo", "bergen"]) == 0.5
    assert contains("", []) == 1
    assert rouge_l("police killed the gunman", "police kill the gunman") == 0.75
    assert (rouge_l("", ""), rouge_l("", "x"), rouge_l("a b", "a b")) == (1, 0, 1)
