"""Rules that hold for every page: actions name their right, strangers are refused, and no right means no rows."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any
from uuid import uuid4

import pytest
from django.contrib import admin
from django.db import models
from django.test import Client
from django.urls import URLPattern, URLResolver, get_resolver

from tests.jobs.making import make_job
from tests.orchestration.test_admin import make_run
from tests.people import make_collection, make_node, make_user

OPEN = ("health", "alive", "public/", "i18n/", "admin/login/", "admin/logout/", "api/openapi.json")
"""What strangers may ask for. Logging out without being logged in leads to the front page."""

REFUSALS = (302, 401, 403, 404, 405)
"""To the login, or away: programs are told in a status, and a file that one may not have is not there."""

ADMINS = [pytest.param(model, owner, id=model._meta.label) for model, owner in admin.site._registry.items()]


@pytest.mark.parametrize(("model", "owner"), ADMINS)
def test_every_action_names_its_right(model: type[models.Model], owner: Any):
    """An action without one runs for whoever may see the list."""
    for function, name, _description in owner._get_base_actions():
        assert getattr(function, "allowed_permissions", None), f"{model._meta.label}.{name}"


@pytest.mark.parametrize(("model", "owner"), [one for one in ADMINS if not one.id.startswith("auth.")])
def test_every_model_says_what_it_is(model: type[models.Model], owner: Any):
    assert model.__doc__
    assert owner.__doc__


def addresses(patterns: list[Any], prefix: str = "") -> Iterator[str]:
    for pattern in patterns:
        route = prefix + str(pattern.pattern).lstrip("^").rstrip("$")
        if isinstance(pattern, URLResolver):
            yield from addresses(pattern.url_patterns, route)
        elif isinstance(pattern, URLPattern):
            yield route


def filled(route: str) -> str:
    """The route with something in its places."""
    route = re.sub(r"<(?:uuid|path:object_id)[^>]*>", str(uuid4()), route)
    route = re.sub(r"<int:\w+>", "1", re.sub(r"<str:(?:digest|token|code)>", "x", route))
    return "/" + route.replace("<path:url>", "x").replace("(?P<app_label>auth|graph)", "auth").replace(
        "(?P<url>.*)", "x"
    )


def test_strangers_are_refused_everywhere_else(db: None):
    client = Client()
    seen = 0
    for route in addresses(get_resolver().url_patterns):
        if route.startswith(OPEN) or not route:
            continue
        address = filled(route)
        if "<" in address or "(" in address:
            address = "/admin/" + ("r/1/2/" if route.startswith("admin/r/") else "auth/")
        for method in ("get", "post"):
            response = getattr(client, method)(address)
            assert response.status_code in REFUSALS, (method, address, response.status_code)
            if response.status_code == 302:
                assert response.headers["Location"].startswith(("/admin/login/", "/admin/?")), address
        seen += 1
    assert seen > 60


@pytest.mark.django_db
@pytest.mark.parametrize(("model", "owner"), ADMINS)
def test_without_access_there_are_no_rows(model: type[models.Model], owner: Any):
    """With the right to view, but no access to any collection. Rows that belong to no collection need the right only."""
    collection = make_collection("Hidden")
    make_node("content", "Secret", into=collection), make_job(collection), make_run(collection)
    make_node("orchestration", "Secret", into=collection), make_node("work_item", "Secret", into=collection)
    label = f"{model._meta.app_label}.view_{model._meta.model_name}"
    client = Client(headers={"accept-language": "en"})
    client.force_login(make_user("nobody", label))
    address = f"/admin/{model._meta.app_label}/{model._meta.model_name}/"
    response = client.get(address)
    assert response.status_code == 200
    if hasattr(owner, "visible_rows"):
        assert list(response.context["cl"].result_list) == []
    assert "Secret" not in response.content.decode()
    client.force_login(make_user("stranger"))
    assert client.get(address).status_code == 403
