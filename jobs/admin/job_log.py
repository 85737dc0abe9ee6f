"""The log of one attempt: for the page that follows it, and as a file."""

from __future__ import annotations

from dataclasses import dataclass

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.http.response import HttpResponseBase
from django.utils.cache import get_conditional_response, patch_cache_control

from jobs.models import Attempt, Job


@dataclass(frozen=True)
class AttemptText:
    """The log of one attempt as one text, and how many bytes of its middle were not kept."""

    lease: int
    attempt: int
    text: str
    omitted: int


def attempt_text(job: Job, lease: int | None = None) -> AttemptText | None:
    """The log of the attempt under `lease`, or of the newest one; None when there is no such attempt."""
    attempts = Attempt.objects.filter(job=job).order_by("-lease")
    attempt = attempts.filter(lease=lease).first() if lease is not None else attempts.first()
    if attempt is None:
        return None
    chunks = job.log_chunks.filter(lease=attempt.lease).order_by("seq").values_list("text", flat=True)
    return AttemptText(attempt.lease, attempt.attempt, "".join(chunks), attempt.log_dropped_bytes)


def log_answer(request: HttpRequest, job: Job) -> HttpResponseBase:
    """`?lease=N` chooses an attempt, `?file=yes` makes it a file; 304 when the page has it already."""
    wanted = request.GET.get("lease", "")
    found = attempt_text(job, int(wanted) if wanted.isdecimal() and len(wanted) < 10 else None)
    if request.GET.get("file"):
        return as_file(job, found)
    etag = f'"{found.lease}-{len(found.text)}-{found.omitted}-{hash(found.text[-200:])}"' if found else '"none"'
    if unchanged := get_conditional_response(request, etag=etag):
        return unchanged
    response = JsonResponse(found.__dict__ if found else {"lease": None, "attempt": 0, "text": "", "omitted": 0})
    response.headers["ETag"] = etag
    patch_cache_control(response, private=True, no_cache=True)
    return response


def as_file(job: Job, found: AttemptText | None) -> HttpResponse:
    response = HttpResponse(found.text if found else "", content_type="text/plain; charset=utf-8")
    name = f"job-{job.pk}-{found.attempt if found else 0}.log"
    response.headers["Content-Disposition"] = f'attachment; filename="{name}"'
    return response
