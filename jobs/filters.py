"""The one set of filters for jobs, shared by the admin's list and the API; names as in the spec's URL.

Apps above add their own in `AppConfig.ready()` with `JobFilterSet.add` (a run's recipe is nothing that the queue knows).
"""

from __future__ import annotations

from datetime import UTC, timedelta
from typing import Any
from uuid import UUID

from django.contrib.postgres.expressions import ArraySubquery
from django.db.models import BooleanField, Exists, F, Field, Func, OuterRef, QuerySet, Subquery
from django.db.models.functions import Now
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy
from django_filters import CharFilter, ChoiceFilter, DateTimeFilter, Filter, FilterSet, UUIDFilter

from jobs.models import Attempt, Job
from jobs.states import Outcome, Status

PERIODS = {
    "1h": timedelta(hours=1),
    "24h": timedelta(hours=24),
    "7d": timedelta(days=7),
    "30d": timedelta(days=30),
}
PERIOD_CHOICES = [
    ("1h", _("last hour")),
    ("24h", _("last 24 hours")),
    ("7d", _("last 7 days")),
    ("30d", _("last 30 days")),
]
PRIORITIES = [(str(number), str(number)) for number in range(10, -1, -1)]
LONGEST_TEXT = 200
FEW_ATTEMPTS = 10_000
"""So many jobs are read one by one and sorted in some twenty milliseconds."""


class AnyOf(Func):
    """`column = ANY(array)`: an array that is made first, where IN would let the planner read the whole queue in order."""

    template = "%(expressions)s)"
    arg_joiner = " = ANY("
    output_field: Field[Any, Any] = BooleanField()


def of_worker(rows: QuerySet[Job], _name: str, value: str) -> QuerySet[Job]:
    """Jobs that a worker (its id) or a machine (its name) runs or has tried. First-try inline successes leave no trace.

    Indexes: job_attempts_worker, job_attempts_machine; then job_queue_pkey for few, job_queue_created for many.
    """
    try:
        attempts = Attempt.objects.filter(worker_id=UUID(value))
    except ValueError:
        attempts = Attempt.objects.filter(machine=value)
    few = attempts.order_by()[: FEW_ATTEMPTS + 1]
    if few.count() <= FEW_ATTEMPTS:
        return rows.filter(AnyOf(F("pk"), ArraySubquery(few.values("job_id"))))
    # A busy one is found by walking back from where it was last at work: a job is older than its attempts.
    last = attempts.order_by("-started_at").values("started_at")[:1]
    return rows.filter(Exists(attempts.filter(job_id=OuterRef("pk"))), created_at__lte=Subquery(last))


def with_error(rows: QuerySet[Job], _name: str, value: str) -> QuerySet[Job]:
    """Failed jobs, and those that wait to retry, whose error holds the text. Others have none, and are the most."""
    return rows.filter(status__in=(Status.ERROR, Status.RETRY), error_msg__icontains=value)


def of_period(rows: QuerySet[Job], _name: str, value: str) -> QuerySet[Job]:
    """Jobs created within the period, by the database's clock."""
    return rows.filter(created_at__gte=Now() - PERIODS[value])


class MomentFilter(DateTimeFilter):  # type: ignore[misc]
    """A time of any zone, asked for in UTC: PostgreSQL refuses zones more than 15:59 from it, which Python allows."""

    def filter(self, rows: QuerySet[Job], value: Any) -> QuerySet[Job]:
        try:
            return super().filter(rows, value.astimezone(UTC) if value else value)  # type: ignore[no-any-return]
        except OverflowError:  # the first or the last hours that Python knows
            return rows.none()


class JobFilterSet(FilterSet):  # type: ignore[misc]
    """A value that can't be one makes the set invalid; its errors say why."""

    status = ChoiceFilter(choices=Status.choices, label=_("Status"))
    outcome = ChoiceFilter(choices=Outcome.choices, label=_("Outcome"))
    type = CharFilter(field_name="job_type", label=_("Type"), max_length=LONGEST_TEXT)
    collection_id = UUIDFilter(field_name="collection_node_id", label=_("Collection"))
    priority = ChoiceFilter(choices=PRIORITIES, label=_("Priority"))
    worker = CharFilter(method=of_worker, label=_("Worker or machine"), max_length=LONGEST_TEXT)
    run_id = UUIDFilter(field_name="run_id", label=pgettext_lazy("noun", "Run"))
    period = ChoiceFilter(choices=PERIOD_CHOICES, method=of_period, label=_("Created"))
    created_after = MomentFilter(field_name="created_at", lookup_expr="gte", label=_("Created from"))
    created_before = MomentFilter(field_name="created_at", lookup_expr="lt", label=_("Created before"))
    error = CharFilter(method=with_error, label=_("Text in the error"), max_length=LONGEST_TEXT)

    class Meta:
        model = Job
        fields: list[str] = []

    @classmethod
    def add(cls, name: str, filter: Filter) -> None:
        """Let an app above filter by what only it knows. Adding a name again replaces it."""
        filter.field_name = filter.field_name or name
        cls.base_filters[name] = filter


def found(data: Any, rows: QuerySet[Job], request: Any = None) -> tuple[JobFilterSet, QuerySet[Job]]:
    """The FilterSet over `rows`, and what it finds: nothing when one of its values can't be one."""
    filters = JobFilterSet(data, queryset=rows, request=request)
    return filters, filters.qs if filters.is_valid() else rows.none()
