"""`POST /hooks/<token>`: programs that can only be given an address enqueue into the token's collection."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from synops.site.api.callers import Caller
from synops.site.api.endpoint import Answer, Call
from synops.site.api.jobs import enqueued
from synops.site.api.problems import Problem
from synops.site.models import ApiToken
from synops.site.tokens import TokenRefused, authenticate_secret


def by_address(place: Mapping[str, Any]) -> Caller:
    """The owner of the token in the address. Raises Problem 401 or 403."""
    return Caller(_token(place).owner, by_token=True)


def _token(place: Mapping[str, Any]) -> ApiToken:
    try:
        return authenticate_secret(place["token"], ApiToken.Scope.HOOKS)
    except TokenRefused as refused:
        raise Problem(refused.status, refused.code, str(refused)) from refused


def enqueue(call: Call) -> Answer:
    """A new job in the token's collection, whatever the body says of collections."""
    collection = _token(call.place).collection_id
    if collection is None:
        raise Problem(403, "wrong_scope", "The token has no collection.")
    return Answer({"job_id": str(enqueued(call.caller, collection, call.body))}, status=202)
