"""[Kjør]: a person starts a recipe on a node or a collection, with what its text asks for."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, cast
from uuid import UUID

from django import forms
from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.template.response import TemplateResponse
from django.urls import reverse
from django.utils.translation import gettext_lazy as _

from orchestration import acting
from orchestration.admin.recipe_page import recent_nodes
from orchestration.drafting.dream import parts
from orchestration.language import from_json
from orchestration.manual import CannotRun, Wish, needed_inputs
from orchestration.models import Orchestration
from synops.graph.admin.bases import person, viewer
from synops.graph.admin.node_choice import chosen, node_fields, offer
from synops.graph.models import Node

if TYPE_CHECKING:
    from orchestration.admin.recipes import RecipeAdmin
    from synops.graph.access import Viewer


class ByHandForm(forms.Form):
    """Node, collection, and a field for each `{input.…}` of the recipe."""

    node, node_id = node_fields(_("Node"), _("What the recipe is to work on."), required=False)
    collection = forms.ModelChoiceField(
        queryset=Node.objects.none(),
        required=False,
        label=_("Collection"),
        help_text=_("Needed when no node is chosen, or when the node is in several."),
    )

    def __init__(self, user: Viewer, likely: list[Node], inputs: list[str], *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        offer(self, "node", user, likely)
        collections = Node.objects.visible_to(user).filter(node_kind="collection")
        self.fields["collection"].queryset = collections.order_by("title")  # type: ignore[attr-defined]
        self.inputs = inputs
        for name in inputs:
            self.fields[f"input-{name}"] = forms.CharField(label=name, max_length=2000)

    def clean(self) -> dict[str, Any]:
        found: dict[str, Any] = super().clean() or self.cleaned_data
        found["node"] = chosen(self, "node")
        return found

    def given(self) -> dict[str, str]:
        """The recipe's inputs by name."""
        return {name: self.cleaned_data[f"input-{name}"] for name in self.inputs}


def by_hand_view(owner: RecipeAdmin) -> Callable[[HttpRequest, UUID], HttpResponse]:
    """The page that asks, and starts the run. `script` is a draft of which only what exists is run; `?ask` shows the page."""

    def view(request: HttpRequest, object_id: UUID) -> HttpResponse:
        recipe = cast("Orchestration | None", owner.get_object(request, str(object_id)))
        if recipe is None or not owner.has_run_permission(request):
            raise PermissionDenied
        script = request.POST.get("script", "")
        posted = request.POST if request.method == "POST" and "ask" not in request.GET else None
        form = _form(request, recipe, script, posted)
        if form.is_bound and form.is_valid():
            try:
                run = _start(request, _wish(recipe, form, request), script)
                return _to_the_run(request, recipe, run)
            except CannotRun as reason:
                messages.error(request, str(reason))
        context = {
            **owner.admin_site.each_context(request),
            "opts": owner.opts,
            "title": _("Run “%(recipe)s”") % {"recipe": recipe.title},
            "recipe": recipe,
            "script": script,
            "left_out": parts(script).left_out if script else (),
            "form": form,
        }
        return TemplateResponse(request, "admin/orchestration/orchestration/run.html", context)

    return view


def _to_the_run(request: HttpRequest, recipe: Orchestration, run: UUID) -> HttpResponse:
    """Its page, for people who may see runs; the others are told, where they came from."""
    if request.user.has_perm("orchestration.view_run"):
        return HttpResponseRedirect(reverse("admin:orchestration_run_change", args=[run]))
    messages.success(request, _("The run has started."))
    return HttpResponseRedirect(reverse("admin:orchestration_orchestration_change", args=[recipe.pk]))


def _form(request: HttpRequest, recipe: Orchestration, script: str, posted: Any) -> ByHandForm:
    """With the newest node of the recipe's collections chosen already: mostly it is the one that is meant."""
    if script:
        plan = parts(script).exists
    else:
        plan = from_json(recipe.compiled) if recipe.compiled else None
    likely = recent_nodes(recipe, viewer(request))
    start = {"node": likely[0].pk} if likely else {}
    return ByHandForm(viewer(request), likely, needed_inputs(plan) if plan else [], posted, initial=start)


def _start(request: HttpRequest, wish: Wish, script: str) -> UUID:
    user = person(request)
    return acting.start_what_exists(user, wish, script) if script else acting.start(user, wish)


def _wish(recipe: Orchestration, form: ByHandForm, request: HttpRequest) -> Wish:
    node, collection = form.cleaned_data["node"], form.cleaned_data["collection"]
    return Wish(
        recipe.pk,
        node.pk if node else None,
        collection.pk if collection else None,
        form.given(),
        person(request),
    )
