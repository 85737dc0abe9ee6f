"""The steward (*vaktmesteren*): reads events, raises planned times, and picks up runs that nobody advanced.

Every worker keeps one; they need not know of each other. Its rounds are short and say nothing new when nothing is new.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import time
from collections.abc import Collection, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.conf import settings
from django.db import InterfaceError, OperationalError, connection, connections, transaction

from jobs.queue import Changed
from orchestration import clock
from orchestration.events import consume
from orchestration.planning import without_jit
from orchestration.runs import advance
from orchestration.upkeep import recompile_edited
from synops.store.sql import load

logger = logging.getLogger(__name__)

POLL_SECONDS = 0.5
SWEEP_SECONDS = 2.0
"""How often forgotten runs and planned times are looked for, at most: a sweep that takes long is made more rarely."""
SWEEP_SHARE = 20
SWEEP_BATCH = 200
KEPT_DAYS = 7
"""How long handled events are kept, so that a person can ask why one started nothing."""
PRUNE_SECONDS = 600.0
PRUNE_BATCH = 5000


EDITED_SECONDS = 30.0
"""How often recipes that were edited past the editor are looked for."""
ILL_SECONDS = 300.0
"""How long a run that could not be advanced is left alone: an error of ours must not take a sweep's whole batch."""


@dataclass
class Round:
    """What one round did. `more`: another should follow at once."""

    events: int = 0
    advanced: int = 0
    due: int = 0
    waiting: bool = False
    more: bool = False
    swept: bool = False

    @property
    def quiet(self) -> bool:
        """Nothing was done and nothing waits."""
        return not (self.events or self.advanced or self.due or self.waiting or self.more)


class Steward:
    """The worker's side task: one thread with a Django connection of its own, and rounds in it."""

    name = "steward"

    def __init__(self) -> None:
        self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="steward")
        self._stirred = True
        self._quiet = False
        self._away = False
        self._sweeper = Sweeper()
        self._next_sweep = 0.0
        self._next_prune = 0.0
        self._next_look = 0.0
        _stewards.append(self)

    async def run(self) -> None:
        """Rounds until cancelled. A database that is away is waited for."""
        try:
            while True:
                more = await self._round()
                if not more:
                    await asyncio.sleep(POLL_SECONDS)
        finally:
            _stewards.remove(self)
            with contextlib.suppress(RuntimeError):
                self._thread.submit(connections.close_all)
            self._thread.shutdown(wait=False)

    def idle(self) -> bool:
        """Whether the last round, begun after the last job finished, found nothing to do, and none is under way."""
        return self._quiet and not self._stirred

    def stir(self) -> None:
        """Something happened that the next round may find."""
        self._stirred = True

    async def _round(self) -> bool:
        stirred, self._stirred, self._quiet = self._stirred, False, False
        try:
            done = await asyncio.get_running_loop().run_in_executor(self._thread, self._work)
        except (OperationalError, InterfaceError) as error:
            if not self._away:  # one line an outage, however long it is
                logger.warning("the steward waits for the database: %s", str(error).strip().splitlines()[0])
            self._away = True
            await asyncio.get_running_loop().run_in_executor(self._thread, connections.close_all)
            self._stirred = True
            return False
        self._away = False
        self._quiet = done.quiet
        # What stirred us may be found by a sweep alone: not quiet until one has followed.
        self._stirred = self._stirred or (stirred and not done.swept)
        return done.more

    def _work(self) -> Round:
        # No close_old_connections(): it would make a new connection for every round, two a second.
        done = Round()
        read_events(done)
        now = time.monotonic()
        if now >= self._next_sweep:
            self._sweeper.sweep(done)
            self._next_sweep = now + max(SWEEP_SECONDS, (time.monotonic() - now) * SWEEP_SHARE)
        if now >= self._next_look:
            recompile_edited()
            self._next_look = now + EDITED_SECONDS
        if now >= self._next_prune:
            prune_events()
            self._next_prune = now + PRUNE_SECONDS
        return done


_stewards: list[Steward] = []


def on_finished(jobs: Sequence[Changed]) -> None:
    """Jobs have finished: advance their runs. Whatever is missed here, a sweep finds."""
    for steward in _stewards:
        steward.stir()
    tell_of_ticks([job.id for job in jobs if job.job_type == clock.RECIPE_TICK and job.outcome == "succeeded"])
    for run_id in dict.fromkeys(job.run_id for job in jobs if job.run_id is not None and job.outcome is not None):
        advance_safely(run_id)


def tell_of_ticks(ids: Sequence[UUID]) -> None:
    """Runs that the clock has started are known only now that their transaction has committed."""
    if ids:
        with connection.cursor() as cursor:
            clock.tell(cursor, ids)


def advance_safely(run_id: UUID) -> bool | None:
    """Advance a run: whether it was unfinished, or None when that failed. One run's error leaves the others alone."""
    try:
        return advance(run_id)
    except (OperationalError, InterfaceError):
        raise
    except Exception:
        logger.exception("run %s could not be advanced; a later sweep tries again", run_id)
        return None


def read_events(done: Round) -> None:
    """One batch of the outbox."""
    consumed = consume()
    done.events += consumed.events
    done.more = consumed.full
    if not consumed.events:
        done.waiting = undone_events()


def undone_events() -> bool:
    """Whether events wait: for another consumer, or for their node to get into a collection."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT EXISTS (SELECT FROM graph_events WHERE done_at IS NULL)")
        return bool((cursor.fetchone() or [False])[0])


class Sweeper:
    """Everything that is looked for by the clock."""

    def __init__(self) -> None:
        self._ill: dict[UUID, float] = {}

    def sweep(self, done: Round) -> None:
        """Raise planned times, and advance runs that nobody advanced."""
        now = time.monotonic()
        self._ill = {run: until for run, until in self._ill.items() if until > now}
        done.due += raise_due()
        for run_id in forgotten_runs(self._ill):
            if advance_safely(run_id) is None:
                self._ill[run_id] = now + ILL_SECONDS
            else:
                done.advanced += 1
        done.swept = True


def forgotten_runs(but: Collection[UUID] = ()) -> list[UUID]:
    """Unfinished runs without a live job."""
    with transaction.atomic(), connection.cursor() as cursor:
        without_jit(cursor)
        parameters: dict[str, Any] = {"limit": SWEEP_BATCH, "but": list(but)}
        cursor.execute(load("orchestration.sql", "forgotten_runs"), parameters)
        return [row[0] for row in cursor.fetchall()]


def raise_due() -> int:
    """Raise scheduled.due for every planned time that has come; how many. Any number of workers may do it at once."""
    with transaction.atomic(), connection.cursor() as cursor:
        without_jit(cursor)
        cursor.execute(load("orchestration.sql", "raise_due"), {"zone": settings.TIME_ZONE})
        return int(cursor.rowcount)


def prune_events() -> int:
    """Forget events handled long ago; how many. A planned time is remembered as long as its node exists."""
    with connection.cursor() as cursor:
        cursor.execute(load("orchestration.sql", "prune_events"), {"days": KEPT_DAYS, "limit": PRUNE_BATCH})
        return int(cursor.rowcount)
