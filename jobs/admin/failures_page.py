"""Failures by what went wrong: the same error with other names and numbers is one line, retried or deleted as one."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from django.core.exceptions import PermissionDenied
from django.db import connection
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.template.response import TemplateResponse
from django.utils.translation import gettext as _

from jobs.admin.changelist import visible_jobs
from jobs.admin.confirming import confirmed
from jobs.admin.spans import SPANS, hours_of
from jobs.bulk.beginning import Chosen
from jobs.operations import DISCARD, RETRY, may
from jobs.statistics import failure_groups, failures_in
from synops.graph.admin.bases import person
from synops.graph.patience import patience

if TYPE_CHECKING:
    from django.contrib.admin.options import ModelAdmin


OFFERED = (RETRY, DISCARD)


def failures_view(owner: ModelAdmin[Any]) -> Callable[[HttpRequest], HttpResponse]:
    """The page; a POST asks whether the jobs of the chosen groups are to be retried or deleted, and then does it."""

    def view(request: HttpRequest) -> HttpResponse:
        user = person(request)
        if not user.has_perm("jobs.view_job"):
            raise PermissionDenied
        if request.method == "POST":
            return operate(owner, request)
        hours = hours_of(request.GET)
        with patience(), connection.cursor() as cursor:
            groups = failure_groups(cursor, user, hours)
        context = {
            **owner.admin_site.each_context(request),
            "title": _("Failures"),
            "opts": owner.opts,
            "groups": groups,
            "spans": SPANS,
            "hours": hours,
            "operations": [operation for operation in OFFERED if may(user, operation)],
        }
        return TemplateResponse(request, "admin/jobs/job/failures.html", context)

    return view


def operate(owner: ModelAdmin[Any], request: HttpRequest) -> HttpResponse:
    """Ask with the exact count, then do it; whoever has not the right gets neither."""
    user = person(request)
    operation = DISCARD if request.POST.get("operation") == DISCARD.name else RETRY
    if not may(user, operation):
        raise PermissionDenied
    with patience(), connection.cursor() as cursor:
        ids = failures_in(cursor, user, request.POST.getlist("key"), hours_of(request.POST))
    rows = visible_jobs(user).filter(pk__in=ids)
    asking = confirmed(owner, request, rows, operation, chosen=Chosen(ids=ids))
    return asking or HttpResponseRedirect(request.get_full_path())
