"""`job_status`, the spec's PostgreSQL enum, as a model field."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.core.exceptions import EmptyResultSet
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.models import TextField
from django.db.models.lookups import Exact, In

from jobs.states import Status

if TYPE_CHECKING:  # generic only for the type checker
    StatusText = TextField[str, str]
    ExactStatus = Exact[Any]
    AnyStatus = In[Any]
else:
    StatusText, ExactStatus, AnyStatus = TextField, Exact, In


class StatusField(StatusText):
    """Accepts only the five known values; a filter for an unknown one answers with nothing.

    Without that, PostgreSQL refuses the query as invalid input for the enum and the page dies.
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        kwargs.setdefault("choices", Status.choices)
        super().__init__(*args, **kwargs)

    def deconstruct(self) -> Any:
        name, path, args, kwargs = super().deconstruct()
        kwargs.pop("choices", None)
        return name, path, args, kwargs

    def db_type(self, connection: BaseDatabaseWrapper) -> str:
        return "job_status"

    def cast_db_type(self, connection: BaseDatabaseWrapper) -> str:
        return "job_status"

    def get_db_prep_value(self, value: Any, connection: BaseDatabaseWrapper, prepared: bool = False) -> Any:
        value = super().get_db_prep_value(value, connection, prepared)
        return value if value is None else str(value)

    def get_placeholder(self, value: Any, compiler: Any, connection: BaseDatabaseWrapper) -> str:
        return "%s::job_status"


def _known(value: Any) -> bool:
    return not isinstance(value, str) or value in Status.values


@StatusField.register_lookup
class StatusExact(ExactStatus):
    """`status = x`, nothing for an unknown x."""

    def as_sql(self, compiler: Any, connection: BaseDatabaseWrapper) -> Any:
        if not _known(self.rhs):
            raise EmptyResultSet
        return super().as_sql(compiler, connection)


@StatusField.register_lookup
class StatusIn(AnyStatus):
    """`status IN (…)` without the unknown ones."""

    def process_rhs(self, compiler: Any, connection: BaseDatabaseWrapper) -> Any:
        if self.rhs_is_direct_value():
            self.rhs = [value for value in self.rhs if _known(value)]
        return super().process_rhs(compiler, connection)
