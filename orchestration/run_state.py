"""A run as it is while it is advanced: read under its lock, changed in memory, written by orchestration.ledger."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any
from uuid import UUID

from orchestration.language.plan import Plan, from_json
from orchestration.library import Recipe
from orchestration.moves import RECIPE_FALLBACK
from orchestration.states import Reason, StepState
from orchestration.values import scalars
from synops.graph.columns import new_id
from synops.store.sql import Cursor, load

WORK_ITEM = "work_item"
"""Stands where a tool's name stands, for steps and log lines that make a work item."""


@dataclass(frozen=True)
class JobView:
    """What has become of a step's job. `status` None = there is no such job any more."""

    status: str | None
    outcome: str | None = None
    result: Any = None
    error: str = ""
    exit_code: int | None = None
    started_at: datetime | None = None
    completed_at: datetime | None = None

    @property
    def is_live(self) -> bool:
        return self.status in ("pending", "retry", "running")


@dataclass
class Step:
    """One alternative that was started. `run_steps` in docs/running-recipes.md says what each field means."""

    step: int
    alternative: int
    tool: str
    line: int = 0
    text: str = ""
    job_type: str = ""
    params: dict[str, Any] = field(default_factory=dict)
    state: StepState = StepState.STARTED
    reason: str = Reason.NONE.value
    result: Any = None
    error: str = ""
    exit_code: int | None = None
    job_id: UUID | None = None
    copied: bool = False
    is_new_copy: bool = False  # copied, and not yet written
    started_at: datetime | None = None
    finished_at: datetime | None = None
    job: JobView | None = None

    @property
    def is_fallback(self) -> bool:
        return self.step == RECIPE_FALLBACK or self.alternative > 0

    def fail(self, reason: Reason, error: str) -> None:
        """It did not succeed, for this reason; `error` is a sentence for a person."""
        self.state, self.reason, self.error = StepState.FAILED, reason.value, error


@dataclass
class RunState:
    """A run, the values that its steps may name, and its alternatives in the order in which they were started."""

    id: UUID
    orchestration_id: UUID | None
    collection_id: UUID
    title: str
    version: int
    plan: Plan
    compiled: Mapping[str, Any]
    language: str
    trigger: Mapping[str, Any]
    variables: Mapping[str, Any]
    node_id: UUID | None
    user_id: int | None
    chain: tuple[UUID, ...]
    priority: int | None
    cancelled: bool = False
    tools: Mapping[str, Any] | None = None  # what the plan's tools say about themselves, where that was read along
    steps: list[Step] = field(default_factory=list)

    def values(self) -> dict[str, Any]:
        """The namespaces for substitution, as of now."""
        return {
            "event": self.variables.get("event", {}),
            "input": self.variables.get("input", {}),
            "upstream": self.variables.get("upstream", {}),
            "run": {"id": str(self.id), "orchestration_id": str(self.orchestration_id or "")},
            "steps": self.results(),
            "error": self._error(),
        }

    def results(self) -> dict[str, Any]:
        """Results of the steps that succeeded, by the number that the recipe gives them; a fallback's is its step's."""
        return {
            str(self.number(step.step)): scalars(step.result)
            for step in self.steps
            if step.state == StepState.SUCCEEDED and step.step != RECIPE_FALLBACK
        }

    def number(self, step: int) -> int:
        """The number that a step has in the recipe's text."""
        return self.plan.steps[step - 1].number if 0 < step <= len(self.plan.steps) else step

    def last_failure(self) -> Step | None:
        """The alternative that failed last."""
        return next((step for step in reversed(self.steps) if step.state == StepState.FAILED), None)

    def _error(self) -> dict[str, Any]:
        failed = self.last_failure()
        if failed is None:
            return {}
        return {
            "step": self.number(failed.step),
            "tool": failed.tool,
            "message": failed.error,
            "exit_code": "–" if failed.exit_code is None else failed.exit_code,
        }


