"""Every setting is documented, shown with its source, and no secret is."""

from __future__ import annotations

import re
from typing import Any

import pytest
from django.conf import settings
from django.test import Client

from synops.site.settings_page import EXAMPLE, MASK, current_settings, documented_settings, masked
from tests.people import make_user

READ = re.compile(r'(?:env(?:\.\w+|_list)|secret|environ\.get)\(\s*"([A-Z][A-Z0-9_]+)"')
HOW_IT_RUNS = {"SYNOPS_ENV_FILE"}
"""Chooses the .env file itself, so it can't stand in one."""


def names_read_by_the_settings() -> set[str]:
    text = (settings.BASE_DIR / "synops" / "settings.py").read_text()
    return set(READ.findall(text)) - HOW_IT_RUNS


def test_every_setting_stands_in_the_example_with_an_explanation():
    documented = list(documented_settings(EXAMPLE.read_text()))
    assert names_read_by_the_settings() - {one.name for one in documented} == set()
    assert [one.name for one in documented if len(one.explanation) < 20] == []
    assert len({one.name for one in documented}) == len(documented)


def test_the_example_shows_the_defaults_that_the_program_uses():
    for one in documented_settings(EXAMPLE.read_text()):
        used = getattr(settings, one.name, None)
        if one.default and one.name in names_read_by_the_settings() and one.name not in ("SYNOPS_VAR", "LOG_LEVEL"):
            if one.name == "SECURE_HSTS_SECONDS":  # counts with https only
                continue
            listed = ",".join(map(str, used)) if isinstance(used, list) else str(used)
            shown = listed.lower() if isinstance(used, bool) else listed
            assert shown.removesuffix(".0") == one.default, one.name


def test_sources(monkeypatch: pytest.MonkeyPatch, settings: Any):
    monkeypatch.setenv("TIME_ZONE", "Europe/Oslo")
    monkeypatch.setenv("PUBLISH_SERVE", "false")
    settings.ENVIRONMENT_NAMES = frozenset({"TIME_ZONE"})
    settings.ENV_FILE_NAMES = frozenset({"PUBLISH_SERVE"})
    settings.MAX_TOTAL_WEIGHT = 8
    found = {one.name: (one.value, one.source) for one in current_settings()}
    assert found["TIME_ZONE"] == ("Europe/Oslo", "environment")
    assert found["PUBLISH_SERVE"] == ("false", ".env")
    assert found["MAX_TOTAL_WEIGHT"] == ("8", "default")
    assert found["SECRET_KEY"] == (MASK, "default")


def test_secrets_are_masked_whole_and_passwords_out_of_addresses():
    assert masked("SYNOPS_LLM_API_KEY", "abc") == MASK
    assert masked("SECRET_KEY", "") == ""
    assert masked("SECRET_KEY_FILE", "/run/secret") == "/run/secret"
    assert masked("DATABASE_URL", "postgresql://a:hush@db/x") == f"postgresql://a:{MASK}@db/x"


@pytest.mark.django_db
def test_the_page_is_for_superusers(settings: Any):
    client = Client(headers={"accept-language": "en"})
    client.force_login(make_user("staff", "jobs.view_job"))
    assert client.get("/admin/settings/").status_code == 403
    client.force_login(make_user("boss", superuser=True))
    page = client.get("/admin/settings/").content.decode()
    assert "MAX_TOTAL_WEIGHT" in page
    assert settings.SECRET_KEY not in page
