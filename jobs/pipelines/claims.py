"""`try_begin`: whether a job may work on its step now. The row decides: it names the one job that may.

A step that is in flight under another job, over, or superseded refuses, and the job ends quietly. What forces a claim, a
run by hand or a reconciliation, does so by pointing a row at its own job; no job can claim for itself.
"""

from __future__ import annotations

from collections.abc import Sequence
from uuid import UUID

from jobs.pipelines.registry import all_job_types
from jobs.pipelines.rows import StepRow, step_row
from jobs.queue import ClaimedJob, Ended
from synops.store.sql import Cursor, load


def try_begin(cursor: Cursor, jobs: Sequence[UUID]) -> dict[UUID, StepRow]:
    """Claim the steps of these jobs; the claimed ones, by job."""
    cursor.execute(load("jobs.pipelines.sql", "begin"), {"jobs": list(jobs)})
    rows = [step_row(columns) for columns in cursor.fetchall()]
    return {row.job_id: row for row in rows}


def refused(job: ClaimedJob) -> Ended:
    """How a job ends whose claim was refused: quietly, and no failure of anybody's."""
    return Ended(job, "excluded", reason="claim_refused")


def before_run(cursor: Cursor, job: ClaimedJob) -> Ended | None:
    """Asked before a program of a pipeline's step is run: claims the step, or ends the job."""
    if job.job_type not in all_job_types():
        return None
    return None if try_begin(cursor, [job.id]) else refused(job)
