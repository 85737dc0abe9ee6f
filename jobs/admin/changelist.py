"""The job list: filtered by the FilterSet that the API uses too, headed by counts per status, paged by place."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any

from django.contrib.admin.views.main import ChangeList
from django.db import connection
from django.db.models import Case, F, OuterRef, QuerySet, Subquery, When
from django.http import HttpRequest, QueryDict
from django.utils import timezone
from django.utils.dateparse import parse_datetime

from jobs.filters import JobFilterSet, found
from jobs.keyset import InvalidPlace, Page, Place, page_of
from jobs.models import Attempt, Job
from jobs.states import Status
from synops.graph.admin.paginator import BOUND, bounded_count

if TYPE_CHECKING:
    from synops.graph.access import Viewer

NOT_FILTERS = ("after", "before")


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
    page: Page
    lost_place = False
    older = newer = ""

    def get_filters_params(self, params: Any = None) -> dict[str, Any]:
        """Without the FilterSet's own names, which the admin would take for forbidden lookups."""
        own = {*JobFilterSet.base_filters, *NOT_FILTERS}
        return {name: value for name, value in super().get_filters_params(params).items() if name not in own}

    def get_queryset(self, request: HttpRequest, exclude_parameters: Any = None) -> QuerySet[Any]:
        rows = super().get_queryset(request, exclude_parameters)
        self.filterset, rows = found(request.GET, rows, request)
        return rows

    def get_results(self, request: HttpRequest) -> None:
        """One page by place. Django's own would count and skip rows: at five million that takes seconds."""
        detailed = with_details(self.queryset, self.list_display)
        self.page = page_of(detailed, self.list_per_page, **self._place(request.GET))
        self.result_list = self.page.rows
        self.paginator = self.model_admin.get_paginator(request, self.queryset, self.list_per_page)
        self.result_count = self.paginator.count
        self.full_result_count = None
        self.show_admin_actions = bool(self.result_list)
        self.can_show_all = self.multi_page = False
        self.older = neighbour(request.GET, "after", self.page.after)
        self.newer = neighbour(request.GET, "before", self.page.before)

    def _place(self, query: QueryDict) -> dict[str, Place]:
        """Where this page begins. A place that can't be one is the beginning, and the page says so."""
        try:
            return {name: Place.parse(str(query[name])) for name in NOT_FILTERS if query.get(name)}
        except InvalidPlace:
            self.lost_place = True
            return {}

    @property
    def has_active_filters(self) -> bool:
        return any(self.filterset.data.get(name) for name in JobFilterSet.base_filters)

    @has_active_filters.setter
    def has_active_filters(self, value: bool) -> None:
        """Django assigns what it found among its own filters, which are none."""


def neighbour(query: QueryDict, direction: str, place: Place | None) -> str:
    """The query of the page on that side; empty when there is none."""
    if place is None:
        return ""
    other = query.copy()
    for name in NOT_FILTERS:
        other.pop(name, None)
    other[direction] = str(place)
    return other.urlencode()


LARGE = ("payload", "result")


def with_details(rows: QuerySet[Any], columns: Iterable[Any] = ()) -> QuerySet[Any]:
    """What a row of the list shows beyond its own columns, without the large ones that nobody has chosen."""
    current = Attempt.objects.filter(job_id=OuterRef("pk"), lease=OuterRef("lease"))
    detailed: QuerySet[Any] = rows.defer(*(name for name in LARGE if f"shown_{name}" not in columns)).annotate(
        collection_title=F("collection_node__title"),
        progress=while_running(current.values("progress")[:1]),
        message=while_running(current.values("message")[:1]),
    )
    return detailed


def while_running(rows: QuerySet[Any]) -> Case:
    """Looked up for the rows that show it, and not for the fifty that have ended."""
    return Case(When(status=Status.RUNNING, then=Subquery(rows)))


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


def chips(query: QueryDict, rows: QuerySet[Job]) -> list[Chip]:
    """Counts per status under the other filters, each at most 10 000 and a bit: this page must stay cheap."""
    others = query.copy()
    for name in ("status", "p", "all", "e", *NOT_FILTERS):
        others.pop(name, None)
    _, left = found(others, rows)
    return [chip(query.get("status", ""), others, left, status) for status in Status]


def chip(chosen: str, others: QueryDict, rows: QuerySet[Job], status: Status) -> Chip:
    query = others.copy()
    query["status"] = status.value
    counted = bounded_count(rows.filter(status=status))
    return Chip(status.value, status.label, counted, query.urlencode(), chosen == status.value)


def visible_jobs(user: Viewer) -> QuerySet[Job]:
    """The jobs that the viewer may see."""
    return Job.objects.visible_to(user)
