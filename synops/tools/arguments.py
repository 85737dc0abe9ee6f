"""Payloads and command lines: the same call as an object and as flags. Pure, and the only place that converts.

A payload is an object keyed by the tool's params. `argv` makes the flags for the worker, the dry run, the job page and
the printers; `parse` is its inverse; `validate_payload` says what is wrong, in sentences.
"""

from __future__ import annotations

import argparse
import datetime
import math
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NoReturn
from uuid import UUID

from synops.tools.describe import Description, Param

_HASH = re.compile(r"[0-9a-f]{64}")


class UsageError(ValueError):
    """A command line that does not fit the description."""


def argv(describe: Description | Mapping[str, Any], payload: Mapping[str, Any]) -> list[str]:
    """The flags of a call, without the program's name and without `--write`, in the order of the description.

    Always `--flag=value` in one element, so that no value can be taken for a flag; a boolean is its flag alone when
    true. Null and false are left out. The payload must be valid (`validate_payload`); unknown keys raise UsageError.
    """
    description = _description(describe)
    unknown = sorted(set(payload) - {param.name for param in description.params})
    if unknown:
        raise UsageError(f"{description.name} has no param {', '.join(unknown)}")
    return [
        param.flag if param.type == "boolean" else f"{param.flag}={_as_text(payload[param.name])}"
        for param in description.params
        if payload.get(param.name) is not None and payload[param.name] is not False
    ]


def of_job_type(description: Description, job_type: str, payload: Mapping[str, Any]) -> dict[str, Any]:
    """The payload of a job of this type: where one tool has several types, the param that tells them apart is set.

    Raises UsageError when the payload says that it is another type's.
    """
    chooser = description.job_type_by or {}
    name, values = chooser.get("param", ""), chooser.get("values", {})
    filled = dict(payload)
    if name and filled.get(name) is None:
        filled[name] = next((value for value, named in values.items() if named == job_type), None)
    if name and (meant := description.job_type(filled)) != job_type:
        raise UsageError(f"{name} is {filled.get(name)}, which makes this a job of type {meant}, not {job_type}")
    return filled


def job_problems(description: Description, job_type: str, payload: Any) -> list[str]:
    """Everything that is wrong with the payload of a job of this type, one sentence each; empty = valid."""
    if not isinstance(payload, Mapping):
        return validate_payload(description, payload)
    try:
        return validate_payload(description, of_job_type(description, job_type, payload))
    except UsageError as error:
        return [str(error)]


def parse(describe: Description | Mapping[str, Any], flags: Sequence[str]) -> dict[str, Any]:
    """The payload that `flags` spell: only what is given, no defaults. Raises UsageError for a flag that doesn't fit.

    Values are converted to their types, not checked further: that is `validate_payload`'s part.
    """
    namespace = flag_parser(_description(describe)).parse_args(list(flags))
    return {name: value for name, value in vars(namespace).items() if value is not None}


def flag_parser(description: Description) -> FlagParser:
    """A parser of the description's flags alone, for `parse` and for the program to add the contract's own flags to."""
    parser = FlagParser(prog=description.name, allow_abbrev=False, add_help=False)
    for param in description.params:
        if param.type == "boolean":
            parser.add_argument(param.flag, dest=param.name, action="store_const", const=True)
        else:
            parser.add_argument(param.flag, dest=param.name, type=_converter(param.type))
    return parser


class FlagParser(argparse.ArgumentParser):
    """argparse that raises instead of exiting with 2, which the contract does not know."""

    def error(self, message: str) -> NoReturn:
        raise UsageError(message)


def validate_payload(describe: Description | Mapping[str, Any], payload: Any, *, by_hand: bool = False) -> list[str]:
    """Everything that is wrong with a payload, one sentence each; empty = valid.

    `by_hand` admits the params that only a person at a shell may use.
    """
    description = _description(describe)
    if not isinstance(payload, Mapping):
        return [f"the payload of {description.name} must be an object with the params as keys"]
    known = {param.name: param for param in description.params if by_hand or not param.by_hand}
    found = [_unknown_key(name, known, description) for name in payload if name not in known]
    for param in known.values():
        value = payload.get(param.name)
        if value is not None:
            found += _value_problems(param, value)
        elif param.required:
            found.append(f"{param.name} ({param.flag}) is required")
    return found


