"""Who may see what: the condition behind every `visible_to(user)`, the one way to read rows on behalf of a person."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

from django.apps import apps
from django.db.models import Exists, OuterRef, QuerySet

if TYPE_CHECKING:
    from django.contrib.auth.models import AbstractBaseUser, AnonymousUser

    Viewer = AbstractBaseUser | AnonymousUser

Rows = TypeVar("Rows", bound=QuerySet[Any])


def sees_everything(user: Viewer) -> bool:
    """True for an active superuser."""
    return bool(user.is_active and getattr(user, "is_superuser", False))


def readable(user: Viewer, node_column: str) -> Exists:
    """A condition for any table: the node in `node_column` is one that `user` has access to (any role)."""
    access = apps.get_model("graph", "NodeAccess")._default_manager
    return Exists(access.filter(user=user.pk, node=OuterRef(node_column)))


def only_readable(rows: Rows, user: Viewer, node_column: str) -> Rows:
    """`rows` cut to those whose node `user` may see: all for a superuser, none for a stranger."""
    if sees_everything(user):
        return rows
    if not user.is_active or user.pk is None:
        return rows.none()
    return rows.filter(readable(user, node_column))


def only_own(rows: Rows, user: Viewer, user_column: str) -> Rows:
    """A person's own rows, those whose `user_column` names them; all for a superuser."""
    return rows if sees_everything(user) else rows.filter(**{user_column: user.pk})


MOST_NAMED = 500
"""Collections that a statement names one by one."""


def only_in_readable_collections(rows: Rows, user: Viewer, node_column: str) -> Rows:
    """The same for a very large table whose `node_column` always holds a collection.

    The collections are looked up now and named in the statement: the planner then knows how many rows they have. Of a
    condition it can't know, and reads five million rows in order to find the ten that somebody may see.
    """
    if sees_everything(user) or not user.is_active or user.pk is None:
        return only_readable(rows, user, node_column)
    access = apps.get_model("graph", "NodeAccess")._default_manager
    mine = access.filter(user=user.pk, node__node_kind="collection").values_list("node_id", flat=True)
    named = list(mine[: MOST_NAMED + 1])
    if len(named) > MOST_NAMED:
        return rows.filter(readable(user, node_column))
    return rows.filter(**{f"{node_column}__in": named})
