"""Test sets of prompts: a node's content as JSON, read strictly: a misspelt key would measure nothing, and nobody would know."""

from __future__ import annotations

import json
from typing import Any, Final, NamedTuple

from synops.tools.failures import BadInput
from synops.tools.subject import bounded

MOST_CASES: Final = 500
SCHEMA: Final = {
    "type": "object",
    "properties": {
        "prompts": {
            "type": "object",
            "minProperties": 1,
            "additionalProperties": {"type": "string", "minLength": 1},
        },
        "schema": {"type": "object"},
        "cases": {
            "type": "array",
            "minItems": 1,
            "maxItems": MOST_CASES,
            "items": {
                "type": "object",
                "properties": {
                    "name": {"type": "string"},
                    "input": {"type": "string"},
                    "expected": {"type": "string"},
                    "contains": {"type": "array", "items": {"type": "string"}},
                },
                "required": ["input"],
                "additionalProperties": False,
            },
        },
    },
    "required": ["prompts", "cases"],
    "additionalProperties": False,
}


class Case(NamedTuple):
    """One input and what is wanted of the answer."""

    name: str
    input: str
    expected: str | None
    contains: tuple[str, ...]


class PromptSet(NamedTuple):
    """Prompts by name, each with {input} where the case's text goes; with `schema` answers are to be JSON."""

    prompts: dict[str, str]
    schema: dict[str, Any] | None
    cases: tuple[Case, ...]


def read_prompt_set(text: str) -> PromptSet:
    """Raises BadInput with everything that is wrong."""
    from jsonschema import Draft202012Validator

    try:
        document = json.loads(bounded(text, "the test set"))
    except (ValueError, RecursionError) as error:
        raise BadInput(f"the test set is no JSON: {error}") from error
    wrong = [
        f"{error.json_path}: {error.message[:200]}" for error in Draft202012Validator(SCHEMA).iter_errors(document)
    ]
    if not wrong:
        wrong = [
            f'prompt "{name}" lacks {{input}}' for name, text in document["prompts"].items() if "{input}" not in text
        ]
    if wrong:
        raise BadInput("; ".join(wrong[:10]))
    cases = tuple(
        Case(one.get("name") or f"case {number}", one["input"], one.get("expected"), tuple(one.get("contains", ())))
        for number, one in enumerate(document["cases"], start=1)
    )
    return PromptSet(document["prompts"], document.get("schema"), cases)
