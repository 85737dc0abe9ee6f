"""Two addresses for whoever watches the web process: does it answer, and can it do its work."""

from __future__ import annotations

from functools import lru_cache

from django.db import DatabaseError, connection
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.recorder import MigrationRecorder
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from jobs.live.hub import hub_state


@never_cache
@require_safe
def health(_request: HttpRequest) -> HttpResponse:
    """The process answers. Touches nothing else, so that a restart is never asked for because a database is down."""
    return HttpResponse("ok\n", content_type="text/plain; charset=utf-8")


@never_cache
@require_safe
def alive(_request: HttpRequest) -> HttpResponse:
    """200 when database, migrations and listener are as they should be; else 503 and the codes of what is not.

    `idle` is a listener that no page has asked for yet. The codes say nothing that a stranger could use.
    """
    listener = hub_state()
    state = listener.name if listener else "idle"
    reasons = [*database_reasons(), *(["listener_lost"] if state == "lost" else [])]
    body = {"status": "unavailable" if reasons else "ok", "reasons": reasons, "listener": state}
    return JsonResponse(body, status=503 if reasons else 200)


def database_reasons() -> list[str]:
    """What keeps the database from being used."""
    try:
        applied = set(MigrationRecorder(connection).applied_migrations())
    except DatabaseError:
        return ["database_unreachable"]
    return ["migrations_pending"] if migrations_on_disk() - applied else []


@lru_cache(maxsize=1)
def migrations_on_disk() -> frozenset[tuple[str, str]]:
    """The migrations that this version of the program needs."""
    return frozenset(MigrationLoader(None, ignore_no_migrations=True).disk_migrations)
