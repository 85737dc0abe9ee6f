"""JSON Schema for payloads of inline job types: what is wrong with one, in sentences a person can act on."""

from __future__ import annotations

from typing import Any, TypeAlias

Schema: TypeAlias = dict[str, Any]


def problems(schema: Schema, payload: Any) -> list[str]:
    """Everything that is wrong, one sentence each; empty = valid."""
    # jsonschema takes a tenth of a second to import, and most processes that load the queue never check a payload.
    from jsonschema import Draft202012Validator

    validator = Draft202012Validator(schema, format_checker=Draft202012Validator.FORMAT_CHECKER)
    return sorted(
        _sentence(error.json_path.removeprefix("$."), error.message) for error in validator.iter_errors(payload)
    )


def _sentence(path: str, message: str) -> str:
    return message if path == "$" else f"{path}: {message}"
