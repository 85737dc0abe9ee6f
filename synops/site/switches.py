"""Kill switches and reply limits of agents: what holds where, and switching by those who may; each change is audited.

They stand in `metadata.agents` of the system collection, of collections and of agents (docs/agents.md).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from uuid import UUID

from django.contrib import messages
from django.contrib.admin.models import CHANGE, LogEntry
from django.core.exceptions import PermissionDenied
from django.db import connection, transaction
from django.db.models import Q, QuerySet
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.template.response import TemplateResponse
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from jobs.guards import DEFAULTS
from synops.graph.admin.bases import person
from synops.graph.models import Node
from synops.store.identities import SYSTEM_COLLECTION_ID
from synops.store.nodes import update_node

if TYPE_CHECKING:
    from django.contrib.admin import AdminSite

RIGHT = "graph.change_node"
MOST = 200


@dataclass(frozen=True)
class Switch:
    """One place where agents can be switched off, with the limits that are set there."""

    node: Node
    on: bool
    limits: list[tuple[str, Any]]
    everywhere: bool


def switchable(user: Any) -> QuerySet[Node]:
    """The system collection for superusers, collections and agents for those who see them."""
    rows = Node.objects.visible_to(user).filter(
        Q(node_kind__in=("collection", "agent")) | Q(metadata__has_key="agents")
    )
    return rows if user.is_superuser else rows.exclude(pk=SYSTEM_COLLECTION_ID)


def switches(user: Any) -> list[Switch]:
    """The system first, then collections, then agents, by title."""
    nodes = switchable(user).order_by("node_kind", "title")[:MOST]
    order = {"agent": 2, "collection": 1}
    made = [switch(node) for node in nodes]
    return sorted(made, key=lambda one: (not one.everywhere, order.get(one.node.node_kind, 3), str(one.node).lower()))


def switch(node: Node) -> Switch:
    agents = node.metadata.get("agents")
    stored: Mapping[str, Any] = agents if isinstance(agents, dict) else {} if agents is None else {"enabled": None}
    limits = [(name, stored[name]) for name in DEFAULTS if name in stored]
    return Switch(node, stored.get("enabled", True) is True, limits, node.pk == SYSTEM_COLLECTION_ID)


def switches_view(site: AdminSite) -> Callable[[HttpRequest], HttpResponse]:
    """The page; a POST switches one place."""

    def view(request: HttpRequest) -> HttpResponse:
        user = person(request)
        if not user.has_perm("jobs.view_job"):
            raise PermissionDenied
        if request.method == "POST":
            flip(request, user)
            return HttpResponseRedirect(reverse("admin:switches"))
        context = {
            **site.each_context(request),
            "title": _("Agents: switches and limits"),
            "switches": switches(user),
            "defaults": list(DEFAULTS.items()),
            "may_switch": user.has_perm(RIGHT),
        }
        return TemplateResponse(request, "admin/switches.html", context)

    return view


def flip(request: HttpRequest, user: Any) -> None:
    """Switch agents on or off at one place; other keys that stand there are kept."""
    if not user.has_perm(RIGHT):
        raise PermissionDenied
    on = request.POST.get("on") == "yes"
    with transaction.atomic(), connection.cursor() as cursor:
        wanted = id_in(request)
        node = switchable(user).select_for_update(of=("self",)).filter(pk=wanted).first() if wanted else None
        if node is None:
            raise PermissionDenied
        agents = node.metadata.get("agents")
        kept = dict(agents) if isinstance(agents, dict) else {}
        update_node(cursor, node.pk, metadata={"agents": {**kept, "enabled": on}})
        note = gettext_noop("Agents switched on.") if on else gettext_noop("Agents switched off.")
        LogEntry.objects.log_actions(user.pk, [node], CHANGE, note)
    messages.success(request, _("Switched; it counts from the next job on."))


def id_in(request: HttpRequest) -> UUID | None:
    try:
        return UUID(request.POST.get("node", ""))
    except ValueError:
        return None
