"""Answers as data: a model is asked for JSON by a schema, checked, told what is wrong, and asked again a few times.

A server may ignore `response_format` or not know it, and a model may write prose around its JSON, so the schema stands
in the messages too, and the object is looked for in whatever comes.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any, Final

from synops.llm.chat import Message, Reply, complete
from synops.llm.endpoint import DEFAULT_TIER, Endpoint
from synops.llm.failures import BadAnswer, NotUsable
from synops.llm.usage import Usage

ROUNDS: Final = 3
MOST_PROBLEMS: Final = 5
LONGEST_REPEAT: Final = 4000
# Every "{" is a place where the object may begin; a hostile answer has a million of them.
MOST_BEGINNINGS: Final = 50
NOT_UNDERSTOOD: Final = (400, 422)


@dataclass(frozen=True, slots=True)
class Data:
    """An answer that fits its schema, the model that gave it, how many rounds it took, and the cost of all of them."""

    value: Any
    model: str
    rounds: int
    usage: Usage


def ask(
    endpoint: Endpoint,
    messages: Sequence[Message],
    schema: Mapping[str, Any],
    *,
    name: str = "answer",
    tier: int = DEFAULT_TIER,
    model: str = "",
    rounds: int = ROUNDS,
    temperature: float = 0,
    check: Callable[[Any], Sequence[str]] | None = None,
    on_text: Callable[[str], None] | None = None,
    lane: str = "",
) -> Data:
    """The JSON object that the model answers with. `check` adds what a schema can't say, one sentence a problem.

    `rounds` is at least 1. Raises BadAnswer after as many wrong answers, and what `complete` raises.
    """
    talk = [*messages, {"role": "system", "content": _instruction(schema)}]
    options = {"tier": tier, "model": model, "temperature": temperature, "on_text": on_text, "lane": lane}
    speaker = _Speaker(endpoint, options, _response_format(name, schema))
    usage = Usage()
    for number in range(1, rounds + 1):
        reply = speaker.say(talk)
        usage += reply.usage
        value, problems = _read(reply, schema, check)
        if not problems:
            return Data(value, reply.model, number, usage)
        talk = [*talk, *_objection(reply.text, problems)]
    said = " ".join(reply.text.split())[:200]
    raise BadAnswer(f"{reply.model} gave no usable answer in {rounds} rounds: {problems[0]}. It said: {said}")


class _Speaker:
    """Asks with the schema as `response_format` until the server says that it knows no such thing."""

    def __init__(self, endpoint: Endpoint, options: dict[str, Any], response_format: Mapping[str, Any]) -> None:
        self.endpoint = endpoint
        self.options = options
        self.response_format: Mapping[str, Any] | None = response_format

    def say(self, talk: Sequence[Message]) -> Reply:
        try:
            return complete(self.endpoint, talk, response_format=self.response_format, **self.options)
        except NotUsable as refused:
            if self.response_format is None or refused.status not in NOT_UNDERSTOOD:
                raise
        self.response_format = None
        return complete(self.endpoint, talk, **self.options)


def find_object(text: str) -> Any:
    """The first JSON object in a text that may have words or a code fence around it. Raises ValueError."""
    decoder = json.JSONDecoder()
    for found in islice(re.finditer("{", text), MOST_BEGINNINGS):
        try:
            return decoder.raw_decode(text, found.start())[0]
        except (ValueError, RecursionError):
            continue
    raise ValueError("the answer holds no JSON object")


def _instruction(schema: Mapping[str, Any]) -> str:
    return (
        "Answer with one JSON object and nothing else: no explanation, no code fence. "
        f"It must fit this JSON Schema:\n{json.dumps(schema, ensure_ascii=False)}"
    )


def _response_format(name: str, schema: Mapping[str, Any]) -> Mapping[str, Any]:
    return {"type": "json_schema", "json_schema": {"name": name, "strict": True, "schema": schema}}


def _read(
    reply: Reply, schema: Mapping[str, Any], check: Callable[[Any], Sequence[str]] | None
) -> tuple[Any, list[str]]:
    """The object of an answer, and everything that is wrong with it."""
    from jsonschema import Draft202012Validator

    try:
        value = find_object(reply.text)
    except ValueError as error:
        return None, [f"{error}{' (it was cut off by the length limit)' if reply.cut else ''}"]
    found = sorted(Draft202012Validator(schema).iter_errors(value), key=lambda error: list(map(str, error.path)))
    problems = [f"{'.'.join(map(str, error.path)) or 'the object'}: {error.message[:200]}" for error in found]
    if not problems and check:
        problems = list(check(value))
    return value, problems[:MOST_PROBLEMS]


def _objection(text: str, problems: Sequence[str]) -> list[Message]:
    wrong = "\n".join(f"- {problem}" for problem in problems)
    return [
        {"role": "assistant", "content": text[:LONGEST_REPEAT]},
        {
            "role": "user",
            "content": f"That can't be used:\n{wrong}\nAnswer again with the corrected JSON object alone.",
        },
    ]
