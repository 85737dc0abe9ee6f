"""Puts the parts of the front page together."""

from __future__ import annotations

from typing import Any

from django.db import connection
from django.http import HttpRequest, QueryDict

from jobs.admin.changelist import chips, visible_jobs
from jobs.health import health
from jobs.live.hub import hub_state
from jobs.reasons import HEALTH_ALARMS
from orchestration.first_steps import first_steps
from synops.graph.admin.bases import person
from synops.site.dashboard import disk, governor, machines, throughput, work


def dashboard(request: HttpRequest) -> dict[str, Any]:
    """Everything that the template shows. A person without a right gets a page without its part."""
    user = person(request)
    context = governor.as_context(user)
    if user.has_perm("jobs.view_job"):
        context |= {"chips": chips(QueryDict(), visible_jobs(user)), **throughput.as_context(user)}
    context |= machines.as_context(user, live_call=context["governor"].live_call)
    context |= disk.as_context(user) | work.as_context(user)
    context["first_steps"] = first_steps(request)
    if user.has_perm("resources.view_worker"):
        context |= system()
    return context


def system() -> dict[str, Any]:
    """The listener of this web process and the queue's own health."""
    listener = hub_state()
    with connection.cursor() as cursor:
        measured = health(cursor)
    return {
        "listener": listener.name if listener else "idle",
        "listener_since": listener.since if listener else None,
        "health": measured,
        "alarms": [HEALTH_ALARMS[code] for code in measured.alarms],
    }
