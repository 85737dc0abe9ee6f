"""[Kjør]: a person starts a recipe on a node or a collection, with what its text asks for."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, cast
from uuid import UUID

from django import forms
from django.contrib import messages
from django.contrib.admin.widgets import AutocompleteSelect
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.template.response import TemplateResponse
from django.urls import reverse
from django.utils.translation import gettext_lazy as _

from orchestration import acting
from orchestration.language import from_json
from orchestration.manual import CannotRun, Wish, needed_inputs
from orchestration.models import Orchestration
from synops.graph.admin.bases import person, viewer
from synops.graph.models import Edge, Node

if TYPE_CHECKING:
    from orchestration.admin.recipes import RecipeAdmin
    from synops.graph.access import Viewer


class ByHandForm(forms.Form):
    """Node, collection, and a field for each `{input.…}` of the recipe."""

    node = forms.ModelChoiceField(
        queryset=Node.objects.none(), required=False, label=_("Node"), help_text=_("What the recipe is to work on.")
    )
    collection = forms.ModelChoiceField(
        queryset=Node.objects.none(),
        required=False,
        label=_("Collection"),
        help_text=_("Needed when no node is chosen, or when the node is in several."),
    )

    def __init__(self, owner: RecipeAdmin, user: Viewer, inputs: list[str], *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        visible = Node.objects.visible_to(user)
        node, collection = self.fields["node"], self.fields["collection"]
        node.queryset = visible  # type: ignore[attr-defined]
        node.widget = AutocompleteSelect(Edge._meta.get_field("source"), owner.admin_site)
        node.widget.choices = node.choices  # type: ignore[attr-defined]
        collection.queryset = visible.filter(node_kind="collection").order_by("title")  # type: ignore[attr-defined]
        self.inputs = inputs
        for name in inputs:
            self.fields[f"input-{name}"] = forms.CharField(label=name, max_length=2000)

    def given(self) -> dict[str, str]:
        """The recipe's inputs by name."""
        return {name: self.cleaned_data[f"input-{name}"] for name in self.inputs}


def by_hand_view(owner: RecipeAdmin) -> Callable[[HttpRequest, UUID], HttpResponse]:
    """The page that asks, and starts the run."""

    def view(request: HttpRequest, object_id: UUID) -> HttpResponse:
        recipe = cast("Orchestration | None", owner.get_object(request, str(object_id)))
        if recipe is None or not owner.has_run_permission(request):
            raise PermissionDenied
        inputs = needed_inputs(from_json(recipe.compiled)) if recipe.compiled else []
        form = ByHandForm(owner, viewer(request), inputs, request.POST or None)
        if request.method == "POST" and form.is_valid():
            try:
                run = acting.start(person(request), _wish(recipe, form, request))
                return HttpResponseRedirect(reverse("admin:orchestration_run_change", args=[run]))
            except CannotRun as reason:
                messages.error(request, str(reason))
        context = {
            **owner.admin_site.each_context(request),
            "opts": owner.opts,
            "title": _("Run “%(recipe)s”") % {"recipe": recipe.title},
            "recipe": recipe,
            "form": form,
            "media": form.media,
        }
        return TemplateResponse(request, "admin/orchestration/orchestration/run.html", context)

    return view


def _wish(recipe: Orchestration, form: ByHandForm, request: HttpRequest) -> Wish:
    node, collection = form.cleaned_data["node"], form.cleaned_data["collection"]
    return Wish(
        recipe.pk,
        node.pk if node else None,
        collection.pk if collection else None,
        form.given(),
        person(request),
    )
