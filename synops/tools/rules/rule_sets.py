"""Rule sets: JSON files `rule_sets/<name>@<version>.json`. A published version is never changed: verdicts name it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from synops.tools.documents.extractors import rule_file
from synops.tools.failures import NotConfigured

KINDS = ("cel", "llm")
SCOPES = ("case", "document")


class Rule(NamedTuple):
    """One rule. `expression` is CEL that gives true or false, or for `llm` a question that is answered yes or no."""

    id: str
    title: Mapping[str, str]
    kind: str
    scope: str
    expression: str
    documents: tuple[str, ...] = ()
    """Kinds of document that it is about. A rule of scope `document` has one verdict for each of them."""
    needs: tuple[str, ...] = ()
    """Facts without which there is no verdict but “unknown”; they are its evidence too."""
    evidence: tuple[str, ...] = ()
    required: bool = True
    """Whether the case fails with it; otherwise it is only shown."""


class RuleSet(NamedTuple):
    """`name` includes the version: `heat-pump@1`."""

    name: str
    title: Mapping[str, str]
    rules: tuple[Rule, ...]


class InvalidRuleSet(ValueError):
    """A rule set that can't be used; the text has every problem found."""


def load_rule_set(folder: Path, name: str) -> RuleSet:
    """The rule set `heat-pump@1` from its file. Raises NotConfigured when it is missing or wrong."""
    path = rule_file(folder, "rule_sets", name)
    try:
        return read_rule_set(name, json.loads(path.read_text(encoding="utf-8")))
    except ValueError as error:
        raise NotConfigured(f"{path} is no rule set: {error}") from error


def read_rule_set(name: str, document: Any) -> RuleSet:
    """A rule set from its JSON. Raises InvalidRuleSet with everything that is wrong."""
    if not isinstance(document, dict) or not isinstance(document.get("rules"), list) or not document["rules"]:
        raise InvalidRuleSet('it must be an object with a list "rules" that is not empty')
    problems = [f"rule {at}: {text}" for at, rule in enumerate(document["rules"], 1) for text in _problems(rule)]
    ids = [rule.get("id") for rule in document["rules"] if isinstance(rule, dict)]
    problems += [f'two rules have the id "{id}"' for id in sorted({str(id) for id in ids if ids.count(id) > 1})]
    if problems:
        raise InvalidRuleSet("; ".join(problems))
    return RuleSet(name, document.get("title", {}), tuple(_rule(rule) for rule in document["rules"]))


def _problems(rule: Any) -> list[str]:
    if not isinstance(rule, dict):
        return ["it must be an object"]
    found = [f'"{key}" must be a text' for key in ("id", "expression") if not _is_text(rule.get(key))]
    found += [
        f'"{key}" must be one of {", ".join(values)}'
        for key, values in (("kind", KINDS), ("scope", SCOPES))
        if rule.get(key, values[0]) not in values
    ]
    lists = ("documents", "needs", "evidence")
    found += [f'"{key}" must be a list of texts' for key in lists if not _is_texts(rule.get(key, []))]
    return found


def _is_text(value: Any) -> bool:
    return isinstance(value, str) and bool(value.strip())


def _is_texts(value: Any) -> bool:
    return isinstance(value, list) and all(map(_is_text, value))


def _rule(document: Mapping[str, Any]) -> Rule:
    needs = tuple(document.get("needs", ()))
    return Rule(
        document["id"],
        document.get("title", {}),
        document.get("kind", "cel"),
        document.get("scope", "case"),
        document["expression"],
        tuple(document.get("documents", ())),
        needs,
        (*needs, *document.get("evidence", ())),
        bool(document.get("required", True)),
    )
