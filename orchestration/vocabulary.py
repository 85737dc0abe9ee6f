"""Where recipes' words come from: the tools in the database, or files and folders named on a command line."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from jobs.tool_discovery import Tool, ask, executables
from orchestration.language import Vocabulary
from synops.graph.models import Node


class BadVocabulary(ValueError):
    """A vocabulary that cannot be read; the text says what and where."""


def database_vocabulary() -> Vocabulary:
    """The words of every available tool (`cli_tool` nodes), and the traits that collections have."""
    tools = Node.objects.filter(node_kind="cli_tool").order_by("title").values_list("metadata", flat=True)
    known = [tool for tool in tools if tool.get("name") and tool.get("available", True)]
    return Vocabulary.from_tools(known, traits=_traits())


def _traits() -> list[str]:
    found: set[str] = set()
    for traits in Node.objects.filter(node_kind="collection").values_list("metadata__traits", flat=True):
        found.update(_names(traits))
    return sorted(found)


def _names(traits: Any) -> Iterable[str]:
    """A collection's traits are a list of names, or an object with a name per key."""
    if isinstance(traits, list | dict):
        return [name.casefold() for name in traits if isinstance(name, str) and name]
    return []


def file_vocabulary(place: str) -> Vocabulary:
    """The words of a folder of tools or of JSON files, of a JSON file, or of JSON itself.

    Raises:
        BadVocabulary: nothing there, no JSON, or a description that cannot be read.
    """
    try:
        return Vocabulary.from_tools(_described(place))
    except (ValueError, OSError) as error:
        raise BadVocabulary(f"--tools {place[:80]}: {error}") from error


def _described(place: str) -> list[Mapping[str, Any]]:
    if place.lstrip().startswith(("[", "{")):
        return _records(json.loads(place))
    path = Path(place)
    if not path.is_dir():
        return _records(json.loads(path.read_text(encoding="utf-8")))
    files = sorted(path.glob("*.json"))
    found = [record for file in files for record in _records(json.loads(file.read_text(encoding="utf-8")))]
    answers = [ask(program) for _, program in sorted(executables([path])[0].items())]
    found += [answer.description.to_json() for answer in answers if isinstance(answer, Tool)]
    if not found:
        raise BadVocabulary("there are neither tools (synops-*) nor descriptions (*.json) in that folder")
    return found


def _records(data: Any) -> list[Mapping[str, Any]]:
    """A list of descriptions, one description, or {"tools": […]}."""
    if isinstance(data, Mapping) and isinstance(data.get("tools"), list):
        data = data["tools"]
    records = data if isinstance(data, list) else [data]
    if not all(isinstance(record, Mapping) for record in records):
        raise BadVocabulary("a description is a JSON object")
    return records
