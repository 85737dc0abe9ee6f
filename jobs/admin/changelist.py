"""The job list: filtered by the FilterSet that the API uses too, headed by counts per status."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any

from django.contrib.admin.views.main import ChangeList
from django.db import connection
from django.db.models import F, OuterRef, QuerySet, Subquery
from django.http import HttpRequest, QueryDict
from django.utils import timezone
from django.utils.dateparse import parse_datetime

from jobs.filters import JobFilterSet
from jobs.models import Attempt, Job
from jobs.states import Status
from resources.models import PriorityRule
from synops.graph.admin.paginator import BOUND, bounded_count
from synops.graph.models import Node

if TYPE_CHECKING:
    from synops.graph.access import Viewer

NEWEST = 1_000
MOST_COLLECTIONS = 500


@dataclass(frozen=True)
class Chip:
    """One status and how many jobs have it, as a link that filters by it."""

    status: str
    label: object
    count: int
    query: str
    chosen: bool

    @property
    def more(self) -> bool:
        """Whether there are more than were counted."""
        return self.count > BOUND


class JobChangeList(ChangeList):
    """A change list whose filters are a FilterSet's. An invalid filter shows no rows and says what is wrong."""

    filterset: JobFilterSet

    def get_filters_params(self, params: Any = None) -> dict[str, Any]:
        """Without the FilterSet's own names, which the admin would take for forbidden lookups."""
        own = JobFilterSet.base_filters
        return {name: value for name, value in super().get_filters_params(params).items() if name not in own}

    def get_queryset(self, request: HttpRequest, exclude_parameters: Any = None) -> QuerySet[Any]:
        rows = super().get_queryset(request, exclude_parameters)
        self.filterset = filterset(request.GET, rows, request)
        return found_rows(self.filterset)

    def get_results(self, request: HttpRequest) -> None:
        super().get_results(request)
        self.result_list = with_details(self.result_list)

    @property
    def has_active_filters(self) -> bool:
        return any(self.filterset.data.get(name) for name in JobFilterSet.base_filters)

    @has_active_filters.setter
    def has_active_filters(self, value: bool) -> None:
        """Django assigns what it found among its own filters, which are none."""


def filterset(data: QueryDict, rows: QuerySet[Any], request: HttpRequest) -> JobFilterSet:
    """The jobs' FilterSet over `rows`."""
    return JobFilterSet(data, queryset=rows, request=request)


def found_rows(found: JobFilterSet) -> QuerySet[Any]:
    """What a FilterSet finds; nothing when one of its values can't be one."""
    rows: QuerySet[Any] = found.qs if found.is_valid() else found.queryset.none()
    return rows


def with_details(rows: QuerySet[Any]) -> QuerySet[Any]:
    """What a row of the list shows beyond its own columns, without the columns that may be large."""
    current = Attempt.objects.filter(job_id=OuterRef("pk"), lease=OuterRef("lease"))
    detailed: QuerySet[Any] = rows.defer("payload", "result").annotate(
        collection_title=F("collection_node__title"),
        progress=Subquery(current.values("progress")[:1]),
        message=Subquery(current.values("message")[:1]),
    )
    return detailed


def database_now() -> datetime:
    """The clock that `created_at` is written by; this process's own may be ahead."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT now()")
        row = cursor.fetchone()
    moment: datetime = row[0] if row else timezone.now()
    return moment


def newer_than(rows: QuerySet[Any], since: str) -> QuerySet[Any]:
    """Those created after the time `since` (ISO 8601); none when it is no time."""
    try:
        moment = parse_datetime(since)
    except ValueError:
        moment = None
    return rows.filter(created_at__gt=moment) if moment and moment.tzinfo else rows.none()


def chips(request: HttpRequest, rows: QuerySet[Job]) -> list[Chip]:
    """Counts per status under the other filters, each at most 10 000 and a bit: this page must stay cheap."""
    others = request.GET.copy()
    for name in ("status", "p", "all", "e"):
        others.pop(name, None)
    found = found_rows(filterset(others, rows, request))
    return [chip(request, others, found, status) for status in Status]


def chip(request: HttpRequest, others: QueryDict, rows: QuerySet[Job], status: Status) -> Chip:
    query = others.copy()
    query["status"] = status.value
    chosen = request.GET.get("status") == status.value
    return Chip(status.value, status.label, bounded_count(rows.filter(status=status)), query.urlencode(), chosen)


def type_choices(user: Viewer, chosen: str) -> list[str]:
    """The types that have a rule, and those of the newest jobs that the viewer may see."""
    newest = Job.objects.visible_to(user).order_by("-created_at", "-id").values_list("job_type", flat=True)[:NEWEST]
    known = set(PriorityRule.objects.values_list("job_type", flat=True))
    return sorted(known | set(newest) | ({chosen} if chosen else set()))


def collection_choices(user: Viewer) -> list[tuple[str, str]]:
    """The collections that the viewer may see, by title."""
    rows = Node.objects.visible_to(user).filter(node_kind="collection").only("title", "node_kind")
    return sorted(((str(node.pk), str(node)) for node in rows[:MOST_COLLECTIONS]), key=lambda choice: choice[1].lower())
