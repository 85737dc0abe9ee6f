"""Edges in the admin. Both ends must be visible, to see an edge as well as to draw one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django import forms
from django.contrib import admin
from django.core.exceptions import ValidationError
from django.db import connection
from django.db.models import QuerySet
from django.http import HttpRequest
from django.urls import reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext_lazy as _

from synops.graph.access import only_readable
from synops.graph.admin.bases import VisibleAdmin
from synops.graph.admin.nodes import NEWEST
from synops.graph.admin.rendering import brief, json_block
from synops.graph.edge_checks import refusal
from synops.graph.models import AccessEdgeType, Edge, Node

if TYPE_CHECKING:
    from synops.graph.access import Viewer

    EdgeModelForm = forms.ModelForm[Edge]
else:
    EdgeModelForm = forms.ModelForm


class EdgeForm(EdgeModelForm):
    """An edge's type and metadata; the ends are chosen among what the person may see."""

    may_manage_access = False

    class Meta:
        model = Edge
        fields = ("source", "edge_type", "target", "metadata")
        widgets = {
            "edge_type": forms.TextInput(attrs={"class": "vTextField"}),
            "metadata": forms.Textarea(attrs={"class": "vLargeTextField json-field", "rows": 6, "spellcheck": "false"}),
        }

    def clean_metadata(self) -> Any:
        value = self.cleaned_data["metadata"] or {}
        if not isinstance(value, dict):
            raise ValidationError(_("Metadata is an object: write {…}."))
        return value

    def clean_edge_type(self) -> str:
        edge_type: str = self.cleaned_data["edge_type"].strip()
        if not self.may_manage_access and gives_access(edge_type):
            raise ValidationError(
                _("Edges of the type “%(type)s” give access; you may not change who has access."),
                params={"type": edge_type},
            )
        return edge_type

    def clean(self) -> dict[str, Any]:
        """A new edge is one that the apps above agree to; the admin saves it in this same transaction."""
        found: dict[str, Any] = super().clean() or self.cleaned_data
        if self.instance._state.adding and {"source", "edge_type", "target"} <= found.keys():
            with connection.cursor() as cursor:
                why = refusal(cursor, found["source"].pk, found["edge_type"], found["target"].pk)
            if why:
                raise ValidationError(why)
        return found


def gives_access(edge_type: str) -> bool:
    """Whether edges of this type decide who may see something."""
    return AccessEdgeType.objects.filter(edge_type=edge_type).exists()


class EdgeTypeFilter(admin.SimpleListFilter):
    """The types of the newest edges that the viewer may see."""

    title = _("type")
    parameter_name = "type"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        newest = model_admin.get_queryset(request).order_by("-created_at", "-id").values_list("edge_type", flat=True)
        return [(name, name) for name in sorted({*newest[:NEWEST], *filter(None, [self.value()])})]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        return queryset.filter(edge_type=self.value()) if self.value() else queryset


class EdgeAdmin(VisibleAdmin):
    """Every edge between two nodes that the viewer has access to."""

    form = EdgeForm
    list_display = ("source_node", "type", "target_node", "slot", "created")
    list_display_links = ("type",)
    list_filter = (EdgeTypeFilter,)
    list_select_related = ("source", "target")
    autocomplete_fields = ("source", "target")
    ordering = ("-created_at", "-id")
    sortable_by = ()
    readonly_fields = ("created", "shown_metadata")

    def visible_rows(self, rows: QuerySet[Any], user: Viewer) -> QuerySet[Any]:
        return only_readable(only_readable(rows, user, "source_id"), user, "target_id")

    def get_fields(self, request: HttpRequest, obj: Edge | None = None) -> Any:
        may_write = self.has_change_permission(request, obj) if obj else True
        fields = ["source", "edge_type", "target", "metadata" if may_write else "shown_metadata"]
        return fields + (["created"] if obj else [])

    def get_readonly_fields(self, request: HttpRequest, obj: Any = None) -> tuple[str, ...]:
        """An edge with other ends or of another type is another edge."""
        return (*self.readonly_fields, "source", "edge_type", "target") if obj else self.readonly_fields

    def get_form(self, request: HttpRequest, obj: Any = None, change: bool = False, **kwargs: Any) -> Any:
        form = super().get_form(request, obj, change=change, **kwargs)
        form.may_manage_access = request.user.has_perm("graph.manage_access")  # type: ignore[attr-defined]
        return form

    def formfield_for_foreignkey(self, db_field: Any, request: HttpRequest, **kwargs: Any) -> Any:
        """Also what is posted is checked against this, so a guessed id is as good as one that does not exist."""
        kwargs["queryset"] = Node.objects.visible_to(request.user)
        return super().formfield_for_foreignkey(db_field, request, **kwargs)

    def has_change_permission(self, request: HttpRequest, obj: Edge | None = None) -> bool:
        return super().has_change_permission(request, obj) and self._may_touch(request, obj)

    def has_delete_permission(self, request: HttpRequest, obj: Edge | None = None) -> bool:
        return super().has_delete_permission(request, obj) and self._may_touch(request, obj)

    def _may_touch(self, request: HttpRequest, edge: Edge | None) -> bool:
        return edge is None or request.user.has_perm("graph.manage_access") or not gives_access(edge.edge_type)

    def get_actions(self, request: HttpRequest) -> dict[str, Any]:
        """Without bulk delete: it asks `has_delete_permission` for no object in particular."""
        actions = super().get_actions(request)
        actions.pop("delete_selected", None)
        return actions

    @admin.display(description=_("from"))
    def source_node(self, edge: Edge) -> SafeString:
        return node_link(edge.source)

    @admin.display(description=_("to"))
    def target_node(self, edge: Edge) -> SafeString:
        return node_link(edge.target)

    @admin.display(description=_("type"))
    def type(self, edge: Edge) -> str:
        return edge.edge_type

    @admin.display(description=_("slot"))
    def slot(self, edge: Edge) -> str:
        return str(edge.metadata.get("slot") or "")

    @admin.display(description=_("created"))
    def created(self, edge: Edge) -> str:
        return brief(edge.created_at)

    @admin.display(description=_("metadata"))
    def shown_metadata(self, edge: Edge) -> str:
        return json_block(edge.metadata)


def node_link(node: Node) -> SafeString:
    """A link to a node that the viewer may see."""
    return format_html('<a href="{}">{}</a>', reverse("admin:graph_node_change", args=[node.pk]), node)
