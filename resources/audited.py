"""What people change about resources, with the right to it asked and an audit entry written: for the admin and the API."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any
from uuid import UUID, uuid5

from django.contrib.admin.models import CHANGE, LogEntry
from django.db import connection, transaction
from django.utils.translation import gettext_noop

from resources.models import PriorityRule, Worker
from resources.rules import RuleChange, update_rule
from resources.workers import drain
from synops.graph.models import Edge
from synops.graph.models import Node as NodeRow
from synops.store.identities import NAMESPACE, SYSTEM_COLLECTION_ID
from synops.store.nodes import Node, update_node, upsert_node

if TYPE_CHECKING:
    from django.contrib.auth.models import AbstractUser

SWITCH_ID = uuid5(NAMESPACE, "communication:live-call-switch")
"""The call that is on because somebody says so: for calls that no LiveKit server knows of."""


def change_rule(user: AbstractUser, job_type: str, fields: Mapping[str, Any]) -> RuleChange:
    """Change the rule of a type, or make it. Raises PermissionError, or RuleRefused with the problems by field."""
    known = PriorityRule.objects.filter(pk=job_type).exists()
    if not user.has_perm(f"resources.{'change' if known else 'add'}_priorityrule"):
        raise PermissionError("the right to change priority rules is needed")
    with transaction.atomic():
        change = update_rule(job_type, fields)
        if change.after:
            rule = PriorityRule.objects.get(pk=job_type)
            LogEntry.objects.log_actions(user.pk, [rule], CHANGE, in_words(change))
    return change


def in_words(change: RuleChange) -> str:
    """“paused: False → True, cpu_weight: 1 → 2”; names and values, which need no translation."""
    return ", ".join(f"{name}: {change.before.get(name, '–')} → {value}" for name, value in change.after.items())


def drain_workers(user: AbstractUser, ids: Iterable[UUID], wanted: bool) -> int:
    """Let workers take no more jobs, or go on; how many it changed. Raises PermissionError."""
    if not user.has_perm("resources.drain_worker"):
        raise PermissionError("resources.drain_worker is needed")
    with transaction.atomic(), connection.cursor() as cursor:
        changed = drain(cursor, list(ids), wanted)
        rows = list(Worker.objects.filter(pk__in=changed))
        note = gettext_noop("Asked to take no more jobs.") if wanted else gettext_noop("Asked to take jobs again.")
        if rows:
            LogEntry.objects.log_actions(user.pk, rows, CHANGE, note)
    return len(changed)


def switch_live_call(user: AbstractUser, on: bool, call: UUID | None = None) -> bool:
    """Say that a call is on or over: the switch's own, or `call`, whose flag may have been left behind.

    False when there is no such call, or none that the user may see. Raises PermissionError.
    """
    if not user.has_perm("resources.switch_live_call"):
        raise PermissionError("resources.switch_live_call is needed")
    with transaction.atomic(), connection.cursor() as cursor:
        if call is None:
            # Inserted with the flag off: what switches it is an update, which renews the time that counts as "since".
            upsert_node(cursor, Node(SWITCH_ID, "communication", "Live call", metadata={"livekit_active": False}))
            Edge.objects.get_or_create(source_id=SWITCH_ID, target_id=SYSTEM_COLLECTION_ID, edge_type="belongs_to")
        elif not NodeRow.objects.visible_to(user).filter(pk=call, node_kind="communication").exists():
            return False
        update_node(cursor, call or SWITCH_ID, metadata={"livekit_active": on})
        node = NodeRow.objects.get(pk=call or SWITCH_ID)
        note = gettext_noop("Live call switched on.") if on else gettext_noop("Live call switched off.")
        LogEntry.objects.log_actions(user.pk, [node], CHANGE, note)
        cursor.execute("SELECT pg_notify('synops_work', '')")  # what was held back may start now
    return True
