"""Jobs: the spec's list, one job with all that is known about it, a new one, and what a person does to one."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any
from uuid import UUID

from django.db import connection
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.utils.dateparse import parse_datetime
from django.utils.translation import gettext as _

from jobs.admin.changelist import with_details
from jobs.admin.filter_fields import type_choices
from jobs.admin.job_page import conditions_now
from jobs.display import shown
from jobs.enqueueing import AlreadyQueued, Refused, enqueue_as
from jobs.filters import JobFilterSet, found
from jobs.keyset import InvalidPlace, Place, page_of
from jobs.models import Attempt, Job
from jobs.operations import Operation, may, perform
from jobs.queue import NewJob
from jobs.reasons import attempt_reason, waiting_sentence
from jobs.states import FINISHED, WAITING, Status
from jobs.waiting import why_waiting
from synops.graph.admin.paginator import BOUND, EstimatedPaginator, bounded_count
from synops.graph.models import Node
from synops.site.api.callers import Caller
from synops.site.api.endpoint import Answer, Call
from synops.site.api.problems import Problem, forbidden, not_found
from synops.store.masking import mask_argv

DEFAULT_LIMIT, MAX_LIMIT, MAX_OFFSET = 50, 200, 10_000


def to_page(request: HttpRequest) -> HttpResponse:
    """Where a browser goes instead: the list in the admin with the same filters."""
    query = request.META.get("QUERY_STRING", "")
    return HttpResponseRedirect(reverse("admin:jobs_job_changelist") + (f"?{query}" if query else ""))


def list_jobs(call: Call) -> Answer:
    """Newest first. `next` is the cursor of the following page; with it pages cost the same however far they lie."""
    query = call.request.GET
    limit = _whole(query.get("limit"), "limit", DEFAULT_LIMIT, 1, MAX_LIMIT)
    offset = _whole(query.get("offset"), "offset", 0, 0, MAX_OFFSET)
    visible = Job.objects.visible_to(call.caller.user)
    filters, rows = found(query, visible, call.request)
    if not filters.is_valid():
        raise Problem(422, "invalid", _("A filter has a value that can't be one."), errors=_sentences(filters))
    detailed = with_details(rows)
    if after := query.get("after"):
        page = page_of(detailed, limit, after=_place(after))
    else:
        page = page_of(detailed.order_by("-created_at", "-id"), limit, after=_skipped(rows, offset))
    document = {
        "items": [brief(job) for job in page.rows],
        "next": str(page.after) if page.after else None,
        "total": _count(EstimatedPaginator(rows, limit).count),
        "counts": _counts(call, visible),
        "types": [name for name, _label in type_choices(call.caller.user, "")],
    }
    return Answer(document)


def _skipped(rows: Any, offset: int) -> Place | None:
    """The place behind `offset` rows; one after which nothing comes when there are not so many."""
    if not offset:
        return None
    last = rows.order_by("-created_at", "-id").only("created_at", "id")[offset - 1 : offset].first()
    return Place.of(last) if last else Place(datetime.fromisoformat("0001-01-02T00:00:00+00:00"), UUID(int=0))


def _place(text: str) -> Place:
    try:
        return Place.parse(text)
    except InvalidPlace as error:
        raise Problem(422, "invalid", _("“after” is no cursor; send the “next” of the page before.")) from error


def _whole(text: str | None, name: str, default: int, least: int, most: int) -> int:
    if text is None or text == "":
        return default
    if text.isascii() and text.isdigit() and len(text) < 10 and least <= int(text) <= most:
        return int(text)
    wanted = {"name": name, "least": least, "most": most}
    raise Problem(422, "invalid", _("“%(name)s” is a whole number from %(least)d to %(most)d.") % wanted)


def _sentences(filters: JobFilterSet) -> list[str]:
    return [f"{name}: {error}" for name, errors in filters.errors.items() for error in errors]


def _count(number: int) -> dict[str, Any]:
    """Above 10,000 a number is an estimate or only says "more"."""
    return {"value": min(number, BOUND) if number == BOUND + 1 else number, "exact": number <= BOUND}


def _counts(call: Call, visible: Any) -> dict[str, Any]:
    """Jobs by status, under the other filters."""
    others = call.request.GET.copy()
    others.pop("status", None)
    _filters, rows = found(others, visible, call.request)
    return {status.value: _count(bounded_count(rows.filter(status=status))) for status in Status}


def brief(job: Any) -> dict[str, Any]:
    """A job without its payload and result."""
    return {
        "id": str(job.pk),
        "collection_node_id": str(job.collection_node_id),
        "job_type": job.job_type,
        "status": job.status,
        "outcome": job.outcome,
        "shown": shown(job.status, job.outcome, job.cancel_requested_at is not None).value,
        "priority": job.priority,
        "attempts": job.attempts,
        "max_attempts": job.max_attempts,
        "error_msg": job.error_msg,
        "created_at": moment(job.created_at),
        "scheduled_for": moment(job.scheduled_for),
        "started_at": moment(job.started_at),
        "completed_at": moment(job.completed_at),
        "cancel_requested_at": moment(job.cancel_requested_at),
        "run_id": str(job.run_id) if job.run_id else None,
        "dedupe_key": job.dedupe_key,
        "progress": job.progress,
        "message": job.message,
    }


def moment(value: datetime | None) -> str | None:
    """RFC 3339 in UTC."""
    return value.isoformat() if value else None


def one_job(call: Call) -> Answer:
    """Everything about one job: payload, result, attempts, and why it waits."""
    job = with_details(Job.objects.visible_to(call.caller.user), ("shown_payload", "shown_result")).filter(
        pk=call.place["job_id"]
    )
    row = job.first()
    if row is None:
        raise not_found()
    attempts = [_attempt(attempt) for attempt in Attempt.objects.filter(job_id=row.pk).order_by("lease")]
    document = {
        **brief(row),
        "payload": row.payload,
        "result": row.result,
        "attempt_rows": attempts,
        "waits_for": _waits_for(row),
    }
    return Answer(document, etag=None if row.status not in FINISHED else f"{row.pk}-{row.lease}-{row.status}")


def _attempt(attempt: Attempt) -> dict[str, Any]:
    return {
        "attempt": attempt.attempt,
        "lease": attempt.lease,
        "worker_id": str(attempt.worker_id),
        "machine": attempt.machine,
        "argv": mask_argv(attempt.argv) if attempt.argv else None,
        "due_at": moment(attempt.due_at),
        "started_at": moment(attempt.started_at),
        "finished_at": moment(attempt.finished_at),
        "outcome": attempt.outcome,
        "reason": attempt.reason,
        "reason_text": attempt_reason(attempt.reason),
        "exit_code": attempt.exit_code,
        "signal": attempt.signal,
        "error": attempt.error,
    }


def _waits_for(job: Job) -> list[dict[str, Any]]:
    if job.status not in WAITING:
        return []
    with connection.cursor() as cursor:
        reasons = why_waiting(cursor, job.pk, conditions_now(cursor))
    return [
        {"code": reason.code, "machine": reason.machine, "text": str(waiting_sentence(reason))} for reason in reasons
    ]


def enqueue(call: Call) -> Answer:
    """A new job in a collection that the caller has access to."""
    body = call.body
    collection = _collection(call.caller, body["collection"])
    return Answer({"job_id": str(enqueued(call.caller, collection, body))}, status=202)


def enqueued(caller: Caller, collection: UUID, body: dict[str, Any]) -> UUID:
    """The id of a new job. Raises Problem 403, 409 or 422."""
    at = _time(body["scheduled_for"], "scheduled_for") if "scheduled_for" in body else None
    job = NewJob(
        collection,
        body["job_type"],
        body["payload"],
        priority=body.get("priority"),
        scheduled_for=at,
        dedupe_key=body.get("dedupe_key"),
    )
    try:
        return enqueue_as(caller.user, job)
    except PermissionError as error:
        raise (
            forbidden("jobs.enqueue_job") if not caller.user.has_perm("jobs.enqueue_job") else _no_collection()
        ) from error
    except AlreadyQueued as refused:
        raise Problem(409, "duplicate", str(refused)) from refused
    except Refused as refused:
        raise Problem(422, "refused", str(refused)) from refused


def _time(text: str, name: str) -> datetime:
    """A moment in UTC. Raises Problem 422 for what is no time, has no zone, or is one that no calendar holds."""
    try:
        moment = parse_datetime(text)
        if moment is not None and moment.tzinfo is not None:
            return moment.astimezone(UTC)
    except (ValueError, OverflowError):
        pass
    detail = _("“%(name)s” is a time with its zone: 2026-11-30T08:00:00+01:00.") % {"name": name}
    raise Problem(422, "invalid", detail)


def _no_collection() -> Problem:
    return Problem(403, "no_access", _("There is no collection with this id that you have access to."))


def _collection(caller: Caller, name: str) -> UUID:
    """A collection by id or slug, among those that the caller may see."""
    rows = Node.objects.visible_to(caller.user).filter(node_kind="collection")
    try:
        row = rows.filter(pk=UUID(name)).first()
    except ValueError:
        row = rows.filter(metadata__slug=name).first()
    if row is None:
        raise _no_collection()
    return row.pk


def do(operation: Operation, call: Call) -> Answer:
    """Do something to one job. Raises Problem 403, 404, or 409 when the job is in a state where it can't be done."""
    if not may(call.caller.user, operation):
        raise forbidden(operation.permission)
    job_id = UUID(call.body["job_id"])
    if not Job.objects.visible_to(call.caller.user).filter(pk=job_id).exists():
        raise not_found()
    result = perform(operation, call.caller.user, [job_id], _value(operation, call.body))
    now = with_details(Job.objects.filter(pk=job_id)).first()
    if not result.changed:
        state = now.status if now else "deleted"
        detail = _("Nothing was done: the job is %(state)s.") % {"state": state}
        raise Problem(409, "wrong_state", detail, job=brief(now) if now else None)
    return Answer({"job_id": str(job_id), "job": brief(now) if now else None})


def _value(operation: Operation, body: dict[str, Any]) -> datetime | int | None:
    if operation.takes == "priority":
        return int(body["priority"])
    if operation.takes == "until":
        return _time(body["until"], "until")
    return None
