"""The plan: what a recipe means. Both layers compile to it, every printer starts from it.

Its JSON form is what is stored, run and sent as payload: `params` are the tool's own parameters, never argv.
Comments ride along for the printers and are no part of the JSON.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

SCHEMA = 1
TIMEZONE = "Europe/Oslo"

Value = str | int | float | bool


@dataclass(frozen=True, slots=True)
class Condition:
    """has_trait, has_media, has_tag or node_kind with its value."""

    predicate: str
    value: str
    negated: bool = False

    def to_json(self) -> dict[str, Any]:
        plain: dict[str, Any] = {self.predicate: self.value}
        return {"not": plain} if self.negated else plain


Clause = tuple[Condition, ...]
"""One or more conditions of which any must hold."""


@dataclass(frozen=True, slots=True)
class Schedule:
    """A clock trigger: a five-field cron line, read in `timezone`."""

    cron: str
    timezone: str = TIMEZONE


@dataclass(frozen=True, slots=True)
class Trigger:
    event: str
    conditions: tuple[Clause, ...] = ()
    schedule: Schedule | None = None


@dataclass(frozen=True, slots=True)
class ToolCall:
    tool: str
    job_type: str
    params: Mapping[str, Value]

    def to_json(self) -> dict[str, Any]:
        return {"tool": self.tool, "job_type": self.job_type, "params": dict(self.params)}


@dataclass(frozen=True, slots=True)
class WorkItem:
    title: str
    tags: tuple[str, ...] = ()

    def to_json(self) -> dict[str, Any]:
        item: dict[str, Any] = {"title": self.title, "tag": self.tags[0] if self.tags else None}
        if len(self.tags) > 1:
            item["tags"] = list(self.tags)
        return {"work_item": item}


Alternative = ToolCall | WorkItem


@dataclass(frozen=True, slots=True)
class PlanStep:
    """alternatives[0] is the step, the rest its fallbacks in order."""

    number: int
    line: int
    text: str
    alternatives: tuple[Alternative, ...]


@dataclass(frozen=True, slots=True)
class Comment:
    """`before` says what it stands above: "when", "if", "step 2", "fallback 2.1", "failure" or "end"."""

    before: str
    text: str


@dataclass(frozen=True, slots=True)
class Plan:
    trigger: Trigger
    steps: tuple[PlanStep, ...]
    on_failure: tuple[Alternative, ...] = ()
    lexicon_hash: str = ""
    comments: tuple[Comment, ...] = field(default=(), compare=False)

    def meaning(self) -> Plan:
        """The plan without where and in which words it was written: equal for the two layers of one recipe."""
        bare = tuple(replace(step, line=0, text="") for step in self.steps)
        return replace(self, steps=bare, comments=())

    def tools(self) -> tuple[str, ...]:
        """The tools it calls, in order of first use."""
        calls = [call for step in self.steps for call in step.alternatives] + list(self.on_failure)
        return tuple(dict.fromkeys(call.tool for call in calls if isinstance(call, ToolCall)))


def to_json(plan: Plan) -> dict[str, Any]:
    """The compiled recipe as JSON data (see the module's first lines)."""
    trigger = plan.trigger
    schedule = trigger.schedule
    return {
        "schema": SCHEMA,
        "lexicon_hash": plan.lexicon_hash,
        "trigger": {
            "event": trigger.event,
            "conditions": [_clause_json(clause) for clause in trigger.conditions],
            "schedule": {"cron": schedule.cron, "timezone": schedule.timezone} if schedule else None,
        },
        "steps": [
            {
                "number": step.number,
                "line": step.line,
                "text": step.text,
                "alternatives": [alternative.to_json() for alternative in step.alternatives],
            }
            for step in plan.steps
        ],
        "on_failure": [alternative.to_json() for alternative in plan.on_failure],
    }


def from_json(data: Mapping[str, Any] | str) -> Plan:
    """Read back what `to_json` wrote.

    Raises:
        ValueError: another schema, or a shape that `to_json` never writes.
    """
    document: Any = json.loads(data) if isinstance(data, str) else data
    if not isinstance(document, Mapping) or document.get("schema") != SCHEMA:
        raise ValueError(f"not a compiled recipe of schema {SCHEMA}")
    try:
        return _plan(document)
    except (KeyError, TypeError, AttributeError, IndexError) as error:
        raise ValueError(f"not a compiled recipe: {error!r}") from error


def _plan(document: Mapping[str, Any]) -> Plan:
    trigger = document["trigger"]
    schedule = trigger["schedule"]
    return Plan(
        trigger=Trigger(
            event=trigger["event"],
            conditions=tuple(_clause(item) for item in trigger["conditions"]),
            schedule=Schedule(schedule["cron"], schedule["timezone"]) if schedule else None,
        ),
        steps=tuple(
            PlanStep(
                step["number"], step["line"], step["text"], tuple(_alternative(item) for item in step["alternatives"])
            )
            for step in document["steps"]
        ),
        on_failure=tuple(_alternative(item) for item in document["on_failure"]),
        lexicon_hash=document["lexicon_hash"],
    )


def _clause_json(clause: Clause) -> dict[str, Any]:
    if len(clause) == 1:
        return clause[0].to_json()
    return {"any": [condition.to_json() for condition in clause]}


def _clause(item: Mapping[str, Any]) -> Clause:
    return tuple(_condition(part) for part in item["any"]) if "any" in item else (_condition(item),)


def _condition(item: Mapping[str, Any]) -> Condition:
    negated = "not" in item
    ((predicate, value),) = (item["not"] if negated else item).items()
    return Condition(predicate, value, negated)


def _alternative(item: Mapping[str, Any]) -> Alternative:
    if "work_item" in item:
        work = item["work_item"]
        tags = tuple(work.get("tags") or ([work["tag"]] if work["tag"] else []))
        return WorkItem(work["title"], tags)
    return ToolCall(item["tool"], item["job_type"], dict(item["params"]))
