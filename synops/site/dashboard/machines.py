"""Workers, and each machine's weight budget with the jobs that hold it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from django.conf import settings
from django.db import connection
from django.db.models import DurationField, ExpressionWrapper, F
from django.db.models.functions import Now

from jobs.models import Job
from jobs.statistics import Holder, holding_weight
from resources.governor import budget
from resources.models import Worker
from resources.workers import Machine, live_machines

if TYPE_CHECKING:
    from synops.graph.access import Viewer

MOST_WORKERS = 20


@dataclass(frozen=True)
class Gauge:
    """One machine: what its jobs weigh together of what they may, and those of them that the viewer may see."""

    machine: str
    budget: int
    full_budget: int
    holders: list[Holder] = field(default_factory=list)
    others: int = 0
    used: int = 0

    @property
    def is_full(self) -> bool:
        return self.used >= self.budget


def gauges(user: Viewer, *, live_call: bool) -> list[Gauge]:
    """A gauge for each machine with a live worker or a running job."""
    with connection.cursor() as cursor:
        machines = {machine.name: machine for machine in live_machines(cursor, settings.WORKER_TTL_SECONDS)}
        holders = holding_weight(cursor)
    visible = set(Job.objects.visible_to(user).filter(pk__in=[one.id for one in holders]).values_list("pk", flat=True))
    names = sorted({*machines, *(one.machine for one in holders)})
    return [gauge(name, machines.get(name), holders, visible, live_call) for name in names]


def gauge(name: str, machine: Machine | None, holders: list[Holder], visible: set[Any], live_call: bool) -> Gauge:
    here = [one for one in holders if one.machine == name]
    whole = machine.budget if machine else settings.MAX_TOTAL_WEIGHT
    governed = live_call and (machine is None or machine.governed)
    return Gauge(
        machine=name,
        budget=budget(whole, settings.LIVE_CALL_WEIGHT, live_call=governed),
        full_budget=whole,
        holders=[one for one in here if one.id in visible],
        others=sum(one.id not in visible for one in here),
        used=sum(one.weight for one in here),
    )


def workers() -> list[Any]:
    """The workers that live or were lost within the last hours, with how long they have been silent."""
    silence = ExpressionWrapper(Now() - F("heartbeat_at"), output_field=DurationField())
    rows = Worker.objects.exclude(state=Worker.State.STOPPED).annotate(silence=silence)
    return list(rows.order_by("state", "machine", "-heartbeat_at")[:MOST_WORKERS])


def as_context(user: Any, *, live_call: bool) -> dict[str, Any]:
    """For the template; workers only for those who may see them."""
    if not user.has_perm("resources.view_worker"):
        return {}
    from resources.admin import worker_state

    shown = [(worker, *worker_state(worker)) for worker in workers()]
    return {"workers": shown, "gauges": gauges(user, live_call=live_call)}
