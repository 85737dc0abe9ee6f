"""Nodes in the admin: what a person may see, and change where no other page owns the kind."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django import forms
from django.contrib import admin
from django.contrib.auth import get_user_model
from django.core.exceptions import ValidationError
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.urls import URLPattern, path
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext_lazy as _

from synops.graph.admin.bases import VisibleAdmin
from synops.graph.admin.new_content import new_collection_view, new_recording_view
from synops.graph.admin.panels import panels_of
from synops.graph.admin.rendering import brief, json_block
from synops.graph.kinds import in_words
from synops.graph.models import Node

if TYPE_CHECKING:
    NodeModelForm = forms.ModelForm[Node]
else:
    NodeModelForm = forms.ModelForm

OWNED_KINDS = frozenset({"orchestration", "cli_tool", "work_item", "notice"})
"""Their own pages keep what belongs together (versions, derived edges, states); here they are only shown."""

NEWEST = 1_000
"""How many rows are looked at to offer choices; counting all kinds would read the whole table."""


class NodeForm(NodeModelForm):
    """A node's own fields. `metadata` is an object, as every reader of it expects."""

    class Meta:
        model = Node
        fields = ("node_kind", "title", "content", "metadata", "user")
        widgets = {
            "node_kind": forms.TextInput(attrs={"class": "vTextField"}),
            "title": forms.TextInput(attrs={"class": "vTextField"}),
            "content": forms.Textarea(attrs={"class": "vLargeTextField", "rows": 12}),
            "metadata": forms.Textarea(
                attrs={"class": "vLargeTextField json-field", "rows": 12, "spellcheck": "false"}
            ),
        }

    def clean_metadata(self) -> Any:
        value = self.cleaned_data["metadata"] or {}
        if not isinstance(value, dict):
            raise ValidationError(_("Metadata is an object: write {…}."))
        return value

    def clean_node_kind(self) -> str:
        kind: str = self.cleaned_data["node_kind"].strip()
        if kind in OWNED_KINDS and self.instance.node_kind != kind:
            raise ValidationError(_("Nodes of the kind “%(kind)s” are made on their own page."), params={"kind": kind})
        return kind


class KindFilter(admin.SimpleListFilter):
    """The kinds of the newest nodes that the viewer may see; another kind still works in the address."""

    title = _("kind")
    parameter_name = "kind"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        newest = model_admin.get_queryset(request).order_by("-created_at", "-id").values_list("node_kind", flat=True)
        kinds = {*newest[:NEWEST], *filter(None, [self.value()])}
        return sorted(((kind, in_words(kind)) for kind in kinds), key=lambda one: one[1])

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        return queryset.filter(node_kind=self.value()) if self.value() else queryset


class NodeAdmin(VisibleAdmin):
    """Every node that the viewer has access to."""

    form = NodeForm
    list_display = ("name", "kind", "created", "changed")
    list_display_links = ("name",)
    list_filter = (KindFilter,)
    search_fields = ("title",)
    search_help_text = _("Words in the title")
    ordering = ("-created_at", "-id")
    sortable_by = ()
    readonly_fields = ("created", "changed", "shown_metadata")
    change_form_template = "admin/graph/node/change_form.html"
    change_list_template = "admin/graph/node/change_list.html"

    def get_urls(self) -> list[URLPattern]:
        site = self.admin_site
        own = [
            path("new-collection/", site.admin_view(new_collection_view(site)), name="graph_node_new_collection"),
            path("new-recording/", site.admin_view(new_recording_view(site)), name="graph_node_new_recording"),
        ]
        return [*own, *super().get_urls()]

    def render_change_form(self, request: HttpRequest, context: Any, *args: Any, **kwargs: Any) -> HttpResponse:
        node = context.get("original")
        context["panels"] = panels_of(request, node) if node else []
        page: HttpResponse = super().render_change_form(request, context, *args, **kwargs)
        return page

    def get_fields(self, request: HttpRequest, obj: Node | None = None) -> Any:
        fields = ["node_kind", "title", "content"]
        fields += ["metadata" if self.may_write(request, obj) else "shown_metadata"]
        if self.may_give_logins(request):
            fields.append("user")
        return fields + (["created", "changed"] if obj else [])

    def may_write(self, request: HttpRequest, obj: Node | None) -> bool:
        return self.has_change_permission(request, obj) if obj else self.has_add_permission(request)

    def may_give_logins(self, request: HttpRequest) -> bool:
        """Tying a node to a login gives that login what the node has access to."""
        return request.user.has_perm("graph.manage_access")

    def get_readonly_fields(self, request: HttpRequest, obj: Any = None) -> tuple[str, ...]:
        return (*self.readonly_fields, "node_kind") if obj else self.readonly_fields

    def has_change_permission(self, request: HttpRequest, obj: Node | None = None) -> bool:
        return super().has_change_permission(request, obj) and not (obj and obj.node_kind in OWNED_KINDS)

    def has_delete_permission(self, request: HttpRequest, obj: Node | None = None) -> bool:
        """A collection takes its jobs with it, so it is not deleted by a tick in a list."""
        kept = obj is not None and (obj.node_kind in OWNED_KINDS or obj.node_kind == "collection")
        return super().has_delete_permission(request, obj) and not kept

    def formfield_for_foreignkey(self, db_field: Any, request: HttpRequest, **kwargs: Any) -> Any:
        if db_field.name == "user":
            kwargs["queryset"] = get_user_model()._default_manager.filter(is_active=True)
        return super().formfield_for_foreignkey(db_field, request, **kwargs)

    def get_actions(self, request: HttpRequest) -> dict[str, Any]:
        """Without bulk delete: it asks `has_delete_permission` for no object in particular."""
        actions = super().get_actions(request)
        actions.pop("delete_selected", None)
        return actions

    @admin.display(description=_("title"))
    def name(self, node: Node) -> str:
        return str(node)

    @admin.display(description=_("kind"))
    def kind(self, node: Node) -> SafeString:
        return format_html('<span class="kind" title="{}">{}</span>', node.node_kind, in_words(node.node_kind))

    @admin.display(description=_("created"))
    def created(self, node: Node) -> str:
        return brief(node.created_at)

    @admin.display(description=_("changed"))
    def changed(self, node: Node) -> str:
        return brief(node.updated_at)

    @admin.display(description=_("metadata"))
    def shown_metadata(self, node: Node) -> str:
        return json_block(node.metadata)
