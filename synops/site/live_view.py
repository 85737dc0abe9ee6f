"""The live view's rows by HTTP: for the first look, after a resync, and for pages whose socket is gone."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django.http import HttpRequest, HttpResponseBadRequest, JsonResponse
from django.http.response import HttpResponseBase
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET

from jobs.live.mailbox import Viewer
from jobs.live.reading import read
from jobs.live.requests import MAX_WATCHED
from jobs.live.topics import topics


@never_cache
@require_GET
def live_view(request: HttpRequest) -> HttpResponseBase:
    """`?job=ID,ID&run=ID`: those of these rows that the person may see, with the fields that the socket sends."""
    user: Any = request.user
    viewer = Viewer(user.pk, user.is_superuser, topics.permitted(user.has_perm))
    try:
        asked = {kind: ids_in(request.GET.get(kind, "")) for kind in viewer.kinds}
    except ValueError:
        return HttpResponseBadRequest()
    if sum(map(len, asked.values())) > MAX_WATCHED:
        return HttpResponseBadRequest()
    rows = [row for kind, ids in sorted(asked.items()) if ids for row in rows_of(kind, ids, viewer)]
    return JsonResponse({"rows": rows})


def ids_in(text: str) -> frozenset[UUID]:
    """Comma-separated ids. Raises ValueError when one is none."""
    return frozenset(UUID(id) for id in text.split(",") if id)


def rows_of(kind: str, ids: frozenset[UUID], viewer: Viewer) -> list[dict[str, Any]]:
    """The visible rows of one kind, as the socket would tell them."""
    sight = read(kind, ids, (), [viewer.user_id])
    return [
        {"kind": kind, "id": str(row.id), "fields": row.fields}
        for row in sight.rows
        if sight.may_see(viewer, row.node_id)
    ]
