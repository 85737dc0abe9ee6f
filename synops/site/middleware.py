"""Middleware: which language a Norwegian browser gets, and the content security policy."""

from __future__ import annotations

import re
from collections.abc import Callable

from django.http import HttpRequest, HttpResponse

GetResponse = Callable[[HttpRequest], HttpResponse]

POLICY = (
    "default-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'; "
    "img-src 'self' data:; object-src 'none'"
)


NORWEGIAN = re.compile(r"(^|,\s*)(?:no|nn)(?:-no)?(?=\s*(?:[,;]|$))", re.IGNORECASE)
"""A language, never the region of another one: `en-NO` stays English."""


class ContentSecurityPolicyMiddleware:
    """A strict policy on every answer: no inline script or style, nothing from elsewhere."""

    def __init__(self, get_response: GetResponse) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        response = self.get_response(request)
        response.headers.setdefault("Content-Security-Policy", POLICY)
        return response


class NorwegianMiddleware:
    """Browsers that ask for `no` or `nn` get bokmål; Django would answer them in English."""

    def __init__(self, get_response: GetResponse) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        if wanted := request.META.get("HTTP_ACCEPT_LANGUAGE"):
            request.META["HTTP_ACCEPT_LANGUAGE"] = NORWEGIAN.sub(r"\1nb", wanted)
        return self.get_response(request)
