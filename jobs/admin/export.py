"""The filtered list as CSV, for a spreadsheet: values that a spreadsheet would run as a formula are made plain text."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator
from typing import Any

from django.db.models import QuerySet
from django.http import HttpResponse
from django.utils import timezone

from jobs.keyset import ORDER
from jobs.models import Job

MOST_ROWS = 20_000
COLUMNS = (
    "id",
    "collection_node_id",
    "job_type",
    "status",
    "outcome",
    "priority",
    "attempts",
    "max_attempts",
    "created_at",
    "scheduled_for",
    "started_at",
    "completed_at",
    "run_id",
    "error_msg",
)
DANGEROUS = ("=", "+", "-", "@", "\t", "\r")


def plain(value: Any) -> str:
    """What a cell holds. Times are ISO 8601 in UTC: a file has no reader's zone."""
    if value is None:
        return ""
    text = value.isoformat() if hasattr(value, "isoformat") else str(value)
    return f"'{text}" if text.startswith(DANGEROUS) else text


def lines(rows: Iterable[tuple[Any, ...]]) -> Iterator[str]:
    """The file, line by line."""
    buffer = io.StringIO()
    writer = csv.writer(buffer)
    for row in (COLUMNS, *rows):
        writer.writerow([plain(value) for value in row])
    yield buffer.getvalue()


def as_csv(rows: QuerySet[Job]) -> HttpResponse:
    """The newest of what the list shows, at most 20,000: more than that is a matter for SQL."""
    newest = rows.order_by(*ORDER).values_list(*COLUMNS)[:MOST_ROWS]
    response = HttpResponse("".join(lines(newest)), content_type="text/csv; charset=utf-8")
    name = f"jobs-{timezone.localtime():%Y-%m-%d-%H%M}.csv"
    response.headers["Content-Disposition"] = f'attachment; filename="{name}"'
    return response
