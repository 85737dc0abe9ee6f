"""The page of the cascade map: the picture, the same edges as a list, and the forms that draw and remove them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from django import forms
from django.contrib import messages
from django.contrib.admin.models import CHANGE, LogEntry
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.template.response import TemplateResponse
from django.urls import reverse
from django.utils.translation import gettext_lazy as _
from django.utils.translation import gettext_noop

from orchestration import circles, observing
from orchestration.cascade_map import HEIGHT, OBSERVES, TRIGGERS, WIDTH, cascade_map
from orchestration.models import Orchestration
from synops.graph.admin.bases import person, viewer
from synops.graph.admin.node_choice import chosen, node_fields, offer
from synops.graph.models import Edge, Node

if TYPE_CHECKING:
    from django.contrib.admin import AdminSite

    from synops.graph.access import Viewer

MAY_LOOK, MAY_DRAW = "orchestration.view_orchestration", "orchestration.change_orchestration"
NEVER = "never"
EDGE = ("recipe", "kind", "target")
KINDS = ((TRIGGERS, _("starts")), (OBSERVES, _("watches")), (NEVER, _("never reacts to")))
NEWEST_NODES, MOST_LISTED = 30, 200
NEVER_WATCHED = ("cli_tool", "ai_preset", "orchestration", "notice", "person", "tag", "work_item")


class EdgeForm(forms.Form):
    """An edge to draw: a recipe, what it does, and to what."""

    recipe = forms.ModelChoiceField(queryset=Orchestration.objects.none(), label=_("Recipe"))
    kind = forms.ChoiceField(choices=KINDS, label=_("does what"))
    target, target_id = node_fields(_("to what"))

    def __init__(self, user: Viewer, newest: Sequence[Node], *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        recipes = Orchestration.objects.visible_to(user).order_by("title")
        self.fields["recipe"].queryset = recipes  # type: ignore[attr-defined]
        offer(self, "target", user, [*recipes[:MOST_LISTED], *newest])

    def clean(self) -> dict[str, Any]:
        found: dict[str, Any] = super().clean() or self.cleaned_data
        found["target"] = chosen(self, "target")
        return found


def newest_nodes(user: Viewer) -> list[Node]:
    """What a recipe could watch: the newest things that are neither recipes nor tools."""
    rows = Node.objects.visible_to(user).exclude(node_kind__in=NEVER_WATCHED)
    return list(rows.only("id", "title", "node_kind").order_by("-created_at", "-id")[:NEWEST_NODES])


def map_view(site: AdminSite) -> Callable[[HttpRequest], HttpResponse]:
    """GET shows the map; POST draws an edge, or removes the one that `remove` names."""

    def view(request: HttpRequest) -> HttpResponse:
        if not request.user.has_perm(MAY_LOOK):
            raise PermissionDenied
        newest = newest_nodes(viewer(request))
        form = EdgeForm(viewer(request), newest)
        if request.method == "POST":
            if not request.user.has_perm(MAY_DRAW):
                raise PermissionDenied
            form = EdgeForm(viewer(request), newest, request.POST)
            if "remove" in request.POST:
                _remove(request)
                return HttpResponseRedirect(reverse("admin:cascade_map"))
            if form.is_valid() and _draw(request, **{name: form.cleaned_data[name] for name in EDGE}):
                return HttpResponseRedirect(reverse("admin:cascade_map"))
        context = {
            **site.each_context(request),
            "title": _("Cascade map"),
            "map": cascade_map(viewer(request)),
            "box_width": WIDTH,
            "box_height": HEIGHT,
            "form": form,
            "may_draw": request.user.has_perm(MAY_DRAW),
            "recipes": form.fields["recipe"].queryset,  # type: ignore[attr-defined]
            "nodes": newest,
        }
        return TemplateResponse(request, "admin/orchestration/map.html", context)

    return view


def _draw(request: HttpRequest, recipe: Orchestration, kind: str, target: Node) -> bool:
    """Whether the edge was drawn; why not is said."""
    try:
        if kind == TRIGGERS:
            circles.link(recipe.pk, target.pk)
        elif kind == OBSERVES:
            observing.observe(recipe.pk, target.pk)
        else:
            observing.never_here(recipe.pk, target.pk)
    except circles.EdgeRefused as refused:
        messages.error(request, str(refused))
        return False
    _log(request, recipe)
    messages.success(request, _("Done: “%(recipe)s” → “%(target)s”.") % {"recipe": recipe, "target": target})
    return True


def _remove(request: HttpRequest) -> None:
    """Remove an edge between things that the person sees. The last watched node asks what follows."""
    visible = Orchestration.objects.visible_to(viewer(request)).values("pk")
    edge = Edge.objects.filter(
        pk=request.POST["remove"], source__in=visible, edge_type__in=(TRIGGERS, OBSERVES)
    ).first()
    if edge is None:
        messages.error(request, _("This edge is gone already."))
        return
    if edge.edge_type == OBSERVES:
        answer = {"everywhere": True, "nowhere": False}.get(request.POST.get("then", ""))
        if observing.stop_observing(edge.source_id, edge.target_id, elsewhere=answer) and answer is None:
            messages.warning(
                request, _("That was the last node it watched: it reacts nowhere until you say otherwise.")
            )
    else:
        edge.delete()
    _log(request, Orchestration.objects.get(pk=edge.source_id))
    messages.success(request, _("The edge is removed."))


def _log(request: HttpRequest, recipe: Orchestration) -> None:
    LogEntry.objects.log_actions(person(request).pk, [recipe], CHANGE, gettext_noop("Edges changed."))
