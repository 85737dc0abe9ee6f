"""Runs over all cases, in the bulk lane: each job opens a batch and enqueues the next job, which goes on behind it.

So a campaign is resumed by nothing but the queue, and the lane never holds more than MOST_OPEN runs: what comes by
selection or by hand waits behind no more than these.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from jobs import queue
from jobs.pipelines import AlreadyOpen, Opening, open_unit
from jobs.pipelines.cases import opening
from jobs.pipelines.cases.opening import NothingToRead
from jobs.pipelines.cases.pipeline import SQL
from jobs.queue import ClaimedJob, NewJob
from jobs.registries import Inline, registries
from jobs.schedules.declared import NEVER, schedule_job
from synops.store.sql import Cursor, load

BATCH = 100
MOST_OPEN = 200
WAIT_SECONDS = 30
"""How long a campaign waits when the lane is full."""


@dataclass(frozen=True)
class Campaign:
    """Which cases (a statement that takes `after` and `most`, in order of their numbers), and what is opened for each."""

    name: str
    description: str | Promise
    statement: str
    open: Callable[[Cursor, str], Opening]

    def register(self) -> None:
        """Make it a job type, and a schedule that only a person runs."""
        registries.register_inline(Inline(self.name, self.run, validate=problems))
        schedule_job(self.name, NEVER, job_type=self.name, description=self.description, dormant=True)

    def run(self, cursor: Cursor, job: ClaimedJob) -> dict[str, Any]:
        """Open the next batch behind `after`; with more to come, enqueue what goes on."""
        after = str(job.payload.get("after", ""))
        room = MOST_OPEN - _open_in_bulk(cursor)
        numbers = self._next(cursor, after, min(room, BATCH)) if room > 0 else []
        opened = sum(self._open(cursor, number) for number in numbers)
        full = room <= 0
        if full or numbers:
            self._go_on(cursor, job, numbers[-1] if numbers else after, WAIT_SECONDS if full else 0)
        return {"opened": opened, "skipped": len(numbers) - opened, "after": numbers[-1] if numbers else after}

    def _next(self, cursor: Cursor, after: str, most: int) -> list[str]:
        cursor.execute(load(SQL, self.statement), {"after": after, "most": most})
        return [row[0] for row in cursor.fetchall()]

    def _open(self, cursor: Cursor, number: str) -> bool:
        """Whether a run was opened: a case that is being run by hand is left alone."""
        try:
            open_unit(cursor, self.open(cursor, number), cause="bulk")
        except (AlreadyOpen, NothingToRead):
            return False
        return True

    def _go_on(self, cursor: Cursor, job: ClaimedJob, after: str, seconds: int) -> None:
        cursor.execute("SELECT now() + make_interval(secs => %(seconds)s)", {"seconds": seconds})
        row = cursor.fetchone()
        following = NewJob(
            job.collection_id,
            self.name,
            {"after": after},
            priority=1,
            scheduled_for=row[0] if row and seconds else None,
        )
        queue.enqueue(cursor, following)


def problems(payload: Any) -> list[str]:
    """What is wrong with a campaign's payload."""
    fits = isinstance(payload, dict) and set(payload) <= {"after"} and isinstance(payload.get("after", ""), str)
    return [] if fits else ['The payload may have "after", the number of the case to go on behind.']


def _open_in_bulk(cursor: Cursor) -> int:
    cursor.execute(load(SQL, "open_in_bulk"))
    row = cursor.fetchone()
    return int(row[0]) if row else 0


def _whole(_cursor: Cursor, number: str) -> Opening:
    return opening.whole(number)


def _evaluation(_cursor: Cursor, number: str) -> Opening:
    return opening.evaluation(number)


CAMPAIGNS = (
    Campaign(
        "bulk_reevaluation",
        _("Evaluates every case anew with the facts that are stored, after a rule set has changed."),
        "evaluated_cases",
        _evaluation,
    ),
    Campaign(
        "bulk_reextraction",
        _("Reads the documents of every case anew and evaluates it, after an extractor has changed."),
        "fetched_cases",
        opening.extraction,
    ),
    Campaign(
        "backfill_manifest",
        _("Fetches cases that have ended a run and have no list of documents."),
        "cases_without_manifest",
        _whole,
    ),
    Campaign(
        "retry_permanently_failed",
        _("Runs every case anew whose latest run has failed for good."),
        "failed_cases",
        _whole,
    ),
)
