"""One endpoint: where it is, who may call it, what goes in and comes out, and the function that does it.

The same record makes the route, checks the request and describes itself in the OpenAPI document, so that the three
can't differ.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

from django.http import HttpRequest, HttpResponse, HttpResponseNotModified, JsonResponse
from django.utils.http import quote_etag
from django.utils.translation import gettext as _

from jobs.payload_schema import problems
from synops.site.api.callers import Caller, identify
from synops.site.api.problems import Problem
from synops.store.sanitise import clean

Schema: TypeAlias = dict[str, Any]

MAX_BODY_BYTES = 1024 * 1024


@dataclass(frozen=True)
class Call:
    """A request that has passed: who calls, and what with. `body` fits the endpoint's schema."""

    request: HttpRequest
    caller: Caller
    body: Any
    place: Mapping[str, Any]
    """What stands in the path."""


@dataclass(frozen=True)
class Answer:
    """What to send: a JSON document and its status. `etag`: what changes when the document does."""

    document: Any
    status: int = 200
    etag: str | None = None


@dataclass(frozen=True)
class Endpoint:
    """`scope` None = for people with a session only. `permission` "" = seeing is enough; each row is checked anyway."""

    method: str
    path: str
    name: str
    summary: str
    run: Callable[[Call], Answer]
    answers: Mapping[int, str]
    """Status → the name of its schema in `schemas.SHAPES`."""
    refusals: tuple[int, ...] = ()
    """Statuses of problems beyond 401, which every endpoint has."""
    scope: str | None = "jobs"
    permission: str = ""
    body: str = ""
    """The name of the request's schema."""
    query: tuple[Schema, ...] = ()
    """OpenAPI parameters in the query."""
    html: Callable[[HttpRequest], HttpResponse] | None = None
    """What a browser that asks for a page gets instead."""
    identify: Callable[[Mapping[str, Any]], Caller] | None = None
    """Another way to tell who calls: a secret in the address."""

    def answer(self, request: HttpRequest, place: Mapping[str, Any], schema: Schema | None) -> HttpResponse:
        """Carry out a request of this endpoint's method."""
        if self.html is not None and wants_page(request):
            return self.html(request)
        try:
            caller = self.identify(place) if self.identify else identify(request, self.scope)
            if self.permission:
                caller.require(self.permission)
            body = read_body(request, schema) if schema is not None else None
            return sent(request, self.run(Call(request, caller, body, place)))
        except Problem as problem:
            return problem.response()


def wants_page(request: HttpRequest) -> bool:
    """Whether this is a browser's address bar rather than a program."""
    return request.method in ("GET", "HEAD") and request.get_preferred_type(["application/json", "text/html"]) == (
        "text/html"
    )


def read_body(request: HttpRequest, schema: Schema) -> Any:
    """The JSON body, without what PostgreSQL can't store. Raises Problem 400, 413, 415 or 422."""
    if request.content_type != "application/json":
        raise Problem(415, "content_type", _("Send JSON, with Content-Type: application/json."))
    if int(request.META.get("CONTENT_LENGTH") or 0) > MAX_BODY_BYTES:
        raise Problem(413, "too_large", _("The request is larger than 1 MiB."))
    try:
        body = json.loads(request.body, parse_constant=_no_constant)
    except (ValueError, RecursionError) as error:
        raise Problem(400, "not_json", _("The request is no JSON: %(error)s") % {"error": error}) from error
    body = clean(body)
    if wrong := problems(schema, body):
        raise Problem(422, "invalid", _("The request does not fit: %(first)s") % {"first": wrong[0]}, errors=wrong)
    return body


def _no_constant(name: str) -> Any:
    raise ValueError(f"{name} is no JSON")


def sent(request: HttpRequest, answer: Answer) -> HttpResponse:
    """The answer as a response; 304 when the caller has it already."""
    headers = {"Cache-Control": "private, no-cache"}
    if answer.etag is not None:
        headers["ETag"] = quote_etag(answer.etag)
        if request.headers.get("If-None-Match") == headers["ETag"]:
            return HttpResponseNotModified(headers=headers)
    return JsonResponse(answer.document, status=answer.status, safe=False, headers=headers)
