"""What a pipeline is: steps over units of work, declared in code with typed payloads, and the rules that they must obey."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, fields, is_dataclass
from functools import cached_property
from typing import Any, Generic, TypeVar
from uuid import UUID

from django.utils.functional import Promise

from jobs.pipelines.outcomes import Outcome, Succeeded
from synops.store.sql import Cursor

Payload = TypeVar("Payload")
Words = str | Promise

SHAPES = ("once", "each", "all")


class Misdeclared(ValueError):
    """A pipeline that can't be run as it is declared: an error in the program."""


@dataclass(frozen=True)
class Unit:
    """One run of one unit through a pipeline. `cause` is selected, manual or bulk; `priority` None = the types' own."""

    pipeline: str
    unit: str
    generation: int
    collection_id: UUID
    cause: str
    priority: int | None = None


@dataclass(frozen=True)
class Work(Generic[Payload]):
    """One claimed step: what it works on, at the how-manyth try."""

    unit: Unit
    step: str
    item: str
    payload: Payload
    attempt: int
    job_id: UUID


@dataclass(frozen=True)
class Rule:
    """Seed values of the priority rule of a step's job type; once seeded, the rule in the database wins."""

    max_concurrent: int = 0
    timeout_seconds: int = 600
    cpu_weight: int = 1
    base_priority: int = 5


def succeed(_cursor: Cursor, _work: Work[Any], result: Any) -> Outcome:
    """What a program's success means unless its step says otherwise."""
    return Succeeded(result)


@dataclass(frozen=True)
class Step(Generic[Payload]):
    """One step. `payload` is a dataclass whose fields are the job's payload: for a program exactly its params.

    `shape` says how often it runs in a generation: `once`; `each`, once for every item that its predecessor returned;
    `all`, once when everything of its predecessor is over (fan-in), which needs `gather` for its payload.
    With `run` it runs inside the worker, in the transaction that marks it; without, the program of `job_type` runs, and
    `settle` reads its result in the transaction that marks it. Both must be short: SQL, no files, no network.
    `bulk_job_type` is the lane of runs in bulk. `when_none` says what it means that there was no item.
    """

    name: str
    job_type: str
    payload: type[Payload]
    description: Words = ""
    follows: str | None = None
    shape: str = "once"
    run: Callable[[Cursor, Work[Payload]], Outcome] | None = None
    settle: Callable[[Cursor, Work[Payload], Any], Outcome] = succeed
    gather: Callable[[Cursor, Unit], Payload] | None = None
    bulk_job_type: str | None = None
    rule: Rule = Rule()
    bulk_rule: Rule | None = None
    when_none: Words = "nothing to work on"

    def job_type_for(self, cause: str) -> str:
        """The job type of a run with this cause."""
        return self.bulk_job_type if cause == "bulk" and self.bulk_job_type else self.job_type

    @property
    def rules(self) -> dict[str, Rule]:
        """The seed values of its job types."""
        bulk = {self.bulk_job_type: self.bulk_rule or self.rule} if self.bulk_job_type else {}
        return {self.job_type: self.rule, **bulk}

    def read(self, payload: Mapping[str, Any]) -> Payload:
        """The typed payload. Raises TypeError when fields are missing or unknown."""
        return self.payload(**payload)


def as_payload(value: Any) -> dict[str, Any]:
    """A payload dataclass as a job's payload: ids as text, fields that are None left out."""
    return {name: _plain(field) for name, field in asdict(value).items() if field is not None}


def _plain(value: Any) -> Any:
    return str(value) if isinstance(value, UUID) else value


def _nothing(_cursor: Cursor, _unit: Unit, _state: str, _reason: str) -> None:
    return None


@dataclass(frozen=True)
class Pipeline:
    """Steps over units. `on_end(cursor, unit, state, reason)` is told in the transaction that ends a generation."""

    name: str
    description: Words
    steps: Sequence[Step[Any]]
    on_end: Callable[[Cursor, Unit, str, str], None] = _nothing

    def __post_init__(self) -> None:
        """Refuse what could not run: said when the program starts, not when the first unit hangs."""
        names: list[str] = []
        for step in self.steps:
            _check(self.name, step, names)
            names.append(step.name)
        if not self.steps or self.steps[0].follows is not None:
            raise Misdeclared(f"pipeline {self.name}: its first step must follow nothing")

    @cached_property
    def _by_name(self) -> dict[str, Step[Any]]:
        return {step.name: step for step in self.steps}

    @property
    def first(self) -> Step[Any]:
        """The step that a unit begins with."""
        return self.steps[0]

    def step(self, name: str) -> Step[Any]:
        """The step of that name. Raises KeyError."""
        return self._by_name[name]

    def after(self, name: str) -> list[Step[Any]]:
        """The steps that follow this one."""
        return [step for step in self.steps if step.follows == name]

    def ancestors(self, name: str) -> set[str]:
        """The steps that come before this one."""
        found: set[str] = set()
        follows = self.step(name).follows
        while follows is not None:
            found.add(follows)
            follows = self.step(follows).follows
        return found

    @cached_property
    def leaves(self) -> frozenset[str]:
        """The steps that nothing follows: a generation has succeeded when one of them has."""
        return frozenset(step.name for step in self.steps if not self.after(step.name))


def _check(pipeline: str, step: Step[Any], earlier: Sequence[str]) -> None:
    where = f"pipeline {pipeline}, step {step.name}"
    if not is_dataclass(step.payload):
        raise Misdeclared(f"{where}: its payload must be a dataclass")
    if step.name in earlier:
        raise Misdeclared(f"{where}: there are two steps of that name")
    if earlier and step.follows not in earlier:
        raise Misdeclared(f"{where}: it must follow an earlier step, not {step.follows!r}")
    if step.shape not in SHAPES:
        raise Misdeclared(f"{where}: its shape must be one of {', '.join(SHAPES)}")
    if step.shape == "all" and step.gather is None:
        raise Misdeclared(f"{where}: a step that waits for all needs `gather`, which makes its payload")
    if not fields(step.payload):
        raise Misdeclared(f"{where}: its payload has no fields, so no job could say what it works on")
