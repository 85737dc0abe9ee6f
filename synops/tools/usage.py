"""The text of `--help`, made from the description, so that it can't fall behind it."""

from __future__ import annotations

import textwrap

from synops.tools.describe import Description, Param

WIDTH = 88
COLUMN = 26


def usage(description: Description) -> str:
    """What the tool does, its flags with their values and defaults, and examples to copy."""
    name = description.name
    parts = [
        f"usage: {name} [--flag=value …]",
        "",
        *textwrap.wrap(description.description.get("en", ""), WIDTH),
        "",
        "flags:",
        *(line for param in description.params for line in _entry(_spelling(param), _meaning(param))),
        *(line for flag, meaning in _contract(description) for line in _entry(flag, meaning)),
    ]
    if description.examples:
        parts += ["", "examples:", *(f"  {example}" for example in description.examples)]
    parts += [
        "",
        "The result is one JSON document on stdout; progress, log and errors are on stderr.",
        "Exit codes: 0 done, 64 wrong call, 65 bad input, 66 no such input, 69/75 try again, 78 not configured.",
    ]
    return "\n".join(parts)


def _contract(description: Description) -> list[tuple[str, str]]:
    write = [("--write", "write the result to the database and the file store; without it nothing is changed")]
    return [
        *(write if description.database == "write" else []),
        ("--payload-json=JSON", "the flags as one JSON object (keys in snake_case); @FILE or - reads it; flags win"),
        ("--describe", "print what the tool is and takes, as JSON"),
        ("--version", "print the version"),
        ("--help", "print this text"),
    ]


def _spelling(param: Param) -> str:
    return param.flag if param.type == "boolean" else f"{param.flag}={param.type.upper()}"


def _meaning(param: Param) -> str:
    notes = []
    if param.enum:
        notes.append(("such as " if param.enum_open else "one of ") + ", ".join(param.enum))
    if param.default is not None:
        notes.append(f"default {param.default}")
    if param.required:
        notes.append("required")
    if param.by_hand:
        notes.append("by hand only")
    text = param.description.get("en", "")
    return f"{text} ({'; '.join(notes)})" if notes else text


def _entry(flag: str, meaning: str) -> list[str]:
    lines = textwrap.wrap(meaning, WIDTH - COLUMN) or [""]
    if len(flag) + 3 > COLUMN:
        return [f"  {flag}", *(" " * COLUMN + line for line in lines)]
    first = f"  {flag}".ljust(COLUMN) + lines[0]
    return [first, *(" " * COLUMN + line for line in lines[1:])]
