"""One piece of a bulk operation: a thousand jobs changed, and how far it has come, in one transaction.

So a piece counts exactly once, whichever worker dies. Between two pieces nothing is held, and rights are asked again.
"""

from __future__ import annotations

import logging
from collections import Counter

from django.contrib.auth.models import User
from django.db import DatabaseError, InterfaceError, OperationalError, transaction
from django.db.models import QuerySet
from django.db.models.functions import Coalesce, Now
from django.db.models.lookups import LessThan

from jobs.bulk.beginning import told
from jobs.bulk.models import BulkOperation
from jobs.filters import found
from jobs.keyset import ORDER, PLACE_OF_ROW, Place, at
from jobs.models import Job
from jobs.operations import CHUNK, OPERATIONS, Operation, Result, may, perform_piece
from synops.graph.patience import TookTooLong, patience

logger = logging.getLogger(__name__)

LONGEST_SECONDS = 60
"""What finding a thousand jobs may take: a filter without an index reads many rows for few."""


def do_piece() -> bool:
    """The next piece of the oldest bulk operation that no other worker has in hand; False when there is none."""
    with transaction.atomic():
        open_ones = BulkOperation.objects.filter(finished_at__isnull=True).order_by("created_at")
        bulk = open_ones.select_for_update(skip_locked=True).first()
        if bulk is None:
            return False
        try:
            with transaction.atomic():
                go_on(bulk)
        except (OperationalError, InterfaceError):  # the database is away: tried again
            raise
        except TookTooLong:
            finish(bulk, f"finding the next {CHUNK} jobs took more than {LONGEST_SECONDS} s; narrow the filters")
        except (DatabaseError, ValueError, KeyError) as error:
            logger.exception("bulk operation %s ends: a piece of it failed", bulk.pk)
            finish(bulk, (str(error).strip().splitlines() or [type(error).__name__])[0])
    return True


def go_on(bulk: BulkOperation) -> None:
    """Change the next jobs; end it when there are none, or when the person has lost the right or wants it stopped."""
    operation, user = OPERATIONS[bulk.operation], User.objects.get(pk=bulk.user_id)
    if bulk.stop_requested_at is not None:
        finish(bulk)
    elif not (user.is_active and may(user, operation)):
        finish(bulk, f"{operation.permission} is needed")
    elif jobs := next_jobs(bulk, operation, user):
        change(bulk, operation, user, jobs)
    else:
        finish(bulk)


def next_jobs(bulk: BulkOperation, operation: Operation, user: User) -> list[Job]:
    """The jobs after the place that are in a state which the operation changes. Index: job_queue_created or a filter's."""
    rows = rows_of(bulk, user).filter(status__in=operation.states, created_at__lte=bulk.created_at)
    if bulk.place:
        rows = rows.filter(LessThan(PLACE_OF_ROW, at(Place.parse(bulk.place))))
    with patience(LONGEST_SECONDS):
        return list(rows.order_by(*ORDER).only("id", "created_at")[:CHUNK])


def rows_of(bulk: BulkOperation, user: User) -> QuerySet[Job]:
    """The chosen jobs, as far as the person may see them now. Raises ValueError for filters that are none any more."""
    visible = Job.objects.visible_to(user)
    if bulk.job_ids is not None:
        return visible.filter(pk__in=bulk.job_ids)
    filters, rows = found(bulk.filters, visible)
    if not filters.is_valid():
        raise ValueError(f"the filters are not valid: {filters.errors.as_json()}")
    return rows


def change(bulk: BulkOperation, operation: Operation, user: User, jobs: list[Job]) -> None:
    """One piece. Its place is that of the last job, whether or not it could be changed: none is taken twice."""
    result = Result()
    changed = perform_piece(operation, user, [job.pk for job in jobs], told(bulk.value), result)
    BulkOperation.objects.filter(pk=bulk.pk).update(
        place=str(Place.of(jobs[-1])),
        seen=bulk.seen + len(jobs),
        changed=bulk.changed + len(changed),
        skipped=dict(Counter(bulk.skipped) + result.skipped),
        started_at=Coalesce("started_at", Now()),
    )


def finish(bulk: BulkOperation, error: str = "") -> None:
    """It is over; `error` says why, if it is not because all was done."""
    BulkOperation.objects.filter(pk=bulk.pk).update(
        finished_at=Now(), started_at=Coalesce("started_at", Now()), error=error
    )
