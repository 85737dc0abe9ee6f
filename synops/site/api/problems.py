"""Errors as RFC 9457 problem details: a stable code for programs, a sentence for people."""

from __future__ import annotations

from typing import Any

from django.http import HttpResponse, JsonResponse
from django.utils.translation import gettext as _

PROBLEM_TYPE = "urn:synops:problem:"


class Problem(Exception):
    """A request that gets no answer but this. `extra` are further members of the document, such as `errors`."""

    def __init__(self, status: int, code: str, detail: str, **extra: Any) -> None:
        super().__init__(detail)
        self.status = status
        self.code = code
        self.detail = detail
        self.extra = extra

    def response(self) -> HttpResponse:
        """The answer, `application/problem+json`."""
        document = {
            "type": PROBLEM_TYPE + self.code,
            "title": _title(self.status),
            "status": self.status,
            "detail": self.detail,
            **self.extra,
        }
        answer = JsonResponse(document, status=self.status, content_type="application/problem+json")
        if self.status == 401:
            answer["WWW-Authenticate"] = 'Bearer realm="synops"'
        return answer


def _title(status: int) -> str:
    return {
        400: _("The request can't be read"),
        401: _("Log in, or send a token"),
        403: _("Not allowed"),
        404: _("Not found"),
        405: _("Another method is needed"),
        409: _("It is in another state now"),
        413: _("The request is too large"),
        415: _("Another content type is needed"),
        422: _("The request can't be carried out"),
    }.get(status, _("The request failed"))


def not_found() -> Problem:
    """What is not there, and what the caller may not see, in the same words."""
    return Problem(404, "not_found", _("There is nothing with this id that you have access to."))


def forbidden(permission: str) -> Problem:
    """The caller lacks a permission."""
    detail = _("You lack the permission %(permission)s.") % {"permission": permission}
    return Problem(403, "permission_missing", detail, permission=permission)
