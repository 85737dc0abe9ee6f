"""Routes of the API, made from its endpoints. They stand before the admin's own, which begin alike."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.urls import URLPattern, path
from django.utils.translation import gettext as _
from django.views.decorators.csrf import csrf_exempt

from synops.site.api.endpoint import Endpoint
from synops.site.api.endpoints import ENDPOINTS
from synops.site.api.openapi import openapi
from synops.site.api.problems import Problem
from synops.site.api.shapes import SHAPES

View = Callable[..., HttpResponse]


def _view(endpoints: Mapping[str, Endpoint]) -> View:
    """One view for all methods of a path. Sessions are checked for CSRF by `callers`, tokens need no such check."""
    allowed = sorted({*endpoints, *(["HEAD"] if "GET" in endpoints else [])})

    @csrf_exempt
    def view(request: HttpRequest, **place: Any) -> HttpResponse:
        method = "GET" if request.method == "HEAD" else request.method or ""
        endpoint = endpoints.get(method)
        if endpoint is None:
            problem = Problem(405, "method", _("This takes %(methods)s.") % {"methods": ", ".join(allowed)}).response()
            problem["Allow"] = ", ".join(allowed)
            return problem
        schema = _whole_schema(endpoint.body) if endpoint.body else None
        return endpoint.answer(request, place, schema)

    return view


def _whole_schema(name: str) -> dict[str, Any]:
    return {**SHAPES[name], "components": {"schemas": SHAPES}}


def _route(template: str) -> str:
    """`/api/jobs/{job_id}` as Django writes it; what stands there is an id, or a token."""
    return template.lstrip("/").replace("{token}", "<str:token>").replace("{", "<uuid:").replace("}", ">")


def _routes() -> list[URLPattern]:
    by_path: dict[str, dict[str, Endpoint]] = defaultdict(dict)
    for endpoint in ENDPOINTS:
        by_path[endpoint.path][endpoint.method] = endpoint
    return [
        path(_route(template), _view(endpoints), name=next(iter(endpoints.values())).name)
        for template, endpoints in by_path.items()
    ]


urlpatterns: list[URLPattern] = [*_routes(), path("api/openapi.json", openapi, name="api-openapi")]
