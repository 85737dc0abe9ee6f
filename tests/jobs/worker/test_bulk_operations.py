"""A bulk operation outlives the worker that has it in hand: what was committed counts once, the rest is done by another."""

from __future__ import annotations

import signal

from django.contrib.admin.models import LogEntry
from django.db import transaction

from jobs.models import BulkOperation, Job
from jobs.operations import PRIORITISE
from tests.deadline import wait_until
from tests.jobs.test_bulk import begun, fill
from tests.people import make_collection, make_user

JOBS = 3_000


def test_a_killed_worker_loses_no_piece_and_none_is_done_twice(start_worker):
    boss = make_user("boss", superuser=True)
    fill(make_collection("Podcast"), JOBS)
    bulk = begun(boss, PRIORITISE, value=6)
    worker = start_worker()

    def seen() -> int:
        bulk.refresh_from_db()
        return bulk.seen

    wait_until(lambda: seen() > 0, "the first thousand are done", 60)
    worker.signal(signal.SIGKILL)
    worker.ended()
    with transaction.atomic():  # once its connection is noticed to be dead, nobody has the operation in hand
        BulkOperation.objects.select_for_update().get()
    start_worker("--drain").ended()
    bulk = BulkOperation.objects.get()
    assert bulk.finished_at is not None
    assert (bulk.seen, bulk.changed, bulk.total, bulk.error) == (JOBS, JOBS, JOBS, "")
    assert Job.objects.filter(priority=6).count() == JOBS
    assert LogEntry.objects.filter(change_message="Priority changed.").count() == JOBS
