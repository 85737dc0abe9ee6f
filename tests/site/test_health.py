"""/health says that the process answers, /alive that it can work; the codes of what is wrong and nothing more."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest
from django.db import OperationalError, connection
from django.db.migrations.recorder import MigrationRecorder
from django.test import Client

from jobs.live.hub import HubState
from synops.site import health

ALIVE = {"status": "ok", "reasons": [], "listener": "idle"}


def test_health_needs_nothing(client: Client):
    """Without the django_db mark any query fails the test."""
    response = client.get("/health")
    assert (response.status_code, response.content) == (200, b"ok\n")
    assert client.post("/health").status_code == 405


@pytest.mark.django_db
def test_alive_when_everything_is(client: Client):
    response = client.get("/alive")
    assert (response.status_code, response.json()) == (200, ALIVE)
    assert "no-store" in response.headers["Cache-Control"]


@pytest.mark.django_db
def test_a_pending_migration_is_named_by_its_code(client: Client):
    with connection.cursor() as cursor:
        cursor.execute("DELETE FROM django_migrations WHERE app = 'jobs' AND name LIKE '0002%'")
        assert cursor.rowcount == 1
    response = client.get("/alive")
    assert (response.status_code, response.json()["reasons"]) == (503, ["migrations_pending"])


@pytest.mark.django_db
def test_a_lost_listener_is_named_without_details(client: Client, monkeypatch: pytest.MonkeyPatch):
    lost = HubState("lost", datetime.now(UTC), "connection to 10.0.0.7 refused")
    monkeypatch.setattr(health, "hub_state", lambda: lost)
    response = client.get("/alive")
    assert (response.status_code, response.json()["reasons"]) == (503, ["listener_lost"])
    assert "10.0.0.7" not in response.content.decode()


def test_an_unreachable_database(client: Client, monkeypatch: pytest.MonkeyPatch):
    def refuse(*_: Any) -> Any:
        raise OperationalError("could not connect to 10.0.0.7")

    monkeypatch.setattr(MigrationRecorder, "applied_migrations", refuse)
    response = client.get("/alive")
    assert (response.status_code, response.json()["reasons"]) == (503, ["database_unreachable"])
    assert "10.0.0.7" not in response.content.decode()
