"""`/public/`: the one route open to strangers. Published files as they are; no listing, no database, no way out.

Another server may serve the folder instead: then `PUBLISH_SERVE=false`.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase, StreamingHttpResponse
from django.utils.cache import get_conditional_response
from django.utils.http import http_date, quote_etag
from django.views.decorators.http import require_safe

CHUNK_BYTES = 256 * 1024
MAX_AGE_SECONDS = 60
RANGE = re.compile(r"bytes=(\d*)-(\d*)$")

CONTENT_TYPES = {
    ".html": "text/html; charset=utf-8",
    ".xml": "application/rss+xml; charset=utf-8",
    ".rss": "application/rss+xml; charset=utf-8",
    ".srt": "application/x-subrip; charset=utf-8",
    ".vtt": "text/vtt; charset=utf-8",
    ".txt": "text/plain; charset=utf-8",
    ".json": "application/json",
    ".css": "text/css; charset=utf-8",
    ".mp3": "audio/mpeg",
    ".m4a": "audio/mp4",
    ".ogg": "audio/ogg",
    ".opus": "audio/ogg",
    ".wav": "audio/wav",
    ".flac": "audio/flac",
    ".png": "image/png",
    ".jpg": "image/jpeg",
    ".jpeg": "image/jpeg",
    ".webp": "image/webp",
    ".gif": "image/gif",
}
"""Written out: the system's own table differs from machine to machine. Anything else is offered as a download."""

POLICY = (
    "default-src 'none'; img-src 'self' data:; media-src 'self'; style-src 'self' 'unsafe-inline'; base-uri 'none'; "
    "form-action 'none'; frame-ancestors 'none'; sandbox allow-popups allow-top-navigation-by-user-activation"
)
"""Articles hold what people wrote and share an origin with the admin: no script runs, and none sees a cookie."""


@dataclass(frozen=True)
class Part:
    """Which bytes of a file are sent: from `start`, `length` of them."""

    start: int
    length: int


class UnsatisfiableRange(Exception):
    """The client asks for bytes that the file does not have."""


@require_safe
async def public(request: HttpRequest, path: str) -> HttpResponseBase:
    """One published file, with ranges (players seek) and conditional requests (feed readers poll)."""
    file = await asyncio.to_thread(published_file, path)
    status = await asyncio.to_thread(file.stat)
    etag = quote_etag(f"{status.st_mtime_ns:x}-{status.st_size:x}")
    headers = {
        "ETag": etag,
        "Last-Modified": http_date(status.st_mtime),
        "Accept-Ranges": "bytes",
        "Cache-Control": f"public, max-age={MAX_AGE_SECONDS}",
        "Content-Security-Policy": POLICY,
    }
    unchanged = get_conditional_response(request, etag, int(status.st_mtime))
    if unchanged is not None:
        return with_headers(unchanged, headers)
    try:
        part = wanted_part(request, etag, status.st_size)
    except UnsatisfiableRange:
        return HttpResponse(status=416, headers={**headers, "Content-Range": f"bytes */{status.st_size}"})
    return await answer(request, file, status.st_size, part, headers)


def published_file(path: str) -> Path:
    """The file of a public address; a folder's is its index.html. Raises Http404 for anything that is no file inside."""
    root = settings.PUBLISH_DIR.resolve()
    parts = f"{path}index.html".split("/") if path.endswith("/") else path.split("/")
    if not settings.PUBLISH_SERVE or "\0" in path or "\\" in path or any(not p or p.startswith(".") for p in parts):
        raise Http404
    try:
        file: Path = root.joinpath(*parts).resolve(strict=True)  # follows links, so a link out of the folder shows
    except (OSError, ValueError, RuntimeError):
        raise Http404 from None
    if not file.is_relative_to(root) or not file.is_file():
        raise Http404
    return file


def wanted_part(request: HttpRequest, etag: str, size: int) -> Part | None:
    """The single range that is asked for; None = the whole file. Raises UnsatisfiableRange."""
    found = RANGE.match(request.headers.get("Range", ""))
    if not found or request.headers.get("If-Range", etag) != etag or found.groups() == ("", ""):
        return None
    first, last = found.groups()
    if not first:  # the last N bytes
        start, end = max(size - int(last), 0), size - 1
    else:
        start, end = int(first), min(int(last) if last else size - 1, size - 1)
    if start > end:
        raise UnsatisfiableRange
    return Part(start, end - start + 1)


async def answer(
    request: HttpRequest, file: Path, size: int, part: Part | None, headers: dict[str, str]
) -> HttpResponseBase:
    headers["Content-Length"] = str(part.length if part else size)
    headers["Content-Type"] = CONTENT_TYPES.get(file.suffix.lower(), "application/octet-stream")
    if file.suffix.lower() not in CONTENT_TYPES:
        headers["Content-Disposition"] = "attachment"
    if part:
        headers["Content-Range"] = f"bytes {part.start}-{part.start + part.length - 1}/{size}"
    status = 206 if part else 200
    if request.method == "HEAD":
        return HttpResponse(status=status, headers=headers)
    opened = await asyncio.to_thread(file.open, "rb")
    return StreamingHttpResponse(chunks(opened, part or Part(0, size)), status=status, headers=headers)


async def chunks(file: BinaryIO, part: Part) -> AsyncIterator[bytes]:
    """The bytes of one part, read outside the event loop."""
    left = part.length
    with file:
        await asyncio.to_thread(file.seek, part.start)
        while left and (piece := await asyncio.to_thread(file.read, min(CHUNK_BYTES, left))):
            left -= len(piece)
            yield piece


def with_headers(response: HttpResponseBase, headers: dict[str, str]) -> HttpResponseBase:
    for name, value in headers.items():
        response.headers[name] = value
    return response
