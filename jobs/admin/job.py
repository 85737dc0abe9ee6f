"""Jobs in the admin: the list, the page of one job, and what a person may do to them."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, cast
from uuid import UUID

from django.contrib import admin, messages
from django.contrib.admin.helpers import ACTION_CHECKBOX_NAME
from django.core.exceptions import PermissionDenied
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect, JsonResponse
from django.template.response import TemplateResponse
from django.urls import URLPattern, path, reverse
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_POST

from jobs.admin import columns
from jobs.admin.actions import CANCEL, OPERATIONS, RETRY, Operation, perform, sentence
from jobs.admin.changelist import (
    JobChangeList,
    chips,
    collection_choices,
    database_now,
    filterset,
    found_rows,
    newer_than,
    type_choices,
)
from jobs.admin.job_page import page_context
from jobs.models import Job
from synops.graph.admin.bases import ReadOnly, VisibleAdmin, viewer
from synops.graph.admin.paginator import bounded_count

if TYPE_CHECKING:
    from django.contrib.auth.models import AbstractUser


class JobAdmin(ReadOnly, columns.JobColumns, VisibleAdmin):
    """Only jobs/queue.py changes a job, so there is no form: pages show, buttons ask the queue."""

    list_display = ("state", "name", "tries", "rank", "created", "took", "note", "buttons")
    list_display_links = None
    actions = ("retry_selected", "cancel_selected")
    ordering = ("-created_at", "-id")
    sortable_by = ()
    change_list_template = "admin/jobs/job/change_list.html"

    def get_changelist(self, request: HttpRequest, **kwargs: Any) -> type[JobChangeList]:
        return JobChangeList

    def get_list_display(self, request: HttpRequest) -> Any:
        """Without buttons for those who may press none."""
        may = self.has_retry_permission(request) or self.has_cancel_permission(request)
        return self.list_display if may else self.list_display[:-1]

    # Rights

    def has_retry_permission(self, request: HttpRequest, obj: Job | None = None) -> bool:
        return request.user.has_perm(RETRY.permission)

    def has_cancel_permission(self, request: HttpRequest, obj: Job | None = None) -> bool:
        return request.user.has_perm(CANCEL.permission)

    # The list

    def changelist_view(self, request: HttpRequest, extra_context: Any = None) -> HttpResponse:
        user = viewer(request)
        rows = Job.objects.visible_to(user)
        context = {
            "chips": chips(request, rows),
            "types": type_choices(user, request.GET.get("type", "")),
            "collections": collection_choices(user),
            "since": database_now().isoformat(),
            **(extra_context or {}),
        }
        return super().changelist_view(request, context)

    def news_view(self, request: HttpRequest) -> JsonResponse:
        """For the open list: counts per status now, and how many jobs are newer than `since`."""
        if not self.has_view_permission(request):
            raise PermissionDenied
        rows = Job.objects.visible_to(viewer(request))
        newer = newer_than(found_rows(filterset(request.GET, rows, request)), request.GET.get("since", ""))
        counts = {chip.status: chip.count for chip in chips(request, rows)}
        return JsonResponse({"new": bounded_count(newer, 999), "counts": counts})

    # Actions

    @admin.action(permissions=["retry"], description=gettext_lazy("Retry selected jobs"))
    def retry_selected(self, request: HttpRequest, queryset: QuerySet[Job]) -> HttpResponse | None:
        return self.confirmed(request, queryset, RETRY)

    @admin.action(permissions=["cancel"], description=gettext_lazy("Cancel selected jobs"))
    def cancel_selected(self, request: HttpRequest, queryset: QuerySet[Job]) -> HttpResponse | None:
        return self.confirmed(request, queryset, CANCEL)

    def confirmed(self, request: HttpRequest, rows: QuerySet[Job], operation: Operation) -> HttpResponse | None:
        """The page that asks, and on its answer the deed. `rows` are the selection, or all that the filter finds."""
        if "confirm" not in request.POST:
            return self.ask(request, rows, operation)
        ids = rows.order_by().values_list("pk", flat=True).iterator(chunk_size=1_000)
        self.tell(request, operation, ids)
        return None

    def ask(self, request: HttpRequest, rows: QuerySet[Job], operation: Operation) -> HttpResponse:
        possible = rows.filter(status__in=operation.states).count()
        context = {
            **self.admin_site.each_context(request),
            "title": operation.button,
            "opts": self.opts,
            "operation": operation,
            "total": rows.count(),
            "possible": possible,
            "examples": columns.few(rows),
            "action": request.POST.get("action"),
            "action_checkbox_name": ACTION_CHECKBOX_NAME,
            "selected": request.POST.getlist(ACTION_CHECKBOX_NAME),
            "select_across": request.POST.get("select_across", "0"),
        }
        return TemplateResponse(request, "admin/jobs/job/confirm_action.html", context)

    def tell(self, request: HttpRequest, operation: Operation, ids: Any) -> None:
        result = perform(operation, cast("AbstractUser", request.user), ids)
        level = messages.SUCCESS if result.changed else messages.WARNING
        self.message_user(request, sentence(operation, result), level)

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
            "may_retry": self.has_retry_permission(request, job) and job.status in RETRY.states,
            "may_cancel": self.has_cancel_permission(request, job) and columns.cancellable(job),
            **page_context(job, viewer(request)),
        }
        return TemplateResponse(request, "admin/jobs/job/job.html", context)

    def operate_view(self, request: HttpRequest, object_id: UUID, operation: str) -> HttpResponse:
        """The buttons: POST only, right and state checked again, back to where the person was."""
        job = self.get_object(request, str(object_id))
        wanted = OPERATIONS[operation]
        if job is None or not request.user.has_perm(wanted.permission) or not self.has_view_permission(request, job):
            raise PermissionDenied
        self.tell(request, wanted, [job.pk])
        if "from_list" in request.POST:
            return HttpResponseRedirect(f"{reverse('admin:jobs_job_changelist')}?{request.POST['from_list']}")
        return HttpResponseRedirect(reverse("admin:jobs_job_change", args=[job.pk]))

    def get_urls(self) -> list[URLPattern]:
        wrap: Callable[[Any], Any] = self.admin_site.admin_view
        own = [path("news/", wrap(self.news_view), name="jobs_job_news")]
        for name in OPERATIONS:
            view = wrap(require_POST(self.operate_view))
            own.append(path(f"<uuid:object_id>/{name}/", view, {"operation": name}, name=f"jobs_job_{name}"))
        return [*own, *super().get_urls()]
