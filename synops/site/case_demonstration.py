"""The demo's cases: fifteen invented ones as a source, the replica brought up to it, and what the pipeline makes of each."""

from __future__ import annotations

import time
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

from django.conf import settings
from django.db import connection, transaction
from django.utils import timezone

from jobs import queue
from jobs.pipelines.cases.models import CaseFile
from jobs.queue import NewJob
from synops.demo import cases
from synops.site.demonstration import DemoFailed, somebody_working
from synops.store.identities import SYSTEM_COLLECTION_ID

AFTER_SECONDS = 45
"""On the first start the recording comes first: a newcomer watches that, and two demos at once would slow both down."""

LONGEST_SECONDS = 600.0


def load_once() -> bool:
    """Write the demo's cases as the source and have them synchronised soon; False when there is a source already."""
    root = Path(settings.CASES_SOURCE)
    if "://" in settings.CASES_SOURCE or not cases.write(root):
        return False
    ask_for_sync(AFTER_SECONDS)
    return True


def ask_for_sync(seconds: int = 0) -> None:
    """Enqueue a synchronisation; selection follows it."""
    when = timezone.now() + timedelta(seconds=seconds) if seconds else None
    job = NewJob(SYSTEM_COLLECTION_ID, "replica_sync", {}, priority=1, scheduled_for=when, dedupe_key="demo")
    with transaction.atomic(), connection.cursor() as cursor:
        queue.enqueue_unique(cursor, job, "replace")


def ended() -> Iterator[CaseFile]:
    """The demo's cases in the order in which their runs end; by a live worker, or one started for the purpose."""
    wanted = {case.number for case in cases.demo_cases() if case.state}
    with somebody_working() as worker:
        deadline = time.monotonic() + LONGEST_SECONDS
        while wanted:
            hopeful = worker.is_working() and time.monotonic() < deadline
            for case in CaseFile.objects.filter(number__in=wanted).exclude(state="").order_by("number"):
                wanted.discard(case.number)
                yield case
            if wanted and not hopeful:
                raise DemoFailed(f"{len(wanted)} cases have not ended. {worker.last_words()}")
            time.sleep(0.1)