def with_defaults(description: Description, payload: Mapping[str, Any]) -> dict[str, Any]:
    """The payload with every param present: what is missing or null has its default."""
    return {
        param.name: param.default if payload.get(param.name) is None else payload[param.name]
        for param in description.params
    }


def _description(describe: Description | Mapping[str, Any]) -> Description:
    return describe if isinstance(describe, Description) else Description.from_json(describe)


def _as_text(value: Any) -> str:
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return str(value)


def _as_key(value: Any) -> str:
    """A value as `enum` spells it: keys of a JSON object are strings, so true is "true"."""
    return str(value).lower() if isinstance(value, bool) else _as_text(value)


def _unknown_key(name: str, known: Mapping[str, Param], description: Description) -> str:
    if description.param(name):
        return f"{name} is for use by hand only; a job can't have it"
    return f'there is no param "{name}"; {description.name} takes {", ".join(known) or "none"}'


def _value_problems(param: Param, value: Any) -> list[str]:
    problem = _CHECKS.get(param.type, _string_problem)(value)
    if problem:
        return [f"{param.name} must be {problem}"]
    if param.enum and not param.enum_open and _as_key(value) not in param.enum:
        return [f'{param.name} is "{value}" but must be one of {", ".join(param.enum)}']
    if param.minimum is not None and value < param.minimum:
        return [f"{param.name} is {value} but must be at least {param.minimum:g}"]
    if param.maximum is not None and value > param.maximum:
        return [f"{param.name} is {value} but must be at most {param.maximum:g}"]
    return []


def _hash_problem(value: Any) -> str:
    fits = isinstance(value, str) and _HASH.fullmatch(value)
    return "" if fits else "the sha256 digest of a stored file (64 characters of 0-9 and a-f)"


def _uuid_problem(value: Any) -> str:
    try:
        fits = isinstance(value, str) and str(UUID(value)) == value.lower()
    except ValueError:
        fits = False
    return "" if fits else "a node's id (a UUID)"


def _string_problem(value: Any) -> str:
    # A command line can't carry NUL, and a line break in a one-line value is a mistake that hides.
    fits = isinstance(value, str) and not any(ord(char) < 32 for char in value) and _encodable(value)
    return "" if fits else "one line of text"


def _text_problem(value: Any) -> str:
    fits = isinstance(value, str) and "\x00" not in value and _encodable(value)
    return "" if fits else "text"


def _encodable(value: str) -> bool:
    return not any("\ud800" <= char <= "\udfff" for char in value)


def _integer_problem(value: Any) -> str:
    return "" if isinstance(value, int) and not isinstance(value, bool) else "a whole number"


def _number_problem(value: Any) -> str:
    fits = isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)
    return "" if fits else "a number"


def _boolean_problem(value: Any) -> str:
    return "" if isinstance(value, bool) else "true or false"


def _date_problem(value: Any) -> str:
    try:
        fits = isinstance(value, str) and bool(datetime.datetime.fromisoformat(value))
    except ValueError:
        fits = False
    return "" if fits else "a date or a time in ISO 8601, such as 2026-05-17 or 2026-05-17T08:00:00+02:00"


_CHECKS: Mapping[str, Callable[[Any], str]] = {
    "hash": _hash_problem,
    "uuid": _uuid_problem,
    "string": _string_problem,
    "text": _text_problem,
    "integer": _integer_problem,
    "number": _number_problem,
    "boolean": _boolean_problem,
    "date": _date_problem,
}


def _converter(kind: str) -> Callable[[str], Any]:
    return {"integer": _integer, "number": _number}.get(kind, str)


def _integer(text: str) -> int | str:
    # What is no number stays text, so that `validate_payload` words the mistake for flags and payload alike.
    try:
        return int(text)
    except ValueError:
        return text


def _number(text: str) -> float | str:
    try:
        return int(text) if re.fullmatch(r"[+-]?[0-9]+", text) else float(text)
    except ValueError:
        return text
