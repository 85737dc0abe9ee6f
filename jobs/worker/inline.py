"""Runs jobs inside the worker, a batch in one transaction: what a job writes and how it ended are committed together.

So an inline job takes effect exactly once, whatever dies. Each job has a savepoint: one that fails takes only its own
writes back.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any
from uuid import UUID

import psycopg

from jobs import queue
from jobs.queue import Changed, ClaimedJob, Ended
from jobs.registries import Inline, InlineRefused
from jobs.worker.finisher import Finisher
from jobs.worker.lane import DatabaseAway, Lane
from synops.store.sql import Cursor

logger = logging.getLogger(__name__)

AWAY_SECONDS = 1.0


class Contested(Exception):
    """Some jobs of the batch are no longer this worker's; the transaction must leave nothing behind."""


class InlineRunner:
    """One batch after another, in a lane of its own. While one runs the next is claimed, and waits here.

    `freed` is called when there is room for the batch that somebody had none for (`has_room`).
    """

    def __init__(
        self,
        lane: Lane,
        handlers: Mapping[str, Inline],
        finisher: Finisher,
        told: Callable[[Sequence[Changed]], Awaitable[None]],
        freed: Callable[[], None],
    ) -> None:
        self._lane = lane
        self._handlers = handlers
        self._finisher = finisher
        self._told = told
        self._freed = freed
        self._running: Sequence[ClaimedJob] = ()
        self._next: Sequence[ClaimedJob] = ()
        self._refused = False
        self._task: asyncio.Task[None] | None = None
        self._telling: set[asyncio.Task[None]] = set()

    @property
    def busy(self) -> bool:
        """Whether a batch is being run, or told of."""
        return self._task is not None or bool(self._telling)

    def has_room(self) -> bool:
        """Whether no batch waits yet. Whoever hears no is told through `freed` when there is room."""
        self._refused = bool(self._next)
        return not self._refused

    def start(self, jobs: Sequence[ClaimedJob]) -> None:
        """Run a batch that has been claimed; there must be room for it."""
        self._next = tuple(jobs)
        if self._task is None:
            self._task = asyncio.create_task(self._run(), name="inline")

    def holds(self) -> set[tuple[UUID, int]]:
        """(id, lease) of the jobs of both batches."""
        return {(job.id, job.lease) for job in (*self._running, *self._next)}

    async def finished(self) -> None:
        """Give back what waits, and let end what runs. It is short: an outage ends the wait, and the jobs are rescued."""
        for job in self._next:
            self._finisher.interrupted(job)
        self._next = ()
        if working := [task for task in (self._task, *self._telling) if task]:
            await asyncio.wait(working, timeout=AWAY_SECONDS * 5)

    async def _run(self) -> None:
        try:
            while self._next:
                self._running, self._next = self._next, ()
                if self._refused:
                    self._freed()
                for part in await self._attempt(self._running):
                    await self._attempt([part])
        finally:
            self._running, self._task = (), None

    async def _attempt(self, jobs: Sequence[ClaimedJob]) -> Sequence[ClaimedJob]:
        """Run jobs in one transaction; those to run one by one, because together they could not be committed."""
        while True:
            try:
                changed = await self._lane.call(run_batch, jobs, self._handlers)
            except DatabaseAway as error:
                # Still this worker's under their leases; if they have been rescued meanwhile, that shows at the finish.
                logger.warning("%d inline jobs wait for the database: %s", len(jobs), error)
                await asyncio.sleep(AWAY_SECONDS)
            except (Contested, psycopg.Error, ValueError, TypeError, RecursionError) as error:
                if len(jobs) == 1:
                    self._finisher.add(Ended(jobs[0], "failed", reason="inline_error", error=str(error)))
                    return ()
                return jobs
            else:
                self._tell(changed)
                return ()

    def _tell(self, changed: Sequence[Changed]) -> None:
        """Beside the next batch: those who are told work in a thread of their own."""
        task = asyncio.ensure_future(self._told(changed))
        self._telling.add(task)
        task.add_done_callback(self._telling.discard)


