"""Taking a work item for a while, so that two do not work on one: a lease that ends by itself, and a number that fences."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any
from uuid import UUID

from django.db import connection, transaction

from orchestration.models import WorkItem
from synops.store.sql import Cursor, load

if TYPE_CHECKING:
    from django.contrib.auth.models import AbstractBaseUser

ANSWER = "orchestration.answer_workitem"
LEASE_SECONDS = 3600.0
LONGEST_LEASE_SECONDS = 24 * 3600.0
MOST = 100


class NotThere(LookupError):
    """There is no such work item that the user may see and that waits for an answer."""


class Taken(Exception):
    """Somebody else holds it; the text says who and until when."""


class Lost(Exception):
    """The claim is another's by now, or the item was answered or closed: what was sent is not taken."""


@dataclass(frozen=True)
class Claim:
    """A work item that the user holds until `until`, under `lease`, which every later call must name."""

    item_id: UUID
    lease: int
    until: datetime
    brief: dict[str, Any]
    """What there is to know for an answer (`orchestration.answers.brief`)."""


def may(user: AbstractBaseUser, permission: str) -> None:
    """Raise PermissionError when the user lacks it."""
    if not getattr(user, "has_perm", lambda _: False)(permission):
        raise PermissionError(f"{permission} is needed")


def waiting(user: AbstractBaseUser, *, tag: str = "", limit: int = MOST) -> list[WorkItem]:
    """Items that the user sees and nobody holds, oldest first; of one tag, such as script_request. Raises PermissionError."""
    may(user, ANSWER)
    rows = WorkItem.objects.visible_to(user).free().filter(metadata__answerable=True)
    rows = rows.tagged(tag) if tag else rows
    return list(rows.with_tags().order_by("created_at", "id")[: min(limit, MOST)])


def claim(user: AbstractBaseUser, item_id: UUID, *, seconds: float = LEASE_SECONDS) -> Claim:
    """Take an item to answer it. Raises PermissionError, NotThere, Taken."""
    from orchestration.answers.brief import brief

    item = seen(user, item_id)
    lease, until = _take(user, item_id, seconds)
    item.refresh_from_db()
    return Claim(item_id, lease, until, brief(item, user))


def take(user: AbstractBaseUser, item_id: UUID, *, seconds: float = LEASE_SECONDS) -> tuple[int, datetime]:
    """Take any open item, also one that no script answers; its lease, until when. Raises PermissionError, NotThere, Taken."""
    visible(user, item_id)
    return _take(user, item_id, seconds)


def _take(user: AbstractBaseUser, item_id: UUID, seconds: float) -> tuple[int, datetime]:
    with transaction.atomic(), connection.cursor() as cursor:
        parameters = {"id": item_id, "by": user.pk, "name": user.get_username(), "seconds": _within(seconds)}
        cursor.execute(load("orchestration.sql", "claim_item"), parameters)
        row = cursor.fetchone()
        if row is None:
            raise Taken(_why_not(item_id))
    return row[0], row[1]


def extend(user: AbstractBaseUser, item_id: UUID, lease: int, *, seconds: float = LEASE_SECONDS) -> datetime:
    """Keep a claim for longer; until when. Raises PermissionError, NotThere, Lost."""
    return _hold(user, item_id, lease, _within(seconds))


def release(user: AbstractBaseUser, item_id: UUID, lease: int) -> None:
    """Give a claim back, for others to take at once. Raises PermissionError, NotThere, Lost."""
    _hold(user, item_id, lease, 0.0)


def visible(user: AbstractBaseUser, item_id: UUID, permission: str = ANSWER) -> WorkItem:
    """An item that the user sees and may act on: take it, if no other right is named. Raises PermissionError, NotThere."""
    may(user, permission)
    item: WorkItem | None = WorkItem.objects.visible_to(user).filter(pk=item_id).first()
    if item is None:
        raise NotThere(f"there is no work item {item_id}")
    return item


def seen(user: AbstractBaseUser, item_id: UUID) -> WorkItem:
    """An item that the user may answer. Raises PermissionError, NotThere."""
    item = visible(user, item_id)
    if item.metadata.get("answerable") is not True:
        raise NotThere(f"no work item {item_id} waits for an answer")
    return item


def check_held(cursor: Cursor, user: AbstractBaseUser, item_id: UUID, lease: int) -> None:
    """Lock the item and make sure that it is still this user's to answer. Raises Lost.

    A lease that has run out counts as long as nobody else has taken the item: work that is done is not thrown away.
    """
    cursor.execute(
        """SELECT (metadata #>> '{claim,lease}')::int = %(lease)s AND (metadata #>> '{claim,by}')::int = %(by)s
                  AND metadata ->> 'status' = 'open' AND NOT metadata ? 'answer'
           FROM nodes WHERE id = %(id)s AND node_kind = 'work_item' FOR UPDATE""",
        {"id": item_id, "lease": lease, "by": user.pk},
    )
    row = cursor.fetchone()
    if row is None or not row[0]:
        raise Lost(f"work item {item_id} is not held under lease {lease} any more")


def _hold(user: AbstractBaseUser, item_id: UUID, lease: int, seconds: float) -> datetime:
    visible(user, item_id)
    with transaction.atomic(), connection.cursor() as cursor:
        parameters = {"id": item_id, "lease": lease, "by": user.pk, "seconds": seconds}
        cursor.execute(load("orchestration.sql", "hold_item"), parameters)
        row = cursor.fetchone()
    if row is None:
        raise Lost(f"work item {item_id} is not held under lease {lease} any more")
    until: datetime = row[0]
    return until


def _why_not(item_id: UUID) -> str:
    item = WorkItem.objects.get(pk=item_id)
    held = item.metadata.get("claim") or {}
    if not item.is_open:
        return "the work item is closed"
    if "answer" in item.metadata:
        return "the work item has an answer that waits to be approved"
    return f"{held.get('name')} holds the work item until {held.get('until')}"


def _within(seconds: float) -> float:
    return max(1.0, min(seconds, LONGEST_LEASE_SECONDS))
