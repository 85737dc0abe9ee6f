"""The OpenAPI document is the API: every route stands in it, it is valid, and whatever is sent gets an answer it names."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pytest
import schemathesis
from django.core.signals import request_finished, request_started
from django.core.wsgi import get_wsgi_application
from django.db import close_old_connections
from django.test import Client
from hypothesis import HealthCheck, Phase, given, settings
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from synops.site.api import urls
from synops.site.api.endpoints import ENDPOINTS
from synops.site.api.openapi import document
from synops.site.tokens import create_token
from tests.people import make_collection, make_user

CHECKS = [not_a_server_error, status_code_conformance, content_type_conformance, response_schema_conformance]
SCHEMA = schemathesis.openapi.from_dict(document())


def test_routes_and_document_name_the_same_paths() -> None:
    routed = {
        "/" + re.sub(r"<\w+:(\w+)>", r"{\1}", str(pattern.pattern))
        for pattern in urls.urlpatterns
        if pattern.name != "api-openapi"
    }
    assert routed == set(document()["paths"])


def test_every_shape_that_is_named_is_there_and_none_is_idle() -> None:
    said = str(document())
    shapes = set(document()["components"]["schemas"])
    assert set(re.findall(r"#/components/schemas/(\w+)", said)) == shapes


def test_the_document_is_public_and_the_same_in_every_language(client: Client) -> None:
    english = client.get("/api/openapi.json", headers={"accept-language": "en"})
    assert english.status_code == 200
    assert english.json() == client.get("/api/openapi.json", headers={"accept-language": "nb"}).json() == document()


@pytest.fixture
def kept_connection(db: None) -> Iterator[None]:
    """As Django's test client does it: the end of a request must not close the connection of the test's transaction."""
    signals = (request_started, request_finished)
    for signal in signals:
        signal.disconnect(close_old_connections)
    yield
    for signal in signals:
        signal.connect(close_old_connections)


@pytest.fixture
def authorised(kept_connection: None) -> dict[str, str]:
    """A program that may do everything, so that requests get as far as they can."""
    owner = make_user("robot", superuser=True)
    _token, secret = create_token("fuzz", ["jobs", "hooks"], owner, make_collection("desk").pk)
    return {"Authorization": f"Bearer {secret}"}


@pytest.mark.parametrize("endpoint", ENDPOINTS, ids=lambda endpoint: endpoint.name)
def test_any_request_gets_an_answer_that_the_document_names(endpoint: Any, authorised: dict[str, str]) -> None:
    operation = SCHEMA[endpoint.path][endpoint.method]
    app = get_wsgi_application()

    @given(case=operation.as_strategy())
    @settings(
        max_examples=12,
        deadline=None,
        derandomize=True,
        database=None,
        phases=[Phase.explicit, Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    def ask(case: Any) -> None:
        response = case.call(app=app, headers=authorised)
        case.validate_response(response, checks=CHECKS)

    ask()
