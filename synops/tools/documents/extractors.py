"""Extractors: what kinds of document there are, how each is told, and which facts to look for in it. Data, not code.

An extractor is a JSON file `extractors/<name>@<version>.json` in the case rules' folder. A published version is never
changed: facts are kept by it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from synops.tools.failures import NotConfigured

TYPES = ("amount", "integer", "date", "string", "boolean")
NAME = re.compile(r"[a-z0-9][a-z0-9-]*@[0-9]+")
_FLAGS = re.IGNORECASE | re.MULTILINE


class Fact(NamedTuple):
    """A fact to look for: the first pattern that matches gives its value, in its group 1 (the whole match if none)."""

    name: str
    type: str
    patterns: tuple[re.Pattern[str], ...]
    property: str = ""
    """Of the document's own headers (`from`, `date`, `title` …) to take it from first."""


class Kind(NamedTuple):
    """A kind of document: as many of `signs` must be found as `at_least` says; the kind with the most wins."""

    kind: str
    signs: tuple[re.Pattern[str], ...]
    facts: tuple[Fact, ...]
    at_least: int = 1
    media_type: str = ""


class Extractor(NamedTuple):
    """All kinds in order; the earlier one wins a tie. `excluded` are marks of a document that may not be read."""

    name: str
    kinds: tuple[Kind, ...]
    excluded: tuple[re.Pattern[str], ...] = ()


def load_extractor(folder: Path, name: str) -> Extractor:
    """The extractor `letters@1` from its file. Raises NotConfigured when it is missing or wrong, with the place."""
    path = rule_file(folder, "extractors", name)
    try:
        document = json.loads(path.read_text(encoding="utf-8"))
        kinds = tuple(_kind(kind) for kind in document["kinds"])
        return Extractor(name, kinds, _patterns(document.get("excluded", ())))
    except (ValueError, KeyError, TypeError, AttributeError, re.error) as error:
        raise NotConfigured(f"{path} is no extractor: {type(error).__name__} {error}") from error


def rule_file(folder: Path, what: str, name: str) -> Path:
    """The file of an extractor or a rule set. Only names like `letters@1` reach a path. Raises NotConfigured."""
    if not NAME.fullmatch(name):
        raise NotConfigured(f'"{name}" is no versioned name, such as letters@1')
    path = folder / what / f"{name}.json"
    if not path.is_file():
        known = ", ".join(sorted(file.stem for file in (folder / what).glob("*.json"))) or "none"
        raise NotConfigured(
            f"there is no {name} in {folder / what} (there is {known}); set CASES_DIR, or correct the name"
        )
    return path


def _kind(document: Mapping[str, Any]) -> Kind:
    facts = tuple(_fact(fact) for fact in document.get("facts", ()))
    signs = _patterns(document.get("signs", ()))
    return Kind(document["kind"], signs, facts, int(document.get("at_least", 1)), document.get("media_type", ""))


def _fact(document: Mapping[str, Any]) -> Fact:
    if document["type"] not in TYPES:
        raise ValueError(
            f"fact {document['name']} has the unknown type {document['type']}; known are {', '.join(TYPES)}"
        )
    patterns = _patterns(document.get("patterns", ()))
    return Fact(document["name"], document["type"], patterns, document.get("property", ""))


def _patterns(texts: Any) -> tuple[re.Pattern[str], ...]:
    return tuple(re.compile(text, _FLAGS) for text in texts)
