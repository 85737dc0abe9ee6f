"""Jobs in the admin: the list, the page of one job, and what a person may do to them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from uuid import UUID

from django.contrib import admin, messages
from django.core.exceptions import PermissionDenied
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect, JsonResponse
from django.http.response import HttpResponseBase
from django.template.response import TemplateResponse
from django.urls import URLPattern, path, reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST

from jobs.admin import columns
from jobs.admin.changelist import JobChangeList, chips, database_now, newer_than, visible_jobs
from jobs.admin.confirming import confirmed, tell, too_long
from jobs.admin.export import as_csv
from jobs.admin.filter_fields import filter_fields
from jobs.admin.job_log import log_answer
from jobs.admin.job_page import page_context
from jobs.admin.jump import jobs_named
from jobs.admin.more_columns import MORE, USUAL, MoreJobColumns, chosen_columns, keep_columns
from jobs.admin.new_job import new_job_view
from jobs.bulk.beginning import Chosen
from jobs.filters import found
from jobs.models import Job
from jobs.operations import CANCEL, DISCARD, OPERATIONS, RETRY, Operation, may
from synops.graph.admin.bases import ReadOnly, VisibleAdmin, viewer
from synops.graph.admin.paginator import bounded_count
from synops.graph.patience import TookTooLong, patience


def action_for(operation: Operation) -> Callable[..., HttpResponse | None]:
    """The operation as an action of the list, under its own right."""

    @admin.action(permissions=[f"{operation.name}_job"], description=operation.button)
    def act(owner: JobAdmin, request: HttpRequest, queryset: QuerySet[Job]) -> HttpResponse | None:
        across = request.POST.get("select_across") == "1"
        chosen = Chosen(filters=request.GET.dict()) if across else None
        return confirmed(owner, request, queryset, operation, f"{operation.name}_selected", chosen)

    act.__name__ = f"{operation.name}_selected"
    return act


def right_to(operation: Operation) -> Any:
    """The method by which the admin asks whether a person has the right to an operation."""
    return lambda _owner, request: may(request.user, operation)


class JobAdmin(ReadOnly, columns.JobColumns, MoreJobColumns, VisibleAdmin):
    """Only jobs/queue changes a job, so there is no form: pages show, buttons ask the queue."""

    list_display = (*USUAL, "buttons")
    list_display_links = None
    list_per_page = 50
    actions = tuple(action_for(operation) for operation in OPERATIONS.values())
    ordering = ("-created_at", "-id")
    sortable_by = ()
    change_list_template = "admin/jobs/job/change_list.html"

    has_retry_job_permission = right_to(RETRY)
    has_cancel_job_permission = right_to(CANCEL)
    has_run_now_job_permission = right_to(OPERATIONS["run_now"])
    has_defer_job_permission = right_to(OPERATIONS["defer"])
    has_prioritise_job_permission = right_to(OPERATIONS["prioritise"])
    has_discard_job_permission = right_to(DISCARD)

    def get_changelist(self, request: HttpRequest, **kwargs: Any) -> type[JobChangeList]:
        return JobChangeList

    def get_list_display(self, request: HttpRequest) -> Any:
        """What the person has chosen; without buttons for those who may press none."""
        buttons = ("buttons",) if may(request.user, RETRY) or may(request.user, CANCEL) else ()
        return (*chosen_columns(request), *buttons)

    # The list

    def changelist_view(self, request: HttpRequest, extra_context: Any = None) -> HttpResponse:
        """The page, within a time: a filter may ask for what no index helps to find."""
        if request.method == "POST":
            return super().changelist_view(request, extra_context)
        try:
            with patience():
                page = super().changelist_view(request, {**self._head(request), **(extra_context or {})})
                return page.render() if isinstance(page, TemplateResponse) else page
        except TookTooLong:
            return too_long(self, request)

    def _head(self, request: HttpRequest) -> dict[str, Any]:
        user, shown = viewer(request), chosen_columns(request)
        return {
            "chips": chips(request.GET, visible_jobs(user)),
            "fields": filter_fields(request.GET, user),
            "since": database_now().isoformat(),
            "columns": [(name, self._label(name), name in shown) for name in (*USUAL, *MORE) if name != "name"],
            "may_enqueue": request.user.has_perm("jobs.enqueue_job"),
        }

    def _label(self, column: str) -> Any:
        return getattr(self, column).short_description

    def news_view(self, request: HttpRequest) -> JsonResponse:
        """For the open list: counts per status now, and how many jobs are newer than `since`."""
        rows = self._visible_or_denied(request)
        newer = newer_than(found(request.GET, rows, request)[1], request.GET.get("since", ""))
        counts = {chip.status: chip.count for chip in chips(request.GET, rows)}
        return JsonResponse({"new": bounded_count(newer, 999), "counts": counts})

    def export_view(self, request: HttpRequest) -> HttpResponse:
        """The filtered list as a file."""
        _filters, rows = found(request.GET, self._visible_or_denied(request), request)
        with patience(seconds=30):
            return as_csv(rows)

    def jump_view(self, request: HttpRequest) -> HttpResponse:
        """To the job whose id is typed or pasted, or whose id begins so."""
        rows = self._visible_or_denied(request)
        named = jobs_named(rows, request.GET.get("id", ""))
        if len(named) == 1:
            return HttpResponseRedirect(reverse("admin:jobs_job_change", args=named))
        few = _("No job that you may see has an id that begins so.")
        many = _("Several jobs have an id that begins so: give more of it.")
        self.message_user(request, many if named else few, messages.WARNING)
        return HttpResponseRedirect(reverse("admin:jobs_job_changelist"))

    def columns_view(self, request: HttpRequest) -> HttpResponse:
        """Keep the chosen columns, and back to the list as it was."""
        self._visible_or_denied(request)
        keep_columns(request, request.POST.getlist("column"))
        return self._back_to_list(request)

    def _visible_or_denied(self, request: HttpRequest) -> QuerySet[Job]:
        if not self.has_view_permission(request):
            raise PermissionDenied
        return visible_jobs(viewer(request))

    def _back_to_list(self, request: HttpRequest) -> HttpResponse:
        return HttpResponseRedirect(f"{reverse('admin:jobs_job_changelist')}?{request.POST.get('from_list', '')}")

    # One job

    def change_view(self, request: HttpRequest, object_id: str, form_url: str = "", extra_context: Any = None) -> Any:
        job = self.get_object(request, object_id)
        if job is None:
            return self._get_obj_does_not_exist_redirect(request, self.opts, object_id)  # type: ignore[attr-defined]
        if request.method not in ("GET", "HEAD") or not self.has_view_permission(request, job):
            raise PermissionDenied
        context = {
            **self.admin_site.each_context(request),
            "opts": self.opts,
            "title": str(job),
            "original": job,
            "operations": [one for one in OPERATIONS.values() if may(request.user, one) and columns.fits(one, job)],
            "may_enqueue": request.user.has_perm("jobs.enqueue_job"),
            **page_context(job, viewer(request)),
        }
        return TemplateResponse(request, "admin/jobs/job/job.html", context)

    def log_view(self, request: HttpRequest, object_id: UUID) -> HttpResponseBase:
        """The log of an attempt, as the page asks for it again and again."""
        job = self.get_object(request, str(object_id))
        if job is None or not self.has_view_permission(request, job):
            raise PermissionDenied
        return log_answer(request, job)

    def operate_view(self, request: HttpRequest, object_id: UUID, operation: str) -> HttpResponse:
        """The buttons: POST only, right and state checked again, back to where the person was."""
        job = self.get_object(request, str(object_id))
        wanted = OPERATIONS[operation]
        if job is None or not may(request.user, wanted) or not self.has_view_permission(request, job):
            raise PermissionDenied
        if wanted.takes or wanted is DISCARD:
            if asking := confirmed(self, request, Job.objects.filter(pk=job.pk), wanted):
                return asking
        else:
            tell(self, request, wanted, [job.pk])
        if "from_list" in request.POST or wanted is DISCARD:
            return self._back_to_list(request)
        return HttpResponseRedirect(reverse("admin:jobs_job_change", args=[job.pk]))

    def get_urls(self) -> list[URLPattern]:
        wrap: Callable[[Any], Any] = self.admin_site.admin_view
        own = [
            path("news/", wrap(self.news_view), name="jobs_job_news"),
            path("export/", wrap(self.export_view), name="jobs_job_export"),
            path("new/", wrap(new_job_view(self)), name="jobs_job_new"),
            path("jump/", wrap(self.jump_view), name="jobs_job_jump"),
            path("columns/", wrap(require_POST(self.columns_view)), name="jobs_job_columns"),
        ]
        own.append(path("<uuid:object_id>/log/", wrap(self.log_view), name="jobs_job_log"))
        for name in OPERATIONS:
            view = wrap(require_POST(self.operate_view))
            own.append(path(f"<uuid:object_id>/{name}/", view, {"operation": name}, name=f"jobs_job_{name}"))
        return [*own, *super().get_urls()]
