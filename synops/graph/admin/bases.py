"""What every admin page of ours does the same: rows a person may see, estimated counts, pages that only show."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.utils.text import capfirst

from synops.graph.admin.paginator import EstimatedPaginator

if TYPE_CHECKING:  # generic only for the type checker
    from synops.graph.access import Viewer

    ModelAdmin = admin.ModelAdmin[Any]
else:
    ModelAdmin = admin.ModelAdmin


class PlainAdmin(ModelAdmin):
    """For rows that belong to the machine and not to a collection: the permission alone decides."""

    paginator = EstimatedPaginator
    show_full_result_count = False
    list_per_page = 100
    list_max_show_all = 200

    def changelist_view(self, request: HttpRequest, extra_context: Any = None) -> HttpResponse:
        """Under the name of what it lists: “Select job to change” is true for few who look."""
        title = capfirst(self.opts.verbose_name_plural)
        page: HttpResponse = super().changelist_view(request, {"title": title, **(extra_context or {})})
        return page


class VisibleAdmin(PlainAdmin):
    """For rows that belong to a node: who may see the node is the only way in.

    List, page, history, delete, actions and autocomplete all start from `get_queryset`.
    """

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        return self.visible_rows(super().get_queryset(request), viewer(request))

    def visible_rows(self, rows: QuerySet[Any], user: Viewer) -> QuerySet[Any]:
        """`rows` cut to those that `user` may see."""
        visible: QuerySet[Any] = rows.visible_to(user)  # type: ignore[attr-defined]
        return visible


def viewer(request: HttpRequest) -> Viewer:
    """The person behind a request."""
    return request.user


def person(request: HttpRequest) -> Any:
    """The same where the admin has already made sure that somebody is logged in."""
    return request.user


class ReadOnly:
    """Mixed in before an admin class: rows are shown, never written here."""

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False
