"""The outbox, and which edge types give access: the graph's inner workings, for operators."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils.translation import gettext_lazy as _

from synops.graph.access import only_readable
from synops.graph.admin.bases import PlainAdmin, ReadOnly, VisibleAdmin
from synops.graph.admin.rendering import badge, brief, json_block, moment
from synops.graph.models import GraphEvent

if TYPE_CHECKING:
    from synops.graph.access import Viewer


class HandledFilter(admin.SimpleListFilter):
    """Events that still wait, and those that have been handled."""

    title = _("handled")
    parameter_name = "handled"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, Any]]:
        return [("no", _("waiting")), ("yes", _("handled"))]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        wanted = {"no": True, "yes": False}.get(self.value() or "")
        return queryset if wanted is None else queryset.filter(done_at__isnull=wanted)


class GraphEventAdmin(ReadOnly, VisibleAdmin):
    """What happened to nodes that the viewer has access to. Events of deleted nodes are for superusers."""

    list_display = ("number", "event", "op", "happened", "state")
    list_filter = (HandledFilter,)
    ordering = ("-id",)
    sortable_by = ()
    fields = ("event", "op", "node_id", "edge_id", "shown_payload", "chain", "happened", "handled")

    def visible_rows(self, rows: QuerySet[Any], user: Viewer) -> QuerySet[Any]:
        return only_readable(rows, user, "node_id")

    @admin.display(description=_("number"))
    def number(self, event: GraphEvent) -> str:
        return str(event.pk)

    @admin.display(description=_("created"))
    def happened(self, event: GraphEvent) -> str:
        return brief(event.created_at)

    @admin.display(description=_("handled"))
    def handled(self, event: GraphEvent) -> str:
        return moment(event.done_at)

    @admin.display(description=_("state"))
    def state(self, event: GraphEvent) -> str:
        return badge("succeeded", _("handled")) if event.done_at else badge("pending", _("waiting"))

    @admin.display(description=_("details"))
    def shown_payload(self, event: GraphEvent) -> str:
        return json_block(event.payload)


class AccessEdgeTypeAdmin(PlainAdmin):
    """Data that decides who sees what; the database recomputes all access when it changes."""

    list_display = ("edge_type", "effect", "role")
    sortable_by = ()

    def get_readonly_fields(self, request: HttpRequest, obj: Any = None) -> tuple[str, ...]:
        return ("edge_type",) if obj else ()

    def has_add_permission(self, request: HttpRequest) -> bool:
        return super().has_add_permission(request) and request.user.has_perm("graph.manage_access")

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return super().has_change_permission(request, obj) and request.user.has_perm("graph.manage_access")

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return super().has_delete_permission(request, obj) and request.user.has_perm("graph.manage_access")
