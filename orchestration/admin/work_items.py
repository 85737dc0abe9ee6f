"""The inbox of work items in the admin: by state, holder and tag; what is done with one is on its page."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.urls import URLPattern
from django.utils.safestring import SafeString
from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext

from orchestration import item_actions
from orchestration.admin import work_item_page
from orchestration.models import WorkItem
from synops.graph.admin.bases import ReadOnly, VisibleAdmin, person, viewer
from synops.graph.admin.rendering import badge, brief
from synops.graph.models import Edge

MOST_TAGS = 50
STATES = (
    ("mine", _("mine")),
    ("free", _("unclaimed")),
    ("others", _("taken by others")),
    ("answered", _("to be approved")),
    ("closed", _("closed")),
    ("all", _("all")),
)


class InboxFilter(admin.SimpleListFilter):
    """What waits for whom. An inbox opens with what is open."""

    title = _("state")
    parameter_name = "state"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, Any]]:
        self.user = person(request)
        return list(STATES)

    def choices(self, changelist: Any) -> Iterator[Any]:
        first, *rest = super().choices(changelist)
        yield {**first, "display": _("open"), "selected": self.value() in (None, "open")}
        yield from rest

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        rows: Any = queryset
        match self.value():
            case "mine":
                return rows.held().filter(metadata__claim__by=self.user.pk)  # type: ignore[no-any-return]
            case "others":
                return rows.held().exclude(metadata__claim__by=self.user.pk)  # type: ignore[no-any-return]
            case "free":
                return rows.free()  # type: ignore[no-any-return]
            case "answered":
                return rows.answered()  # type: ignore[no-any-return]
            case "closed":
                return rows.filter(metadata__status="closed")  # type: ignore[no-any-return]
            case "all":
                return queryset
        return rows.open()  # type: ignore[no-any-return]


class TagFilter(admin.SimpleListFilter):
    """The tags of open items that the person sees."""

    title = _("tag")
    parameter_name = "tag"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        seen = WorkItem.objects.visible_to(viewer(request)).open()
        tags = Edge.objects.filter(edge_type="tagged", source__in=seen.values("pk"))
        names = tags.order_by("target__title").values_list("target__title", flat=True).distinct()
        return [(name, name) for name in names[:MOST_TAGS]]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        rows: Any = queryset
        return rows.tagged(self.value()) if self.value() else rows  # type: ignore[no-any-return]


class WorkItemAdmin(ReadOnly, VisibleAdmin):
    """Opened by runs and people's wishes; taken, answered and closed on their pages by those with the right to."""

    list_display = ("title", "state", "holder", "times", "tags", "changed")
    list_filter = (InboxFilter, TagFilter)
    actions = ("close_selected",)
    search_fields = ("title",)
    ordering = ("-updated_at", "-id")
    sortable_by = ()
    change_list_template = "admin/orchestration/workitem/change_list.html"

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        rows: QuerySet[Any] = super().get_queryset(request).with_tags()  # type: ignore[attr-defined]
        return rows

    def change_view(
        self, request: HttpRequest, object_id: str, form_url: str = "", extra_context: Any = None
    ) -> HttpResponse:
        return work_item_page.view(self, request, object_id)

    def get_urls(self) -> list[URLPattern]:
        return [*work_item_page.urls(self), *super().get_urls()]

    def has_close_permission(self, request: HttpRequest) -> bool:
        return request.user.has_perm(item_actions.CLOSE)

    @admin.action(permissions=["close"], description=_("Close selected work items"))
    def close_selected(self, request: HttpRequest, queryset: QuerySet[WorkItem]) -> None:
        count = sum(item_actions.close(person(request), item.pk) for item in queryset)
        self.message_user(
            request,
            ngettext("%(count)d work item closed.", "%(count)d work items closed.", count) % {"count": count},
        )

    @admin.display(description=_("state"))
    def state(self, item: WorkItem) -> SafeString:
        return badge(*work_item_page.shown_state(item))

    @admin.display(description=_("taken by"))
    def holder(self, item: WorkItem) -> str:
        held = work_item_page.current_holder(item)
        return held.name if held else "–"

    @admin.display(description=_("times"))
    def times(self, item: WorkItem) -> str:
        return str(item.times)

    @admin.display(description=_("tags"))
    def tags(self, item: Any) -> str:
        return ", ".join(item.tag_names or ()) or "–"

    @admin.display(description=_("changed"))
    def changed(self, item: WorkItem) -> str:
        return brief(item.updated_at)
