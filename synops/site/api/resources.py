"""What limits the work: disk, live call, weight, rules, running jobs; and the one way to change a rule."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from django.contrib.admin.models import ADDITION, CHANGE, LogEntry
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.utils.translation import gettext as _

from jobs.admin.changelist import with_details
from jobs.models import Job
from jobs.states import Status
from resources.models import DiskReading, PriorityRule
from resources.rules import CHANGEABLE, RuleRefused, update_rule
from synops.site.api.endpoint import Answer, Call
from synops.site.api.jobs import brief, moment
from synops.site.api.problems import Problem, forbidden
from synops.site.dashboard.governor import governor
from synops.site.dashboard.machines import gauges

HISTORY = 60
MAX_RUNNING = 200


def to_page(_request: HttpRequest) -> HttpResponse:
    """Where a browser goes instead: the rules in the admin."""
    return HttpResponseRedirect(reverse("admin:resources_priorityrule_changelist"))


def to_disk_page(_request: HttpRequest) -> HttpResponse:
    """Where a browser goes instead: the readings in the admin."""
    return HttpResponseRedirect(reverse("admin:resources_diskreading_changelist"))


def overview(call: Call) -> Answer:
    """Everything at once. Running jobs are those that the caller may see; weights are the whole machine's."""
    user = call.caller.user
    state = governor(user)
    running = with_details(Job.objects.visible_to(user).filter(status=Status.RUNNING)).order_by("started_at", "id")
    document = {
        "disk": [reading(one) for one in newest_readings()],
        "live_call": {"active": state.live_call, "calls": state.calls.current, "stale_flags": state.calls.stale},
        "weight": [
            {"machine": gauge.machine, "used": gauge.used, "budget": gauge.budget, "full_budget": gauge.full_budget}
            for gauge in gauges(user, live_call=state.live_call)
        ],
        "held_back": [asdict(held) for held in state.held],
        "rules": [rule(one) for one in PriorityRule.objects.order_by("job_type")],
        "running": [brief(job) for job in running[:MAX_RUNNING]],
    }
    return Answer(document)


def disk(_call: Call) -> Answer:
    """Each machine's disk now, and its last 60 readings, the newest first."""
    machines = [
        {
            "machine": newest.machine,
            "now": reading(newest),
            "history": [
                reading(one) for one in DiskReading.objects.filter(machine=newest.machine).order_by("-id")[:HISTORY]
            ],
        }
        for newest in newest_readings()
    ]
    return Answer({"machines": machines})


def newest_readings() -> list[DiskReading]:
    """The newest reading of each machine. Index: disk_status_machine."""
    return list(DiskReading.objects.order_by("machine", "-id").distinct("machine"))


def reading(one: DiskReading) -> dict[str, Any]:
    return {
        "machine": one.machine,
        "path": one.path,
        "total_bytes": one.total_bytes,
        "used_bytes": one.used_bytes,
        "percent": round(one.percent, 1),
        "level": one.level,
        "measured_at": moment(one.measured_at),
    }


def rule(one: PriorityRule) -> dict[str, Any]:
    return {"job_type": one.job_type, **{name: getattr(one, name) for name in CHANGEABLE}}


def change_rule(call: Call) -> Answer:
    """Create a type's rule or change the given fields of it; acts at once, and stands in the audit log."""
    fields = dict(call.body)
    job_type = fields.pop("job_type")
    user = call.caller.user
    needed = "change" if PriorityRule.objects.filter(pk=job_type).exists() else "add"
    if not user.has_perm(f"resources.{needed}_priorityrule"):
        raise forbidden(f"resources.{needed}_priorityrule")
    try:
        change = update_rule(job_type, fields)
    except RuleRefused as refused:
        wrong = [f"{name}: {text}" for name, texts in refused.problems.items() for text in texts]
        raise Problem(422, "refused", _("The rule can't be like that."), errors=wrong) from refused
    now = PriorityRule.objects.get(pk=job_type)
    if change.after:
        message = [{"changed": {"fields": sorted(change.after)}}] if not change.created else [{"added": {}}]
        LogEntry.objects.log_actions(
            user.pk, [now], ADDITION if change.created else CHANGE, message, single_object=True
        )
    return Answer({"rule": rule(now), "created": change.created, "before": dict(change.before)})
