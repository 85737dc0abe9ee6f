"""The claims, how they are put together from their parts in jobs/sql, and what one claim remembers for the next.

A claim passes the dead index entries of every job claimed since the oldest open snapshot: as long as somebody runs
pg_dump, each claim costs more than the last. Two things that it has just seen let the next one begin behind them:

- the `floor`: no running row has a smaller `claim_no`. Exact, because numbers are given out under the claim lock.
- the `heads`: where the best level of each type begins. Only a hint: a row may come in before it, or above. So a pass
  from memory that leaves room is repeated without it, and one without it is made every ten seconds, and a second after
  news at the latest.

A memory belongs to a session of the database: a server that has crashed may have forgotten its last claims, and with
them their numbers.
"""

from __future__ import annotations

import json
import time
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Any, TypeAlias
from uuid import UUID

from jobs.queue.records import ClaimedJob, Limits
from synops.store.sql import Cursor, load

FULL_PASS_SECONDS = 10.0
NEWS_SECONDS = 1.0
INLINE_BATCH = 200

RESERVE_AFTER_SECONDS = 60.0
"""A job that has waited this long and would fit an empty machine is not passed by lighter ones any more."""


Heads: TypeAlias = tuple[str, str, str, str]
"""Types, priorities, due times and ids, each as the text of an array: the session's own, and nobody reads them here."""
NO_HEADS = (None, None, None, None)
HEADS = ("head_types", "head_priorities", "head_times", "head_ids")


def remembering(floor: int = 0, heads: Heads | None = None) -> dict[str, Any]:
    """The parameters of admission.sql that say what is remembered; without arguments nothing is."""
    return {"floor": floor, **dict(zip(HEADS, heads or NO_HEADS, strict=True))}


@dataclass
class ClaimMemory:
    """What the claims of one lane have seen. `news()` may be called from any thread; the rest is the lane's own."""

    session: int | None = None
    floor: int = 0
    heads: Heads | None = None
    full_pass_at: float = float("-inf")
    has_news: bool = False

    def news(self) -> None:
        """Something has been enqueued, or moved within the queue: it may stand before what is remembered."""
        self.has_news = True

    def attach(self, session: int) -> None:
        """Forget everything if this is another session than the last one."""
        if session != self.session:
            self.session, self.floor, self.heads = session, 0, None

    def hints(self) -> Heads | None:
        """The heads to begin from; None when it is time to look at everything."""
        age = time.monotonic() - self.full_pass_at
        return None if age >= (NEWS_SECONDS if self.has_news else FULL_PASS_SECONDS) else self.heads

    def looking_at_everything(self) -> None:
        """A full pass begins: what comes in from now on is news."""
        self.full_pass_at, self.has_news = time.monotonic(), False


def claim(
    cursor: Cursor,
    *,
    worker_id: UUID,
    machine: str,
    types: Sequence[str],
    slots: int,
    budget: int,
    live_call: bool = False,
    disk_full: bool = False,
    reserve_after_seconds: float = RESERVE_AFTER_SECONDS,
    memory: ClaimMemory | None = None,
) -> list[ClaimedJob]:
    """Take up to `slots` due jobs of `types`, within every limit. Needs a READ COMMITTED transaction of its own.

    A worker that gives the same `memory` each time pays less for a claim beside old snapshots.
    """
    parameters = {
        "worker": worker_id,
        "machine": machine,
        "types": list(types),
        "slots": slots,
        "budget": budget,
        "live_call": live_call,
        "disk_full": disk_full,
        "reserve_after": reserve_after_seconds,
    }
    return take(cursor, claim_statement(), parameters, memory or ClaimMemory())


def claim_inline(
    cursor: Cursor,
    *,
    worker_id: UUID,
    types: Sequence[str],
    machine: str = "",
    live_call: bool = False,
    disk_full: bool = False,
    memory: ClaimMemory | None = None,
) -> list[ClaimedJob]:
    """Take up to 200 due jobs of types that run inside the worker, those of one order key one after another."""
    parameters = {
        "worker": worker_id,
        "machine": machine,
        "types": list(types),
        "slots": INLINE_BATCH,
        "live_call": live_call,
        "disk_full": disk_full,
    }
    jobs = take(cursor, claim_inline_statement(), parameters, memory or ClaimMemory())
    return sorted(jobs, key=lambda job: job.id)


def take(cursor: Cursor, statement: str, parameters: dict[str, Any], memory: ClaimMemory) -> list[ClaimedJob]:
    """Claim up to `slots` jobs with the statement, from memory where that is enough."""
    cursor.execute(load("jobs.sql", "claim_lock"))
    [session, *_] = cursor.fetchone() or (None,)
    memory.attach(session)
    hints = memory.hints()
    jobs = _pass(cursor, statement, parameters, memory, hints)
    if hints is not None and len(jobs) < parameters["slots"]:
        rest = {**parameters, "slots": parameters["slots"] - len(jobs)}
        jobs += _pass(cursor, statement, rest, memory, None)
    return jobs


def _pass(
    cursor: Cursor, statement: str, parameters: dict[str, Any], memory: ClaimMemory, heads: Heads | None
) -> list[ClaimedJob]:
    if heads is None:
        memory.looking_at_everything()
    cursor.execute(statement, parameters | remembering(memory.floor, heads))
    *rows, remembered = cursor.fetchall()
    memory.floor, *found = remembered[-5:]
    memory.heads = None if found[0] is None else tuple(found)
    return [_claimed(row, parameters["worker"]) for row in rows]


def _claimed(row: tuple[Any, ...], worker_id: UUID) -> ClaimedJob:
    id, collection, job_type, payload, lease, attempt, max_attempts, run_id, chain, *limits = row[:13]
    return ClaimedJob(
        id=id,
        collection_id=collection,
        job_type=job_type,
        payload=json.loads(payload),
        lease=lease,
        worker_id=worker_id,
        attempt=attempt,
        max_attempts=max_attempts,
        run_id=run_id,
        chain=tuple(UUID(id) for id in chain or ()),
        limits=_limits(*limits),
    )


_limits = lru_cache(64)(Limits)
"""The same limits are the same object: a batch has few different ones."""


@cache
def claim_statement() -> str:
    """The claim for jobs that run in slots."""
    return _statement(_admission(), "fitting", "remembered", "claim")


@cache
def claim_inline_statement() -> str:
    """The claim for jobs that run inside the worker."""
    return _statement(_admission(load("jobs.sql", "in_order")), "remembered", "claim_inline")


@cache
def why_waiting_statement() -> str:
    """The claim's arithmetic about one job, with nothing claimed; always with `remembering()` nothing."""
    return _statement(_admission(), "fitting", "why_waiting")


def _admission(waiting: str = "") -> str:
    """`waiting`: what stands in place of job_queue where waiting jobs are read."""
    text = load("jobs.sql", "admission")
    return text.replace("/* waiting */ job_queue", f"({waiting})") if waiting else text


def _statement(admission: str, *names: str) -> str:
    return "WITH RECURSIVE\n" + ",\n".join([admission, *(load("jobs.sql", name) for name in names)])
