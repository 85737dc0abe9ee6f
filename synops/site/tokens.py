"""API tokens: how one is made, and who a request that shows one speaks for.

A token is 256 random bits, so a plain sha256 of it can't be reversed and is found by an index; nothing else is kept.
"""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Sequence
from datetime import timedelta
from typing import TYPE_CHECKING
from uuid import UUID

from django.db.models import Q, QuerySet
from django.db.models.functions import Now
from django.http import HttpRequest, JsonResponse

from synops.site.models import ApiToken

if TYPE_CHECKING:
    from django.contrib.auth.models import User

PREFIX = "synops_"
"""Lets people and secret scanners see what it is."""

USE_NOTED_EVERY = timedelta(minutes=1)


class TokenRefused(Exception):
    """A request that its token does not let in. `status` is 401 (no valid token) or 403 (not for this)."""

    def __init__(self, status: int, code: str, text: str) -> None:
        super().__init__(text)
        self.status = status
        self.code = code

    def response(self) -> JsonResponse:
        """The answer: `{"error": {"code", "message"}}`, with the challenge that a 401 must have."""
        answer = JsonResponse({"error": {"code": self.code, "message": str(self)}}, status=self.status)
        if self.status == 401:
            answer.headers["WWW-Authenticate"] = 'Bearer realm="synops"'
        return answer


def create_token(
    name: str,
    scopes: Sequence[str],
    owner: User,
    collection_id: UUID | None = None,
    days: int | None = None,
) -> tuple[ApiToken, str]:
    """A new token and its secret, which is shown this once and can't be read again; `days` None = it never expires."""
    secret = PREFIX + secrets.token_urlsafe(32)
    token = ApiToken.objects.create(
        name=name,
        digest=digest(secret),
        scopes=sorted(set(scopes)),
        owner=owner,
        collection_id=collection_id,
        expires_at=None if days is None else Now() + timedelta(days=days),
    )
    return token, secret


def digest(secret: str) -> str:
    """What is kept of a token's secret."""
    return hashlib.sha256(secret.encode()).hexdigest()


def authenticate(request: HttpRequest, scope: str) -> ApiToken:
    """The token of `Authorization: Bearer …` if it allows `scope`; its `owner` is who acts. Raises TokenRefused.

    Such a request needs no CSRF check: no browser adds this header by itself.
    """
    kind, _, secret = request.headers.get("Authorization", "").partition(" ")
    if kind.lower() != "bearer" or not secret.strip():
        raise TokenRefused(401, "no_token", "Send a token: Authorization: Bearer <token>.")
    return authenticate_secret(secret.strip(), scope)


def authenticate_secret(secret: str, scope: str) -> ApiToken:
    """The token of this secret (which may stand in an address) if it allows `scope`. Raises TokenRefused."""
    token = valid_tokens().filter(digest=digest(secret)).first()
    if token is None:  # one answer for unknown, expired and revoked: a stranger learns nothing
        raise TokenRefused(401, "invalid_token", "The token is unknown, has expired or was revoked.")
    if scope not in token.scopes:
        raise TokenRefused(403, "wrong_scope", f"The token is not for this: it lacks the scope {scope}.")
    _note_use(token)
    return token


def valid_tokens() -> QuerySet[ApiToken]:
    """The tokens that let somebody in now."""
    unexpired = Q(expires_at__isnull=True) | Q(expires_at__gt=Now())
    return ApiToken.objects.select_related("owner").filter(unexpired, revoked_at__isnull=True, owner__is_active=True)


def _note_use(token: ApiToken) -> None:
    """At most once a minute: who fetches a thousand files must not write a thousand rows."""
    unused = Q(last_used_at__isnull=True) | Q(last_used_at__lt=Now() - USE_NOTED_EVERY)
    ApiToken.objects.filter(unused, pk=token.pk).update(last_used_at=Now())


def revoke(token_id: UUID) -> bool:
    """End a token at once; False when it is unknown or was revoked before."""
    return ApiToken.objects.filter(pk=token_id, revoked_at__isnull=True).update(revoked_at=Now()) == 1
