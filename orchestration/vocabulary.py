"""Where recipes' words come from: the tools in the database, or files and folders named on a command line."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

from jobs.tool_discovery import Tool, ask, executables
from orchestration.language import Vocabulary
from orchestration.language.lint import Problem, lint
from orchestration.language.words import split_key
from synops.graph.models import Node


class BadVocabulary(ValueError):
    """A vocabulary that cannot be read; the text says what and where."""


def database_vocabulary() -> Vocabulary:
    """The words of every available tool (`cli_tool` nodes), and the traits that collections have.

    A verb that the check of the vocabulary refuses is left out, so that a new tool cannot take an old one's words.
    """
    return _built(json.dumps(_registered(), sort_keys=True, ensure_ascii=False), tuple(_traits()))


@lru_cache(maxsize=4)
def _built(described: str, traits: tuple[str, ...]) -> Vocabulary:
    """Kept between compiles: reading the tools is a query, inflecting all their words takes longer than a recipe."""
    known = json.loads(described)
    words = Vocabulary.from_tools(known, traits=traits)
    refused = {(problem.tool, problem.verb) for problem in lint(words, _names_of(known)) if problem.verb}
    if not refused:
        return words
    return Vocabulary.from_tools([_without(tool, refused) for tool in known], traits=traits)


def vocabulary_problems() -> list[Problem]:
    """What is wrong with the words of the registered tools; the older of two tools keeps its words."""
    known = _registered()
    return lint(Vocabulary.from_tools(known), _names_of(known))


def _registered() -> list[dict[str, Any]]:
    """The tools, those that are turned off or gone among them, the oldest first."""
    tools = Node.objects.filter(node_kind="cli_tool").order_by("created_at", "title").values_list("metadata", flat=True)
    return [tool for tool in tools if tool.get("name")]


def _names_of(tools: list[dict[str, Any]]) -> list[str]:
    return [str(tool["name"]) for tool in tools]


def _without(tool: dict[str, Any], refused: set[tuple[str, str]]) -> dict[str, Any]:
    """The description without its refused verbs, in full or short form."""
    verbs = {verb for name, verb in refused if name == tool["name"]}

    def kept(phrases: list[str]) -> list[str]:
        return [phrase for phrase in phrases if phrase not in verbs and " ".join(split_key(phrase)) not in verbs]

    def kept_of(aliases: Any) -> Any:
        return {lang: kept(said) for lang, said in aliases.items()} if isinstance(aliases, dict) else kept(aliases)

    return {**tool, **{key: kept_of(tool[key]) for key in ("aliases", "former_aliases") if tool.get(key)}}


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