@dataclass(frozen=True)
class NewRun:
    """A run to start. `chain` is the recipes that ran before it, oldest first, without itself."""

    recipe: Recipe
    collection_id: UUID
    trigger_event: str
    op: str | None
    variables: Mapping[str, Any]
    node_id: UUID | None = None
    chain: Sequence[UUID] = ()
    event_id: int | None = None
    tick_at: datetime | None = None
    upstream_run_id: UUID | None = None
    upstream_orchestration_id: UUID | None = None
    rerun_of: UUID | None = None
    user_id: int | None = None
    priority: int | None = None
    copied: Sequence[Step] = ()
    id: UUID = field(default_factory=new_id)

    def trigger(self) -> dict[str, Any]:
        """The ruled JSON of `orchestration_runs.trigger`."""
        upstream = self.upstream_orchestration_id
        return {
            "trigger_event": self.trigger_event,
            "trigger_context": {"op": self.op, "upstream_orchestration_id": str(upstream) if upstream else None},
            "cascade_chain": [str(id) for id in self.chain],
        }

    def as_json(self) -> dict[str, Any]:
        """The row that insert_runs.sql reads, but for its recipe."""
        return {
            "id": str(self.id),
            "collection": str(self.collection_id),
            "trigger": self.trigger(),
            "variables": dict(self.variables),
            "event": self.event_id,
            "node": str(self.node_id) if self.node_id else None,
            "tick": self.tick_at.isoformat() if self.tick_at else None,
            "upstream_run": str(self.upstream_run_id) if self.upstream_run_id else None,
            "rerun_of": str(self.rerun_of) if self.rerun_of else None,
            "user": self.user_id,
            "chain": [str(id) for id in (*self.chain, self.recipe.id)],
            "priority": self.priority,
        }

    def state(self) -> RunState:
        """The run as it is right after it was inserted."""
        return RunState(
            id=self.id,
            orchestration_id=self.recipe.id,
            collection_id=self.collection_id,
            title=self.recipe.title,
            version=self.recipe.version,
            plan=self.recipe.plan,
            compiled=self.recipe.compiled,
            language=self.recipe.language,
            trigger=self.trigger(),
            variables=self.variables,
            node_id=self.node_id,
            user_id=self.user_id,
            chain=(*self.chain, self.recipe.id),
            priority=self.priority,
            tools=self.recipe.tools,
            steps=list(self.copied),
        )


def lock_runs(cursor: Cursor, ids: Iterable[UUID], *, promised: bool = True) -> list[RunState]:
    """Lock those of these runs that are unfinished, and read them with their steps. Waits for whoever holds one.

    `promised` False: nobody is told of this transaction, and losing it with the server's memory is no loss.
    """
    cursor.execute(load("orchestration.sql", "lock_runs"), {"ids": list(ids), "commit": None if promised else "off"})
    runs = {row[0]: _run(*row[:-1]) for row in cursor.fetchall()}
    if runs:
        cursor.execute(load("orchestration.sql", "steps"), {"ids": list(runs)})
        for row in cursor.fetchall():
            runs[row[0]].steps.append(_step(*row[1:]))
    return list(runs.values())


def _run(
    id: UUID,
    orchestration_id: UUID | None,
    collection_id: UUID,
    title: str,
    version: int,
    compiled: str,
    language: str,
    trigger: str,
    variables: str,
    node_id: UUID | None,
    user_id: int | None,
    chain: list[UUID],
    priority: int | None,
    cancelled: bool,
    tools: str | None,
) -> RunState:
    document = json.loads(compiled)
    return RunState(
        id=id,
        orchestration_id=orchestration_id,
        collection_id=collection_id,
        title=title,
        version=version,
        plan=from_json(document),
        compiled=document,
        language=language,
        trigger=json.loads(trigger),
        variables=json.loads(variables),
        node_id=node_id,
        user_id=user_id,
        chain=tuple(chain),
        priority=priority,
        cancelled=cancelled,
        tools=json.loads(tools or "{}"),
    )


def _step(
    step: int,
    alternative: int,
    line: int,
    text: str,
    tool: str,
    job_type: str,
    params: str,
    state: str,
    reason: str,
    result: str | None,
    error: str,
    exit_code: int | None,
    job_id: UUID | None,
    started_at: datetime,
    *job: Any,
) -> Step:
    return Step(
        step=step,
        alternative=alternative,
        tool=tool,
        line=line,
        text=text,
        job_type=job_type,
        params=json.loads(params),
        state=StepState(state),
        reason=reason,
        result=json.loads(result or "null"),
        error=error,
        exit_code=exit_code,
        job_id=job_id,
        started_at=started_at,
        job=_job(*job) if state == StepState.STARTED else None,
    )


def _job(
    status: str | None,
    outcome: str | None,
    result: str | None,
    error: str | None,
    started_at: datetime | None,
    completed_at: datetime | None,
    exit_code: int | None,
) -> JobView:
    return JobView(status, outcome, json.loads(result or "null"), error or "", exit_code, started_at, completed_at)
