"""Downloads of episodes as synops-stats has counted them: by day and app, of the collections that the viewer has access to."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING, Any
from uuid import UUID

from django.contrib import admin
from django.db.models import Exists, OuterRef, QuerySet, Sum
from django.http import HttpRequest, HttpResponse
from django.template.response import TemplateResponse
from django.urls import reverse
from django.utils.html import format_html
from django.utils.timezone import localdate
from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext

from synops.graph.access import only_readable
from synops.graph.admin.bases import ReadOnly, VisibleAdmin, viewer
from synops.graph.admin.rendering import day
from synops.graph.models import DownloadCount, Node

if TYPE_CHECKING:
    from synops.graph.access import Viewer

MOST_CHOICES = 100


class PeriodFilter(admin.SimpleListFilter):
    """The last days, today among them."""

    title = _("period")
    parameter_name = "days"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, Any]]:
        return [("7", _("last 7 days")), ("30", _("last 30 days")), ("365", _("last year"))]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        value = self.value() or ""
        if value not in {days for days, _label in self.lookup_choices}:
            return queryset
        return queryset.filter(day__gt=localdate() - timedelta(days=int(value)))


class CollectionFilter(admin.SimpleListFilter):
    """Collections that have counts and that the viewer has access to."""

    title = _("collection")
    parameter_name = "collection"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        counted = DownloadCount.objects.filter(collection=OuterRef("pk"))  # index download_counts_once
        found = only_readable(Node.objects.filter(Exists(counted)), viewer(request), "id").order_by("title")
        return [(str(node.pk), str(node)) for node in found[:MOST_CHOICES]]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        if not self.value():
            return queryset
        try:
            return queryset.filter(collection=UUID(self.value()))
        except ValueError:
            return queryset.none()


class AppFilter(admin.SimpleListFilter):
    """The apps that people listen with, among what the viewer may see."""

    title = _("app")
    parameter_name = "app"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        apps = model_admin.get_queryset(request).order_by("app").values_list("app", flat=True).distinct()
        return [(app, app) for app in apps[:MOST_CHOICES]]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        return queryset.filter(app=self.value()) if self.value() else queryset


class DownloadCountAdmin(ReadOnly, VisibleAdmin):
    """One row a day, episode and app; above them, how many downloads they make together."""

    list_display = ("date", "downloads", "episode", "app", "feed")  # on a telephone the first three are seen
    list_display_links = None
    list_filter = (PeriodFilter, CollectionFilter, AppFilter)
    list_select_related = ("node", "collection")
    search_fields = ("node__title",)
    search_help_text = _("Words in the episode's title")
    ordering = ("-day", "-id")
    sortable_by = ()

    def visible_rows(self, rows: QuerySet[Any], user: Viewer) -> QuerySet[Any]:
        """An episode may be in two feeds: whoever sees it in the one must not learn how the other does."""
        return only_readable(only_readable(rows, user, "collection_id"), user, "node_id")

    def changelist_view(self, request: HttpRequest, extra_context: Any = None) -> HttpResponse:
        page = super().changelist_view(request, extra_context)
        if isinstance(page, TemplateResponse) and page.context_data and "cl" in page.context_data:
            page.context_data["subtitle"] = self.summed(page.context_data["cl"].queryset)
        return page

    def summed(self, rows: QuerySet[Any]) -> str:
        """The downloads of all pages of the list."""
        total = rows.order_by().aggregate(total=Sum("downloads"))["total"] or 0
        return ngettext("%(total)d download", "%(total)d downloads", total) % {"total": total}

    @admin.display(description=_("day"))
    def date(self, count: DownloadCount) -> str:
        return day(count.day).replace(" ", "\N{NO-BREAK SPACE}")

    @admin.display(description=_("episode"))
    def episode(self, count: DownloadCount) -> str:
        address = reverse("admin:graph_node_change", args=[count.node_id])
        return format_html('<a href="{}">{}</a>', address, count.node)

    @admin.display(description=_("collection"))
    def feed(self, count: DownloadCount) -> str:
        return str(count.collection)
