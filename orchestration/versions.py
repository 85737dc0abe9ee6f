"""A recipe's past: who saved which text when, and how two of them differ."""

from __future__ import annotations

import difflib
from collections.abc import Iterator
from dataclasses import dataclass

from orchestration.models import Version


@dataclass(frozen=True)
class DiffLine:
    """One line of a comparison; `mark` is " ", "+" or "-"."""

    mark: str
    text: str


def difference(older: Version | None, newer: Version) -> list[DiffLine]:
    """All lines of the newer text with what it adds and drops; everything is new without an older one."""
    before = older.source.splitlines() if older else []
    compared = difflib.ndiff(before, newer.source.splitlines())
    return [DiffLine(line[0], line[2:]) for line in compared if line[0] in " +-"]


def with_differences(versions: list[Version]) -> Iterator[tuple[Version, list[DiffLine]]]:
    """Versions, newest first, each with its difference from the one before it in the list."""
    for newer, older in zip(versions, [*versions[1:], None], strict=True):
        yield newer, difference(older, newer)
