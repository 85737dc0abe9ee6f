"""The shipped schedules of the queue itself. Importing this module declares them; the apps above declare their own."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.utils.translation import gettext_noop

from jobs import queue, retention
from jobs.pipelines.reconciling import reconcile
from jobs.queue import ClaimedJob, NewJob
from jobs.schedules import CronRefused, check, schedule, schedule_job
from synops.store.sql import Cursor

EVERY_TEN_MINUTES = "*/10 * * * *"


def reconciliation_cron() -> str:
    """The setting; where it is no cron line the default, and `manage.py check` says so."""
    try:
        return check(settings.PIPELINE_RECONCILIATION_CRON)
    except CronRefused:
        return EVERY_TEN_MINUTES


@schedule(
    "reconciliation",
    reconciliation_cron(),
    description=gettext_noop("Puts right what dead processes have left behind in the pipelines, and counts it."),
    priority=5,
)
def reconciliation(cursor: Cursor, _job: ClaimedJob) -> Any:
    """The repairs of one round as the job's result: {pipeline: {kind: how many}}."""
    result: dict[str, dict[str, int]] = {}
    for (name, kind), repaired in reconcile(cursor).items():
        result.setdefault(name, {})[kind] = repaired
    return result


@schedule(
    "retention",
    "17 * * * *",
    description=gettext_noop("Lets old jobs, logs and records of pipelines go, a batch at a time."),
)
def expire(cursor: Cursor, job: ClaimedJob) -> Any:
    """One batch; a full one is followed by another job, so that nothing ever waits for a long transaction."""
    ages = retention.Ages(settings.JOB_RETENTION_DAYS, settings.LOG_RETENTION_DAYS)
    gone = retention.expire_batch(cursor, ages)
    if gone >= retention.BATCH:
        queue.enqueue(cursor, NewJob(job.collection_id, job.job_type, {}, priority=1))
    return {"rows": gone}


schedule_job(
    "stats_parse",
    "20 4 * * *",
    job_type="stats_parse",
    description=gettext_noop("Counts the downloads of episodes from the web server's logs."),
)
