"""A node's own file for the people who may see the node: a player's source, with ranges, and a download."""

from __future__ import annotations

import asyncio
import re
from uuid import UUID

from asgiref.sync import sync_to_async
from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase

from synops.graph.models import Node
from synops.site.public import UnsatisfiableRange
from synops.site.stored_files import send
from synops.store.files import FileStore, UnknownFile

VIEW = "graph.view_node"
# What a browser may show as part of a page of ours. Anything else is saved, never opened: it may hold script.
_SHOWN = re.compile(r"(?:audio|video)/[\w.+-]+|image/(?:png|jpeg|webp|gif)")


async def node_file(request: HttpRequest, node_id: UUID) -> HttpResponseBase:
    """The file of `metadata.cas_hash`; 404 for strangers too, who learn nothing by asking."""
    node = await sync_to_async(_visible)(request, node_id)
    digest = str(node.metadata.get("cas_hash") or "") if node else ""
    if node is None or not FileStore.is_digest(digest):
        raise Http404
    try:
        file = await asyncio.to_thread(FileStore(settings.STORE_DIR).path, digest)
        response = await send(request, file, digest)
    except UnknownFile as unknown:
        raise Http404 from unknown
    except UnsatisfiableRange:
        return HttpResponse(status=416)
    mime = str(node.metadata.get("mime") or "")
    shown = _SHOWN.fullmatch(mime) is not None
    response.headers["Content-Type"] = mime if shown else "application/octet-stream"
    response.headers["Content-Disposition"] = "inline" if shown else "attachment"
    response.headers["X-Content-Type-Options"] = "nosniff"
    response.headers["Cache-Control"] = "private, no-cache"
    return response


def _visible(request: HttpRequest, node_id: UUID) -> Node | None:
    user = request.user
    if not (user.is_authenticated and user.is_staff and user.has_perm(VIEW)):
        return None
    return Node.objects.visible_to(user).filter(pk=node_id).first()
