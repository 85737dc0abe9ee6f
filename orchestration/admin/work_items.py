"""Work items in the admin: what is open, what it is about, and closing it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from uuid import UUID

from django.contrib import admin
from django.contrib.admin.models import CHANGE, LogEntry
from django.core.exceptions import PermissionDenied
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import URLPattern, path, reverse
from django.utils.html import format_html
from django.utils.translation import gettext_lazy as _
from django.utils.translation import gettext_noop, ngettext
from django.views.decorators.http import require_POST

from orchestration import work_items
from orchestration.models import WorkItem
from synops.graph.admin.bases import ReadOnly, VisibleAdmin, person
from synops.graph.admin.rendering import badge, brief, json_block


class OpenFilter(admin.SimpleListFilter):
    """Open and closed ones."""

    title = _("state")
    parameter_name = "state"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, Any]]:
        return [("open", _("open")), ("closed", _("closed"))]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        return queryset.filter(metadata__status=self.value()) if self.value() in ("open", "closed") else queryset


class WorkItemAdmin(ReadOnly, VisibleAdmin):
    """Read here; opened by runs and closed by people with the right to."""

    list_display = ("title", "state", "times", "tags", "changed")
    list_filter = (OpenFilter,)
    actions = ("close_selected",)
    search_fields = ("title",)
    ordering = ("-updated_at", "-id")
    sortable_by = ()
    fields = ("title", "state", "text", "details", "changed")
    change_form_template = "admin/orchestration/workitem/change_form.html"

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        rows: QuerySet[Any] = super().get_queryset(request).with_tags()  # type: ignore[attr-defined]
        return rows

    def has_close_permission(self, request: HttpRequest) -> bool:
        return request.user.has_perm("orchestration.close_workitem")

    @admin.action(permissions=["close"], description=_("Close selected work items"))
    def close_selected(self, request: HttpRequest, queryset: QuerySet[WorkItem]) -> None:
        user = person(request)
        closed = [item for item in queryset if work_items.close(item.pk, by=user.pk)]
        if closed:
            LogEntry.objects.log_actions(user.pk, closed, CHANGE, gettext_noop("Closed."))
        count = len(closed)
        self.message_user(
            request,
            ngettext("%(count)d work item closed.", "%(count)d work items closed.", count) % {"count": count},
        )

    def toggle_view(self, request: HttpRequest, object_id: UUID, close: bool) -> HttpResponse:
        """The button on an item's page."""
        item = self.get_object(request, str(object_id))
        if item is None or not self.has_close_permission(request):
            raise PermissionDenied
        user = person(request)
        if work_items.close(object_id, by=user.pk) if close else work_items.reopen(object_id):
            note = gettext_noop("Closed.") if close else gettext_noop("Opened again.")
            LogEntry.objects.log_actions(user.pk, [item], CHANGE, note)
        return HttpResponseRedirect(reverse("admin:orchestration_workitem_change", args=[object_id]))

    def get_urls(self) -> list[URLPattern]:
        wrap: Callable[[Any], Any] = self.admin_site.admin_view
        view = wrap(require_POST(self.toggle_view))
        own = [
            path("<uuid:object_id>/close/", view, {"close": True}, name="orchestration_workitem_close"),
            path("<uuid:object_id>/reopen/", view, {"close": False}, name="orchestration_workitem_reopen"),
        ]
        return [*own, *super().get_urls()]

    def render_change_form(self, request: HttpRequest, context: Any, *args: Any, **kwargs: Any) -> HttpResponse:
        context["may_close"] = self.has_close_permission(request)
        page: HttpResponse = super().render_change_form(request, context, *args, **kwargs)
        return page

    @admin.display(description=_("state"))
    def state(self, item: WorkItem) -> str:
        return badge("pending", _("open")) if item.is_open else badge("succeeded", _("closed"))

    @admin.display(description=_("times"))
    def times(self, item: WorkItem) -> str:
        return str(item.times)

    @admin.display(description=_("tags"))
    def tags(self, item: Any) -> str:
        return ", ".join(item.tag_names or ()) or "–"

    @admin.display(description=_("text"))
    def text(self, item: WorkItem) -> str:
        return format_html('<pre class="log" tabindex="0">{}</pre>', item.content)

    @admin.display(description=_("details"))
    def details(self, item: WorkItem) -> str:
        return json_block(item.metadata)

    @admin.display(description=_("changed"))
    def changed(self, item: WorkItem) -> str:
        return brief(item.updated_at)
