"""The registries through which apps above reach into the queue: they fill them in `AppConfig.ready()`.

Arrows only go down (docs/architecture.md): `jobs` calls what is registered and knows nobody's name.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from jobs.queue import Changed, ClaimedJob, Ended
from synops.store.sql import Cursor

InlineHandler = Callable[[Cursor, ClaimedJob], Any]
"""Runs a job inside the worker, in the transaction that also records its end; what it returns is the result."""


InlineBatch = Callable[[Cursor, Sequence[ClaimedJob]], Sequence[Ended]]
"""Runs several jobs of one type at once and says how each ended; what they write is kept, however they ended."""


class InlineRefused(Exception):
    """An inline job that can never succeed. `reason` is a code, the text a sentence."""

    def __init__(self, reason: str, text: str) -> None:
        super().__init__(text)
        self.reason = reason


@dataclass(frozen=True)
class Inline:
    """A job type that runs inside the worker, without a program.

    `validate` says what is wrong with a payload, one sentence each. `order_key` names the entity whose jobs run one
    after another (None = any order). `schema` is the payload's JSON Schema, for forms and the API. `run_many`, when there
    is one, is used instead of `run`.
    """

    job_type: str
    run: InlineHandler
    validate: Callable[[Any], list[str]]
    order_key: Callable[[Any], str | None] = lambda _payload: None
    schema: dict[str, Any] | None = None
    run_many: InlineBatch | None = None


class SideTask(Protocol):
    """A loop that every worker keeps alive, such as the steward. It dies only with the worker."""

    name: str

    async def run(self) -> None:
        """Loop until cancelled. An exception stops the worker: a worker without its side tasks only looks alive."""

    def idle(self) -> bool:
        """Whether it has nothing to do; `runworker --drain` ends when all are."""


OnFinished = Callable[[Sequence[Changed]], None]
"""Told after a finish has committed, in a thread that may use Django's connection. Missing a call must be harmless."""

BeforeRun = Callable[[Cursor, ClaimedJob], Ended | None]
"""Asked in the transaction that prepares a program's run: how the job ends without being run, or None to run it."""

BeforeWork = Callable[[Cursor], Any]
"""Done once by a worker that has registered, before its first claim, in a transaction. Must be short."""

OnToolsChanged = Callable[[], None]
"""Told after `sync_tools` has committed."""


class Registries:
    """What the apps have registered in this process."""

    def __init__(self) -> None:
        self.inline: dict[str, Inline] = {}
        self.side_tasks: list[Callable[[], SideTask]] = []
        self.on_finished: list[OnFinished] = []
        self.before_run: list[BeforeRun] = []
        self.before_work: list[BeforeWork] = []
        self.on_tools_changed: list[OnToolsChanged] = []

    def register_inline(self, handler: Inline) -> None:
        """Register a job type that runs inside the worker; the same type twice is an error in the program."""
        if handler.job_type in self.inline:
            raise ValueError(f"two inline handlers for {handler.job_type}")
        self.inline[handler.job_type] = handler

    def register_side_task(self, factory: Callable[[], SideTask]) -> None:
        """Register a loop; `factory` is called once in each worker."""
        self.side_tasks.append(factory)

    def register_on_finished(self, listener: OnFinished) -> None:
        """Register a listener for finished jobs."""
        self.on_finished.append(listener)

    def register_before_run(self, question: BeforeRun) -> None:
        """Register something that may keep a program from being run."""
        self.before_run.append(question)

    def register_before_work(self, work: BeforeWork) -> None:
        """Register something that a worker does before its first claim."""
        self.before_work.append(work)

    def register_on_tools_changed(self, listener: OnToolsChanged) -> None:
        """Register a listener for new, changed and vanished tools."""
        self.on_tools_changed.append(listener)


registries = Registries()
