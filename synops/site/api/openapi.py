"""The OpenAPI 3.1 document, made from the list of endpoints."""

from __future__ import annotations

import re
from http import HTTPStatus
from typing import Any

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.utils.translation import gettext, override

from synops.site.api.endpoint import Endpoint
from synops.site.api.endpoints import ENDPOINTS
from synops.site.api.shapes import SHAPES, named

_PLACE = re.compile(r"\{(\w+)\}")


def document() -> dict[str, Any]:
    """The whole API, in English whatever the reader's language."""
    with override("en"):
        paths: dict[str, dict[str, Any]] = {}
        for endpoint in ENDPOINTS:
            paths.setdefault(endpoint.path, {})[endpoint.method.lower()] = _operation(endpoint)
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "Synops",
            "version": "1",
            "description": "Errors are RFC 9457 problem details. Programs send a bearer token (manage.py create_token); "
            "people's browsers send their session, and X-CSRFToken with every write.",
        },
        "paths": paths,
        "components": {
            "schemas": SHAPES,
            "securitySchemes": {
                "token": {"type": "http", "scheme": "bearer"},
                "session": {"type": "apiKey", "in": "cookie", "name": "sessionid"},
            },
        },
    }


def _operation(endpoint: Endpoint) -> dict[str, Any]:
    found: dict[str, Any] = {
        "operationId": endpoint.name.removeprefix("api-").replace("-", "_"),
        "summary": gettext(endpoint.summary),
        "parameters": [*map(_place, _PLACE.findall(endpoint.path)), *endpoint.query],
        "responses": {
            **{str(status): _response(status, name) for status, name in endpoint.answers.items()},
            **{str(status): _refusal(status) for status in sorted({401, *endpoint.refusals})},
        },
        "security": _security(endpoint),
    }
    if endpoint.permission:
        found["description"] = f"Needs the permission {endpoint.permission}."
    if endpoint.body:
        found["requestBody"] = {"required": True, "content": {"application/json": {"schema": named(endpoint.body)}}}
    return found


def _place(name: str) -> dict[str, Any]:
    schema = {"type": "string"} if name == "token" else {"type": "string", "format": "uuid"}
    return {"name": name, "in": "path", "required": True, "schema": schema}


def _response(status: int, name: str) -> dict[str, Any]:
    return {"description": HTTPStatus(status).phrase, "content": {"application/json": {"schema": named(name)}}}


def _refusal(status: int) -> dict[str, Any]:
    content = {"application/problem+json": {"schema": named("Problem")}}
    return {"description": HTTPStatus(status).phrase, "content": content}


def _security(endpoint: Endpoint) -> list[dict[str, list[str]]]:
    if endpoint.identify is not None:
        return []
    return [{"session": []}] if endpoint.scope is None else [{"token": [endpoint.scope]}, {"session": []}]


def openapi(_request: HttpRequest) -> HttpResponse:
    """`/api/openapi.json`; names nothing that is a secret, so it needs no login."""
    return JsonResponse(document(), headers={"Cache-Control": "public, max-age=300"})
