"""Who calls: a person with a session, whose writes need a CSRF token, or a program with a bearer token."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from django.http import HttpRequest, HttpResponse
from django.middleware.csrf import CsrfViewMiddleware
from django.utils.translation import gettext as _

from synops.site.api.problems import Problem, forbidden
from synops.site.tokens import TokenRefused, authenticate

if TYPE_CHECKING:
    from django.contrib.auth.models import User

SAFE = ("GET", "HEAD", "OPTIONS")


@dataclass(frozen=True)
class Caller:
    """The person who acts, and whether a token acts for them."""

    user: User
    by_token: bool = False

    def require(self, permission: str) -> None:
        """Raise Problem 403 unless the caller has the permission."""
        if not self.user.has_perm(permission):
            raise forbidden(permission)


def identify(request: HttpRequest, scope: str | None) -> Caller:
    """The caller. `scope` is what a token must allow; None = tokens are not accepted. Raises Problem 401 or 403."""
    if "Authorization" in request.headers:
        return _by_token(request, scope)
    user = request.user
    if not (user.is_authenticated and user.is_active and user.is_staff):
        raise Problem(401, "login_needed", _("Log in, or send a token: Authorization: Bearer <token>."))
    if request.method not in SAFE:
        _require_csrf_token(request)
    return Caller(user)


def _by_token(request: HttpRequest, scope: str | None) -> Caller:
    if scope is None:
        raise Problem(401, "session_only", _("This needs a login; tokens are not accepted here."))
    try:
        token = authenticate(request, scope)
    except TokenRefused as refused:
        raise Problem(refused.status, refused.code, str(refused)) from refused
    return Caller(token.owner, by_token=True)


class _Csrf(CsrfViewMiddleware):
    """Django's own check, asked instead of installed: requests with tokens need none."""

    def _reject(self, request: HttpRequest, reason: str) -> HttpResponse:
        return HttpResponse(reason)


def _unmarked(_request: HttpRequest) -> HttpResponse:
    """Stands for the view, which is marked as exempt; this one is not."""
    return HttpResponse()


def _require_csrf_token(request: HttpRequest) -> None:
    check = _Csrf(_unmarked)
    check.process_request(request)
    refused = check.process_view(request, _unmarked, (), {})
    if refused is not None:
        raise Problem(403, "csrf", _("The request lacks a valid X-CSRFToken header, or comes from another site."))
