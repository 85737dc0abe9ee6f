"""`/store/<digest>`: the file store for workers on other machines. Needs a token of scope `store`.

A token reads every file whose digest it knows, like a worker on this machine; it is for machines, not for people.
"""

from __future__ import annotations

import asyncio
from pathlib import Path

from asgiref.sync import sync_to_async
from django.conf import settings
from django.http import HttpRequest, HttpResponse, HttpResponseBase, JsonResponse
from django.utils.cache import get_conditional_response
from django.utils.http import quote_etag
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_http_methods

from synops.site.public import UnsatisfiableRange, answer, wanted_part, with_headers
from synops.site.tokens import TokenRefused, authenticate
from synops.store.files import DamagedFile, FileStore, UnknownFile


@csrf_exempt  # a token is no cookie: no browser sends it on somebody else's behalf
@require_http_methods(["GET", "HEAD", "PUT"])
async def stored_file(request: HttpRequest, digest: str) -> HttpResponseBase:
    """GET and HEAD: the file, with ranges and conditions. PUT: adds it, if its bytes have the digest."""
    try:
        await sync_to_async(authenticate)(request, "store")
    except TokenRefused as refused:
        return refused.response()
    store = FileStore(settings.STORE_DIR)
    try:
        if request.method == "PUT":
            return await receive(request, store, digest)
        return await send(request, await asyncio.to_thread(store.path, digest), digest)
    except UnknownFile as unknown:
        return problem(404, "unknown_file", str(unknown))
    except UnsatisfiableRange:
        return HttpResponse(status=416)


async def send(request: HttpRequest, file: Path, digest: str) -> HttpResponseBase:
    """The bytes never change under their name, so whoever has them need not ask again."""
    size = (await asyncio.to_thread(file.stat)).st_size
    etag = quote_etag(digest)
    headers = {
        "ETag": etag,
        "Accept-Ranges": "bytes",
        "Cache-Control": "private, max-age=31536000, immutable",
    }
    unchanged = get_conditional_response(request, etag)
    if unchanged is not None:
        return with_headers(unchanged, headers)
    return await answer(request, file, size, wanted_part(request, etag, size), headers)


async def receive(request: HttpRequest, store: FileStore, digest: str) -> HttpResponse:
    """Store what is sent, if it is what it says."""
    if not FileStore.is_digest(digest):
        return problem(404, "unknown_file", "The address must end with a sha256 digest.")
    try:
        await asyncio.to_thread(store.put, request, digest)
    except DamagedFile as damaged:
        return problem(422, "digest_mismatch", str(damaged))
    except OSError as error:
        return problem(507, "not_stored", f"The file could not be stored: {error.strerror}.")
    return HttpResponse(status=201)


def problem(status: int, code: str, text: str) -> JsonResponse:
    return JsonResponse({"error": {"code": code, "message": text}}, status=status)