def run_batch(cursor: Cursor, jobs: Sequence[ClaimedJob], handlers: Mapping[str, Inline]) -> Sequence[Changed]:
    """Run jobs in the cursor's transaction and record how they ended. Raises Contested when that must be undone."""
    finished = queue.finish_inline(cursor, jobs[0].worker_id, _run_all(cursor, jobs, handlers))
    if finished.stale or finished.held:
        raise Contested(f"{len(finished.stale)} jobs are stale, {len(finished.held)} are held by someone else")
    return finished.changed


def _run_all(cursor: Cursor, jobs: Sequence[ClaimedJob], handlers: Mapping[str, Inline]) -> list[Ended]:
    """All jobs under one savepoint; only when one of them fails, all again with a savepoint each.

    A savepoint a job costs two round trips, more than everything else that happens to a small job.
    """
    cursor.execute("SAVEPOINT inline_batch")
    try:
        return _together(cursor, jobs, handlers)
    except psycopg.OperationalError:
        raise
    except Exception:  # noqa: BLE001 (which job it was, and what to do about it, is found out in the second round)
        cursor.execute("ROLLBACK TO SAVEPOINT inline_batch")
    return [_run_one(cursor, job, handlers) for job in jobs]


def _together(cursor: Cursor, jobs: Sequence[ClaimedJob], handlers: Mapping[str, Inline]) -> list[Ended]:
    """In the order given; the jobs of a type that takes many at once are handed over when the first of them comes."""
    if not any(handlers[job.job_type].run_many for job in jobs):
        return [
            _refusal(job, handlers) or Ended(job, "succeeded", result=_result(cursor, job, handlers)) for job in jobs
        ]
    batches: dict[str, list[ClaimedJob]] = {}
    for job in jobs:
        batches.setdefault(job.job_type if handlers[job.job_type].run_many else str(job.id), []).append(job)
    return [ended for batch in batches.values() for ended in _batch(cursor, batch, handlers)]


def _batch(cursor: Cursor, jobs: Sequence[ClaimedJob], handlers: Mapping[str, Inline]) -> Sequence[Ended]:
    refused = [ended for job in jobs if (ended := _refusal(job, handlers))]
    refused_ids = {ended.job.id for ended in refused}
    rest = [job for job in jobs if job.id not in refused_ids]
    run_many = handlers[jobs[0].job_type].run_many
    if run_many is None:
        return [*refused, *(Ended(job, "succeeded", result=_result(cursor, job, handlers)) for job in rest)]
    return [*refused, *(run_many(cursor, rest) if rest else ())]


def _result(cursor: Cursor, job: ClaimedJob, handlers: Mapping[str, Inline]) -> Any:
    return handlers[job.job_type].run(cursor, job)


def _refusal(job: ClaimedJob, handlers: Mapping[str, Inline]) -> Ended | None:
    problems = handlers[job.job_type].validate(job.payload)
    if not problems:
        return None
    return Ended(job, "failed", reason="payload_invalid", error="\n".join(problems), permanent=True)


def _run_one(cursor: Cursor, job: ClaimedJob, handlers: Mapping[str, Inline]) -> Ended:
    cursor.execute("SAVEPOINT inline_job")
    try:
        (ended,) = _batch(cursor, [job], handlers)
    except psycopg.OperationalError:
        raise
    except InlineRefused as refused:
        cursor.execute("ROLLBACK TO SAVEPOINT inline_job")
        return Ended(job, "failed", reason=refused.reason, error=str(refused), permanent=True)
    except Exception as error:  # noqa: BLE001 (whatever a handler does is an answer, and is stored with the job)
        cursor.execute("ROLLBACK TO SAVEPOINT inline_job")
        return Ended(job, "failed", reason="inline_error", error=f"{type(error).__name__}: {error}")
    cursor.execute("RELEASE SAVEPOINT inline_job")
    return ended
