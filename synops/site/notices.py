"""Notices to the person who is logged in: a list of their own, and how many of them are unread, in the header."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any
from uuid import UUID

from django.core.exceptions import PermissionDenied
from django.core.paginator import Paginator
from django.db import connection, transaction
from django.db.models import Exists, OuterRef, QuerySet
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.template.response import TemplateResponse
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _

from synops.graph.admin.bases import person
from synops.graph.models import Edge, Node
from synops.store.nodes import update_node

if TYPE_CHECKING:
    from django.contrib.admin import AdminSite

PER_PAGE = 50
MOST_COUNTED = 99


def notices_of(user: Any) -> QuerySet[Node]:
    """The notices addressed to a person. Being allowed to see one is not enough: superusers see everybody's nodes."""
    addressed = Edge.objects.filter(source=OuterRef("pk"), edge_type="addressed_to", target__user=user.pk)
    return Node.objects.filter(Exists(addressed), node_kind="notice").order_by("-created_at", "-id")


def unread(rows: QuerySet[Node]) -> QuerySet[Node]:
    return rows.filter(metadata__read_at__isnull=True)


def unread_count(user: Any) -> int:
    """At most 100: the header says “99+” then."""
    return unread(notices_of(user)).order_by()[: MOST_COUNTED + 1].count()


def mark_read(user: Any, ids: list[UUID] | None = None) -> int:
    """Mark some of a person's notices as read, or all; how many were unread."""
    rows = unread(notices_of(user))
    wanted = rows if ids is None else rows.filter(pk__in=ids)
    with transaction.atomic(), connection.cursor() as cursor:
        found = list(wanted.values_list("pk", flat=True))
        for id in found:
            update_node(cursor, id, metadata={"read_at": timezone.now().isoformat()})
    return len(found)


def notices_view(site: AdminSite) -> Callable[[HttpRequest], HttpResponse]:
    """The list; a POST marks one notice, or all, as read."""

    def view(request: HttpRequest) -> HttpResponse:
        user = person(request)
        if request.method == "POST":
            mark_read(user, chosen(request))
            return HttpResponseRedirect(reverse("admin:notices"))
        page = Paginator(notices_of(user), PER_PAGE).get_page(request.GET.get("page"))
        context = {**site.each_context(request), "title": _("Notices"), "page": page, "lines": lines(user, page)}
        return TemplateResponse(request, "admin/notices.html", context)

    return view


def chosen(request: HttpRequest) -> list[UUID] | None:
    """The notice that is meant; None means all."""
    try:
        return [UUID(request.POST["notice"])] if "notice" in request.POST else None
    except ValueError:
        raise PermissionDenied from None


def lines(user: Any, notices: Any) -> list[tuple[Node, Node | None]]:
    """Each notice with what it is about, if the person may see that."""
    wanted = {notice.pk: as_id(notice.metadata.get("about_id")) for notice in notices}
    seen = Node.objects.visible_to(user).in_bulk([id for id in wanted.values() if id])
    return [(notice, seen.get(wanted[notice.pk])) for notice in notices]


def as_id(value: Any) -> UUID | None:
    try:
        return UUID(str(value))
    except ValueError:
        return None
