"""The shipped schedules of the queue itself. Importing this module declares them; the apps above declare their own."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.utils.translation import gettext_noop

from jobs.pipelines.reconciling import reconcile
from jobs.queue import ClaimedJob
from jobs.schedules import CronRefused, check, schedule
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
