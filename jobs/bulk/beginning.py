"""How a bulk operation begins: what is counted before the question, and the row that workers then take up."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING, Any
from uuid import UUID

from django.db import connection, transaction
from django.db.models import BooleanField, Count, ExpressionWrapper, Q, QuerySet
from django.utils import timezone
from django.utils.dateparse import parse_datetime

from jobs.bulk.models import BulkOperation
from jobs.display import shown
from jobs.filters import PERIODS, JobFilterSet
from jobs.models import Job
from jobs.operations import Operation, Value, may

if TYPE_CHECKING:
    from django.contrib.auth.models import User

AT_ONCE = 2_000
"""Jobs that a request does by itself, which takes a second; more become a bulk operation."""


@dataclass(frozen=True)
class Chosen:
    """Which jobs: those that the list's `filters` find, or these ids."""

    filters: Mapping[str, str] = field(default_factory=dict)
    ids: Sequence[UUID] | None = None


@dataclass(frozen=True)
class Numbers:
    """How many jobs were chosen, how many of them are in a state that the operation changes, and the others by state."""

    total: int
    possible: int
    others: Counter[str]


def numbers(rows: QuerySet[Job], operation: Operation) -> Numbers:
    """Counted exactly, in one pass: this is what a deed on all of them may cost."""
    asked = ExpressionWrapper(Q(cancel_requested_at__isnull=False), output_field=BooleanField())
    groups = rows.order_by().values_list("status", "outcome", asked).annotate(count=Count("pk"))
    others: Counter[str] = Counter()
    possible = 0
    for status, outcome, cancelling, count in groups:
        if status in operation.states:
            possible += count
        else:
            others[shown(status, outcome, cancelling).value] += count
    return Numbers(possible + others.total(), possible, others)


def begin(operation: Operation, user: User, chosen: Chosen, counted: Numbers, value: Value = None) -> BulkOperation:
    """Leave it to the workers. Raises PermissionError when the user has not the right."""
    if not may(user, operation):
        raise PermissionError(f"{operation.permission} is needed")
    with transaction.atomic():
        return BulkOperation.objects.create(
            user=user,
            operation=operation.name,
            value=stored(value),
            filters=fixed(chosen.filters),
            job_ids=None if chosen.ids is None else list(chosen.ids),
            total=counted.total,
            skipped=dict(counted.others),
            seen=counted.total - counted.possible,
        )


def fixed(filters: Mapping[str, str]) -> dict[str, str]:
    """The filters with “the last hour” as the time that it began: it must not move on while workers are at it."""
    kept = {name: value for name, value in filters.items() if value and name in JobFilterSet.base_filters}
    period = PERIODS.get(kept.pop("period", ""))
    if period is None:
        return kept
    with connection.cursor() as cursor:
        cursor.execute("SELECT now() - make_interval(secs => %s)", [period.total_seconds()])
        (began,) = cursor.fetchone() or (timezone.now() - period,)
    given = parse_datetime(kept.get("created_after", ""))
    return kept | {"created_after": max(began, given or began).isoformat()}


def stored(value: Value) -> Any:
    """As JSON; `told` reads it."""
    return value.isoformat() if isinstance(value, datetime) else value


def told(value: Any) -> Value:
    """What the operation was told, from what was stored."""
    return datetime.fromisoformat(value) if isinstance(value, str) else value
