"""A column of reason codes. Its list of choices is for people: a new reason needs no migration."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.db.models import TextField

from orchestration.states import Reason

if TYPE_CHECKING:  # generic only for the type checker
    Text = TextField[str, str]
else:
    Text = TextField


class ReasonField(Text):
    """One of Reason's codes; empty = none."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        kwargs.setdefault("choices", [(reason.value, reason.said) for reason in Reason])
        super().__init__(*args, **kwargs)

    def deconstruct(self) -> Any:
        name, path, args, kwargs = super().deconstruct()
        kwargs.pop("choices", None)
        return name, path, args, kwargs
