"""Column helpers shared by the models: database defaults are the literal `now()`, keys are made by the application."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from uuid import UUID

from django.db.models import DateTimeField, FloatField, Func, UUIDField
from uuid_utils.compat import uuid7 as new_uuid7

if TYPE_CHECKING:  # generic only for the type checker
    Float = FloatField[float, float]
else:
    Float = FloatField


def new_id() -> UUID:
    """A time-ordered UUIDv7. Ids give locality (random keys triple the WAL at a million rows), never order.

    The plain `uuid_utils.uuid7` returns no `uuid.UUID`; the compat one does.
    """
    return new_uuid7()


class DatabaseNow(Func):
    """The literal `now()`: Django's own Now() compiles to STATEMENT_TIMESTAMP(), which the spec's DDL does not have."""

    function = "now"
    template = "now()"
    output_field = DateTimeField()


class RandomUUID(Func):
    """The database's own default for an id, for rows written by hand."""

    function = "gen_random_uuid"
    template = "gen_random_uuid()"
    output_field = UUIDField()


class RealField(Float):
    """A number of four bytes: what vectors are made of, half the size of Django's own."""

    def db_type(self, connection: Any) -> str:
        return "real"
