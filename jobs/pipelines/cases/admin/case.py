"""Cases in the admin: the list, the page of one case, and the three ways of running it anew."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from django.contrib import admin, messages
from django.contrib.admin.models import CHANGE, LogEntry
from django.contrib.admin.utils import quote, unquote
from django.core.exceptions import PermissionDenied
from django.db import connection, transaction
from django.db.models import Exists, OuterRef, QuerySet
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.template.response import TemplateResponse
from django.urls import URLPattern, path, reverse
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_POST

from jobs.pipelines import AlreadyOpen, Unit
from jobs.pipelines.cases.admin.case_page import case_context
from jobs.pipelines.cases.models import CaseFile
from jobs.pipelines.cases.opening import NothingToRead, UnknownCase, evaluate_again, extract_again, reanalyse
from jobs.pipelines.cases.pipeline import NAME
from jobs.pipelines.models import Generation
from synops.graph.admin.bases import PlainAdmin, ReadOnly, person
from synops.graph.admin.rendering import NOTHING, badge
from synops.store.sql import Cursor

DECISIONS = {"approved": "succeeded", "rejected": "failed", "unclear": "excluded"}
"""A decision's badge: the states' icons and colours serve it as well."""

WAYS: dict[str, Callable[[Cursor, str], Unit]] = {
    "reanalyse": reanalyse,
    "force": lambda cursor, number: reanalyse(cursor, number, force=True),
    "extract": extract_again,
    "evaluate": evaluate_again,
}


def state_badge(case: Any) -> SafeString:
    """How the latest run stands."""
    if getattr(case, "is_running", False):
        return badge("running", _("running"))
    if not case.state:
        return badge("pending", _("not analysed"))
    code = {"permanently_failed": "failed"}.get(case.state, case.state)
    return badge(code, Generation.State(case.state).label)


def decision_badge(case: CaseFile) -> SafeString | str:
    """What the rules came to; nothing without an evaluation."""
    return badge(DECISIONS[case.decision], case.get_decision_display()) if case.decision else NOTHING


class StateFilter(admin.SimpleListFilter):
    """By how the latest run ended, in words; cases without one are a choice, too."""

    title = gettext_lazy("state")
    parameter_name = "state"
    NONE = "none"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, Any]]:
        ends = [state for state in Generation.State if state not in ("running", "superseded")]
        return [(self.NONE, _("not analysed")), *((state.value, state.label) for state in ends)]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        wanted = self.value()
        return queryset if wanted is None else queryset.filter(state="" if wanted == self.NONE else wanted)


class CaseAdmin(ReadOnly, PlainAdmin):
    """Cases belong to no collection: the permission to view cases decides."""

    list_display = ("number", "state_column", "decision_column", "title", "scheme", "received_on")
    list_select_related = ("scheme",)
    list_filter = (StateFilter, "decision", "scheme", "status")
    search_fields = ("number__istartswith", "title", "applicant")
    ordering = ("-received_on", "number")
    sortable_by = ()

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        running = Generation.objects.filter(pipeline=NAME, unit=OuterRef("number"), state=Generation.State.RUNNING)
        rows: QuerySet[Any] = super().get_queryset(request).annotate(is_running=Exists(running))
        return rows

    @admin.display(description=gettext_lazy("state"))
    def state_column(self, case: CaseFile) -> SafeString:
        return state_badge(case)

    @admin.display(description=gettext_lazy("decision"))
    def decision_column(self, case: CaseFile) -> SafeString | str:
        return decision_badge(case)

    def has_reanalyse_permission(self, request: HttpRequest) -> bool:
        return request.user.has_perm("cases.reanalyse_casefile")

    def change_view(self, request: HttpRequest, object_id: str, form_url: str = "", extra_context: Any = None) -> Any:
        case = self.get_object(request, unquote(object_id))
        if case is None:
            return self._get_obj_does_not_exist_redirect(request, self.opts, object_id)  # type: ignore[attr-defined]
        if request.method not in ("GET", "HEAD") or not self.has_view_permission(request, case):
            raise PermissionDenied
        context = {
            **self.admin_site.each_context(request),
            "opts": self.opts,
            "title": case.number,
            "case": case,
            "state": state_badge(case),
            "decision": decision_badge(case),
            "may_reanalyse": self.has_reanalyse_permission(request),
            "quoted": quote(case.pk),
            **case_context(case, request.GET),
        }
        return TemplateResponse(request, "admin/cases/casefile/case.html", context)

    def run_view(self, request: HttpRequest, object_id: str, way: str) -> HttpResponse:
        """The buttons: POST only, the right checked again; the database decides whether a run may be opened."""
        number = unquote(object_id)
        if not self.has_reanalyse_permission(request) or not self.has_view_permission(request):
            raise PermissionDenied
        try:
            with transaction.atomic(), connection.cursor() as cursor:
                unit = WAYS[way](cursor, number)
                note = _("Run %(run)d by hand (%(way)s).") % {"run": unit.generation, "way": way}
                LogEntry.objects.log_actions(person(request).pk, [CaseFile(number=number)], CHANGE, note)
        except AlreadyOpen:
            self.message_user(request, _("A run of this case is queued or running already."), messages.WARNING)
        except NothingToRead:
            self.message_user(request, _("The case has no documents yet; run it whole."), messages.WARNING)
        except UnknownCase:
            return self._get_obj_does_not_exist_redirect(request, self.opts, number)  # type: ignore[attr-defined,no-any-return]
        else:
            self.message_user(request, _("Run %(run)d has been opened.") % {"run": unit.generation})
        return HttpResponseRedirect(reverse("admin:cases_casefile_change", args=[quote(number)]))

    def get_urls(self) -> list[URLPattern]:
        view = self.admin_site.admin_view(require_POST(self.run_view))
        own = [path(f"<path:object_id>/{way}/", view, {"way": way}, name=f"cases_casefile_{way}") for way in WAYS]
        return [*own, *super().get_urls()]
