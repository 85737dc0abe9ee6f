"""Why is this job waiting? The one question that an operator has; answered with the claim's own arithmetic."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

from jobs.queue import RESERVE_AFTER_SECONDS
from jobs.queue.claiming import remembering, why_waiting_statement
from resources.governor import budget
from resources.workers import Machine, live_machines
from synops.store.sql import Cursor, load


@dataclass(frozen=True)
class Reason:
    """One thing that a job waits for: a code, the facts behind it, and the machine where it holds (None = everywhere).

    Codes: `scheduled` {at}, `backoff` {at, attempts}, `paused`, `order` {after}, `no_worker`, `live_call`, `disk_full`,
    `type_full` {limit, running}, `budget_short` {short, held_by}, `reserved` {for}, `slots_full`, `behind` {ahead},
    `starting`.
    """

    code: str
    facts: dict[str, Any] = field(default_factory=dict)
    machine: str | None = None


@dataclass(frozen=True)
class Conditions:
    """What the governor of this installation says now."""

    ttl_seconds: float
    live_call: bool
    live_call_weight: int
    disk_full: frozenset[str] = frozenset()
    """Machines whose disk is full."""


def why_waiting(cursor: Cursor, job_id: UUID, conditions: Conditions) -> list[Reason]:
    """Everything that the job waits for, what holds everywhere first; empty when it does not wait (any more)."""
    cursor.execute(load("jobs.sql", "waiting_job"), {"job": job_id})
    found = cursor.fetchone()
    if found is None:
        return []
    job_type, status, attempts, later, at, paused, limit, blocked, holds, after = found
    if later:
        return [
            Reason("backoff", {"at": at, "attempts": attempts})
            if status == "retry"
            else Reason("scheduled", {"at": at})
        ]
    if paused:
        return [Reason("paused")]
    if after is not None:
        return [Reason("order", {"after": after})]
    machines = [m for m in live_machines(cursor, conditions.ttl_seconds) if job_type in m.types]
    if not machines:
        return [Reason("no_worker")]
    rule = _Rule(limit, blocked, holds)
    return [_on(cursor, job_id, machine, rule, conditions) for machine in machines]


@dataclass(frozen=True)
class _Rule:
    limit: int
    waits_for_calls: bool
    waits_for_disk: bool


def _on(cursor: Cursor, job_id: UUID, machine: Machine, rule: _Rule, conditions: Conditions) -> Reason:
    live_call = conditions.live_call and machine.governed
    if live_call and rule.waits_for_calls:
        return Reason("live_call", machine=machine.name)
    disk_full = machine.name in conditions.disk_full
    if disk_full and rule.waits_for_disk:
        return Reason("disk_full", machine=machine.name)
    cursor.execute(
        why_waiting_statement(),
        {
            "job": job_id,
            "machine": machine.name,
            "types": list(machine.types),
            "slots": max(machine.free_slots, 1),
            "budget": budget(machine.budget, conditions.live_call_weight, live_call=live_call),
            "live_call": live_call,
            "disk_full": disk_full,
            "reserve_after": RESERVE_AFTER_SECONDS,
            **remembering(),
        },
    )
    row = cursor.fetchone()
    if row is None:
        return Reason("starting", machine=machine.name)
    code, facts = _obstacle(row, rule, machine.free_slots)
    return Reason(code, facts, machine.name)


def _obstacle(row: Sequence[Any], rule: _Rule, free_slots: int) -> tuple[str, dict[str, Any]]:
    room, taken, weight, weight_left, reserved_for, ahead_in_type, ahead, of_type, on_machine = row
    if rule.limit and (room is None or room <= 0):
        return "type_full", {"limit": rule.limit, "running": list(of_type)}
    if not free_slots:
        return "slots_full", {"held_by": list(on_machine)}
    if taken:
        return "starting", {}
    if reserved_for is not None and weight > 0:
        return "reserved", {"for": reserved_for}
    if weight > weight_left:
        return "budget_short", {"short": weight - weight_left, "held_by": list(on_machine)}
    return "behind", {"ahead": max(ahead_in_type, ahead or 0)}
