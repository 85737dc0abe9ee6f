"""Pages of the job list by place instead of by number: page 1,000 costs what page 1 does.

A place is the (created_at, id) of a row, written `2026-11-30T17:00:00.123456+00:00_<id>`. Newest first.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

from django.db.models import DateTimeField, F, Field, Func, QuerySet, UUIDField, Value
from django.db.models.lookups import GreaterThan, LessThan

ORDER = ("-created_at", "-id")


class InvalidPlace(ValueError):
    """Text that names no place in the list."""


@dataclass(frozen=True)
class Place:
    """Where a row stands in the list, whether or not it still exists."""

    created_at: datetime
    id: UUID

    def __str__(self) -> str:
        return f"{self.created_at.isoformat()}_{self.id}"

    @classmethod
    def of(cls, row: Any) -> Place:
        """The place of a job."""
        return cls(row.created_at, row.pk)

    @classmethod
    def parse(cls, text: str) -> Place:
        """The place that the text names. Raises InvalidPlace."""
        try:
            moment, _, id = text.rpartition("_")
            place = cls(
                datetime.fromisoformat(moment.replace(" ", "+")), UUID(id)
            )  # a + in a URL may arrive as a space
        except ValueError:
            raise InvalidPlace("no place in the list of jobs") from None
        if place.created_at.tzinfo is None:
            raise InvalidPlace("no place in the list of jobs: its time has no zone")
        try:
            return cls(place.created_at.astimezone(UTC), place.id)
        except OverflowError:
            raise InvalidPlace("no place in the list of jobs: its time is out of range") from None


@dataclass(frozen=True)
class Page:
    """Some rows in list order, and the places where the neighbouring pages begin (None = there is none)."""

    rows: list[Any]
    after: Place | None
    before: Place | None


class Row(Func):
    """`(created_at, id)`: compared as a whole, PostgreSQL reads job_queue_created from there on and nothing else."""

    template = "(%(expressions)s)"
    output_field: Field[Any, Any] = Field()


PLACE_OF_ROW = Row(F("created_at"), F("id"))


def at(place: Place) -> Row:
    return Row(Value(place.created_at, DateTimeField()), Value(place.id, UUIDField()))


def page_of(rows: QuerySet[Any], size: int, *, after: Place | None = None, before: Place | None = None) -> Page:
    """`size` rows after a place, or before one, or the first. One row more is read to know whether there is another page."""
    if before is not None:
        newer = list(rows.filter(GreaterThan(PLACE_OF_ROW, at(before))).order_by("created_at", "id")[: size + 1])
        found, more = newer[:size][::-1], len(newer) > size
        return Page(found, Place.of(found[-1]) if found else before, Place.of(found[0]) if more else None)
    older = rows.filter(LessThan(PLACE_OF_ROW, at(after))) if after else rows
    read = list(older.order_by(*ORDER)[: size + 1])
    found = read[:size]
    more = len(read) > size
    return Page(found, Place.of(found[-1]) if more else None, Place.of(found[0]) if after and found else None)
