"""How the resources are, on one page: rules in force, governor, budget, disks; and the switch for live calls."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.utils.translation import gettext as _

from resources.audited import SWITCH_ID, switch_live_call
from resources.models import PriorityRule
from synops.graph.admin.bases import person
from synops.graph.models import Node
from synops.site.dashboard import disk, governor, machines


def resources_page(request: HttpRequest) -> dict[str, Any]:
    """For the template, each part with its right."""
    user = person(request)
    context = governor.as_context(user)
    context |= machines.as_context(user, live_call=context["governor"].live_call) | disk.as_context(user)
    if user.has_perm("resources.view_priorityrule"):
        context["rules"] = list(PriorityRule.objects.order_by("job_type"))
    if user.has_perm("resources.switch_live_call"):
        context["may_switch"] = True
        flagged = Node.objects.visible_to(user).filter(node_kind="communication", metadata__livekit_active=True)
        context["calls"] = list(flagged.order_by("updated_at")[:20])
        context["switch_on"] = Node.objects.filter(pk=SWITCH_ID, metadata__livekit_active=True).exists()
    return context


def switch_view(request: HttpRequest) -> HttpResponse:
    """POST `on=yes|no`, and `call=ID` for a call whose flag was left behind."""
    try:
        call = UUID(request.POST["call"]) if request.POST.get("call") else None
        done = switch_live_call(person(request), request.POST.get("on") == "yes", call)
    except (PermissionError, ValueError):
        raise PermissionDenied from None
    if done:
        messages.success(request, _("Switched. Workers notice it within ten seconds."))
    else:
        messages.warning(request, _("There is no such call."))
    return HttpResponseRedirect(reverse("admin:app_list", args=["resources"]))
