"""What the clock does for cases: select new ones, bring the replica up to date, and what only a person starts."""

from __future__ import annotations

from typing import Any

from django.utils.translation import gettext_lazy as _

from jobs import queue
from jobs.pipelines.cases.campaigns import CAMPAIGNS
from jobs.pipelines.cases.opening import select
from jobs.pipelines.cases.pipeline import SQL
from jobs.queue import ClaimedJob, NewJob
from jobs.registries import Inline, registries
from jobs.schedules.declared import NEVER, schedule, schedule_job
from synops.store.sql import Cursor, load

KIND_BATCH = 1_000


def selection(cursor: Cursor, _job: ClaimedJob) -> dict[str, Any]:
    """Open the cases that qualify, no more than PIPELINE_MAX_CASES_PER_TICK."""
    return {"opened": [unit.unit for unit in select(cursor)]}


def backfill_document_kind(cursor: Cursor, job: ClaimedJob) -> dict[str, Any]:
    """Give a batch of documents the kind that their stored facts have; with more to come, enqueue what goes on."""
    after = int(job.payload.get("after", 0))
    cursor.execute(load(SQL, "backfill_kinds"), {"after": after, "most": KIND_BATCH})
    last, changed = cursor.fetchone() or (None, 0)
    if last is not None:
        queue.enqueue(cursor, NewJob(job.collection_id, "backfill_document_kind", {"after": last}, priority=1))
    return {"changed": changed, "after": after if last is None else last}


def kind_problems(payload: Any) -> list[str]:
    """What is wrong with the payload of `backfill_document_kind`."""
    fits = isinstance(payload, dict) and set(payload) <= {"after"} and isinstance(payload.get("after", 0), int)
    return [] if fits else ['The payload may have "after", the id of the document to go on behind.']


def register() -> None:
    """Declare them all; seeding makes rows of them."""
    schedule(
        "selection",
        "*/10 * * * *",
        description=_("Selects new cases of active schemes with a qualifying status from the replica."),
    )(selection)
    # The source is built once a day; asking more often finds nothing new.
    schedule_job(
        "replica_sync",
        "30 5 * * *",
        job_type="replica_sync",
        description=_("Brings the replica of cases up to the source, when that is newer."),
    )
    schedule_job(
        "replica_full_sync",
        NEVER,
        job_type="replica_sync",
        payload={"full": True},
        description=_("Reads the whole source anew, whether it is newer or not."),
        dormant=True,
    )
    for campaign in CAMPAIGNS:
        campaign.register()
    registries.register_inline(Inline("backfill_document_kind", backfill_document_kind, validate=kind_problems))
    schedule_job(
        "backfill_document_kind",
        NEVER,
        job_type="backfill_document_kind",
        description=_("Gives documents without a kind the one that their stored facts have."),
        dormant=True,
    )
