"""`analyzers.lock.json`: which extractor and which rule set, with their versions, belong to a scheme."""

from __future__ import annotations

import json
from pathlib import Path
from typing import NamedTuple

from synops.tools.failures import NotConfigured

NAME = "analyzers.lock.json"


class Analyzers(NamedTuple):
    """What a scheme's cases are read and judged with: `letters@1`, `heat-pump@1`."""

    extractor: str
    rule_set: str


def analyzers_of(folder: Path, scheme: str) -> Analyzers:
    """The scheme's entry. Raises NotConfigured when there is none yet: a gap in the deployment, not a fault of a case."""
    found = read_lock(folder).get(scheme)
    if found is None:
        where = folder / NAME
        raise NotConfigured(f'{where} names no analyzers for the scheme "{scheme}"; add an entry, and its cases go on')
    return found


def read_lock(folder: Path) -> dict[str, Analyzers]:
    """All entries. Raises NotConfigured for a file that is missing or wrong."""
    path = folder / NAME
    try:
        schemes = json.loads(path.read_text(encoding="utf-8"))["schemes"]
        return {name: Analyzers(str(one["extractor"]), str(one["rule_set"])) for name, one in schemes.items()}
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise NotConfigured(f"{path} can't be read: {type(error).__name__} {error}") from error
