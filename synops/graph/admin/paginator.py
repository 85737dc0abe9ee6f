"""Pages of large tables without counting them: a list of five million rows must cost what one of ten thousand does."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.core.paginator import Paginator
from django.db import connection
from django.db.models import Model, QuerySet
from django.utils.functional import cached_property

if TYPE_CHECKING:
    AnyPaginator = Paginator[Any]
else:
    AnyPaginator = Paginator

BOUND = 10_000
"""Rows that are counted one by one; above it, the planner's estimate or this number stands."""


def estimated_rows(model: type[Model]) -> int:
    """The planner's idea of how many rows the table has; 0 before it was ever analysed."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT reltuples::bigint FROM pg_class WHERE oid = %s::regclass", [model._meta.db_table])
        row = cursor.fetchone()
    return max(row[0], 0) if row else 0


def bounded_count(rows: QuerySet[Any], bound: int = BOUND) -> int:
    """How many rows there are, but never more than `bound` + 1: that means "more"."""
    return rows.order_by()[: bound + 1].count()


class EstimatedPaginator(AnyPaginator):
    """The planner's estimate when nothing is filtered; an exact count up to a bound when something is."""

    @cached_property
    def count(self) -> int:
        rows: QuerySet[Any] = self.object_list  # type: ignore[assignment]
        if not rows.query.where and not rows.query.distinct:
            estimate = estimated_rows(rows.model)
            if estimate > BOUND:
                return estimate
        return bounded_count(rows)
