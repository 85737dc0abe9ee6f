"""Each check finds its own fault, says what to do, and is silent when things are right."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from django.core.checks import CheckMessage
from django.db import OperationalError

from synops.site import checks
from tests.web import PROJECT


def ids(found: list[CheckMessage]) -> list[str]:
    assert all(message.hint for message in found)
    return [str(message.id) for message in found]


class Database:
    """A connection to a server of some version, or to none."""

    def __init__(self, version: int | None) -> None:
        self.connection = SimpleNamespace(info=SimpleNamespace(server_version=version))
        self.version = version

    def ensure_connection(self) -> None:
        if self.version is None:
            raise OperationalError


@pytest.mark.parametrize(("version", "expected"), [(140011, ["synops.E001"]), (150002, []), (180006, []), (None, [])])
def test_the_servers_version(monkeypatch: pytest.MonkeyPatch, version: int | None, expected: list[str]):
    monkeypatch.setattr(checks, "connection", Database(version))
    assert ids(checks.check_postgresql(databases=["default"])) == expected
    assert checks.check_postgresql(databases=None) == []


@pytest.mark.parametrize(
    ("name", "value", "check", "expected"),
    [
        ("HEARTBEAT_SECONDS", 10.1, checks.check_liveness, ["synops.E002"]),
        ("HEARTBEAT_SECONDS", 0, checks.check_liveness, ["synops.E002"]),
        ("HEARTBEAT_SECONDS", 10.0, checks.check_liveness, []),
        ("SWEEP_SECONDS", 0, checks.check_liveness, ["synops.E003"]),
        ("MAX_TOTAL_WEIGHT", 0, checks.check_weights, ["synops.E004"]),
        ("LIVE_CALL_WEIGHT", 8, checks.check_weights, ["synops.E005"]),
        ("LIVE_CALL_WEIGHT", -1, checks.check_weights, ["synops.E005"]),
        ("LIVE_CALL_WEIGHT", 0, checks.check_weights, []),
        ("EVENT_SETTLE_SECONDS", -1.0, checks.check_recipes, ["synops.E013"]),
        ("MAX_CASCADE_DEPTH", 0, checks.check_recipes, ["synops.E013"]),
        ("DRAFT_TIMEOUT_SECONDS", 0.0, checks.check_recipes, ["synops.E013"]),
        ("DRAFT_TIMEOUT_SECONDS", 0.5, checks.check_recipes, []),
        ("SECRET_KEY", "short", checks.check_secret_key, ["synops.W006"]),
        ("SECRET_KEY", "ab" * 40, checks.check_secret_key, ["synops.W006"]),
        ("SECRET_KEY", "0123456789abcdefghijklmnopqrstuvwxyz", checks.check_secret_key, []),
        ("SYNOPS_TOOLS_PATH", "/nowhere:/", checks.check_tools, ["synops.W009"]),
    ],
)
def test_settings(settings: Any, name: str, value: Any, check: Any, expected: list[str]):
    settings.HEARTBEAT_SECONDS, settings.WORKER_TTL_SECONDS, settings.SWEEP_SECONDS = 10.0, 30.0, 10.0
    settings.MAX_TOTAL_WEIGHT, settings.LIVE_CALL_WEIGHT = 8, 2
    setattr(settings, name, value)
    assert [id for id in ids(check()) if id != "synops.W010"] == expected


@pytest.mark.parametrize(("apps", "expected"), [(["channels", "jobs"], ["synops.E007"]), (["jobs", "channels"], [])])
def test_jobs_come_before_channels(monkeypatch: pytest.MonkeyPatch, apps: list[str], expected: list[str]):
    monkeypatch.setattr(checks, "settings", SimpleNamespace(INSTALLED_APPS=apps))
    assert ids(checks.check_app_order()) == expected


def test_folders_that_can_not_be_written_to(settings: Any, tmp_path: Path):
    (tmp_path / "file").write_text("in the way")
    settings.STORE_DIR, settings.PUBLISH_DIR = tmp_path / "file" / "store", tmp_path / "not" / "yet"
    (found,) = checks.check_folders()
    assert found.id == "synops.E008"
    assert "STORE_DIR" in found.msg


@pytest.mark.parametrize(
    ("url", "token", "expected"),
    [
        ("", "", []),
        ("synops.example", "x", ["synops.E012"]),
        ("https://s.example", "", ["synops.E012"]),
        ("https://s.example", "x", []),
    ],
)
def test_a_store_on_another_machine(
    settings: Any, monkeypatch: pytest.MonkeyPatch, url: str, token: str, expected: list[str]
):
    settings.STORE_URL = url
    monkeypatch.setenv("STORE_TOKEN", token)
    assert ids(checks.check_remote_store()) == expected


def test_tools_that_are_not_installed(monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    monkeypatch.setattr(checks, "search_path", lambda environment: [tmp_path])
    assert "synops.W010" in ids(checks.check_tools())


def test_a_production_setup_passes_the_deployment_checks(tmp_path: Path):
    production = {
        **os.environ,
        "SITE_URL": "https://synops.example",
        "SECRET_KEY": "correct-horse-battery-staple-0123456789-and-some-more-of-it",
        "SYNOPS_VAR": str(tmp_path),
        "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
    }
    done = subprocess.run(
        [sys.executable, "manage.py", "check", "--deploy", "--fail-level", "WARNING"],
        cwd=PROJECT,
        env=production,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr


def test_settings_of_the_language_model(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.delenv("SYNOPS_LLM_BASE_URL", raising=False)
    assert checks.check_language_model() == []
    monkeypatch.setenv("SYNOPS_LLM_BASE_URL", "http://127.0.0.1:8080/v1")
    monkeypatch.delenv("SYNOPS_LLM_MODEL", raising=False)
    assert ids(checks.check_language_model()) == ["synops.E011"]
    monkeypatch.setenv("SYNOPS_LLM_MODEL", "some/model")
    assert checks.check_language_model() == []
    monkeypatch.setenv("SYNOPS_LLM_MAX_CONCURRENT", "0")
    assert ids(checks.check_language_model()) == ["synops.E011"]
