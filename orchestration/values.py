"""Puts values into a step's params: one pass over each text, names from a whitelist, never `str.format`.

A value that itself holds braces is never looked at again, and the result stays inside its one param, so no event, file
name or program output can reach another value or become a flag.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

Values = Mapping[str, Any]
"""The namespaces a recipe may name: event, steps, error, input, upstream, run; each a nest of plain objects."""

_PLACE = re.compile(r"\{\{|\}\}|\{\s*([a-z]+(?:\.[A-Za-z0-9_]+)+)\s*\}")
_WHOLE = re.compile(r"\{\s*([a-z]+(?:\.[A-Za-z0-9_]+)+)\s*\}")
_BRACES = {"{{": "{", "}}": "}"}


class MissingValue(LookupError):
    """A step needs a value that this run does not have."""

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self.name = name


def fill(params: Mapping[str, Any], values: Values) -> dict[str, Any]:
    """`params` with every `{name}` replaced. Raises MissingValue for the first that is absent or null."""
    return {key: fill_value(value, values) for key, value in params.items()}


def fill_value(value: Any, values: Values) -> Any:
    """One param. A text that is nothing but one variable becomes that value with its type; others become text."""
    if not isinstance(value, str):
        return value
    if whole := _WHOLE.fullmatch(value):
        return look_up(whole.group(1), values)
    return _PLACE.sub(lambda match: _replacement(match, values), value)


def fill_text(text: str, values: Values) -> str:
    """A title for people: what is missing stays as it was written, so that nothing is lost with it."""

    def said(match: re.Match[str]) -> str:
        try:
            return _replacement(match, values)
        except MissingValue:
            return match.group()

    return _PLACE.sub(said, text)


def look_up(name: str, values: Values) -> Any:
    """The value of a dotted name. Raises MissingValue when a part is absent, or the value is null."""
    found: Any = values
    for part in name.split("."):
        if not isinstance(found, Mapping) or part not in found:
            raise MissingValue(name)
        found = found[part]
    if found is None:
        raise MissingValue(name)
    return found


def names(value: Any) -> list[str]:
    """The variables that a param names, in order; for the dry run."""
    if not isinstance(value, str):
        return []
    return [match.group(1) for match in _PLACE.finditer(value) if match.group(1)]


def _replacement(match: re.Match[str], values: Values) -> str:
    if match.group(1) is None:
        return _BRACES[match.group()]
    return as_text(look_up(match.group(1), values))


def as_text(value: Any) -> str:
    """How a value reads inside a text: as JSON, but strings bare."""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def scalars(result: Any) -> dict[str, Any]:
    """The plain fields of a step's result: what later steps and recipes downstream can name."""
    if not isinstance(result, Mapping):
        return {}
    return {str(key): value for key, value in result.items() if isinstance(value, str | int | float | bool)}
