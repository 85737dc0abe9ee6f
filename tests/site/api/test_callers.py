"""Who gets in: strangers nowhere, sessions with a CSRF token, tokens within their scope, everybody only to what is theirs."""

from __future__ import annotations

import json
import re
from uuid import uuid4

import pytest
from django.test import Client

from synops.site.api.endpoints import ENDPOINTS
from synops.site.tokens import create_token, revoke
from tests.people import make_collection, make_user
from tests.site.api.conftest import Api

pytestmark = pytest.mark.django_db


def place(path: str) -> str:
    return re.sub(r"\{\w+\}", str(uuid4()), path)


def ask(client: Client, endpoint, **headers: str):
    method = getattr(client, endpoint.method.lower())
    return method(place(endpoint.path), content_type="application/json", headers=headers)


@pytest.mark.parametrize("endpoint", ENDPOINTS, ids=lambda endpoint: endpoint.name)
def test_a_stranger_gets_401_and_a_reader_without_rights_403(endpoint, client):
    answer = ask(client, endpoint)
    assert answer.status_code == 401
    assert answer.headers["Content-Type"] == "application/problem+json"
    assert "Bearer" in answer.headers["WWW-Authenticate"]
    _, secret = create_token("reader", ["jobs"], make_user("reader"))
    code = ask(client, endpoint, authorization=f"Bearer {secret}").status_code
    wanted = 401 if endpoint.scope is None or endpoint.identify else 403  # some take no such token at all
    assert code == wanted or (endpoint.body and not endpoint.permission and code in (400, 422))


@pytest.mark.parametrize("endpoint", [one for one in ENDPOINTS if one.scope], ids=lambda endpoint: endpoint.name)
def test_a_token_for_something_else_is_refused(endpoint, client):
    owner = make_user("chief", superuser=True)
    _, secret = create_token("other", ["store"], owner)
    expected = 401 if endpoint.identify else 403
    assert ask(client, endpoint, authorization=f"Bearer {secret}").status_code == expected


def test_a_revoked_token_and_one_whose_owner_left_are_unknown(operator):
    token, secret = create_token("test", ["jobs"], operator)
    api = Api(Client(), {"authorization": f"Bearer {secret}"})
    api.get("/admin/jobs")
    operator.is_active = False
    operator.save()
    assert api.get("/admin/jobs", 401)["type"] == "urn:synops:problem:invalid_token"
    operator.is_active = True
    operator.save()
    revoke(token.pk)
    api.get("/admin/jobs", 401)


def test_a_session_writes_only_with_its_csrf_token(operator, desk):
    client = Client(enforce_csrf_checks=True)
    client.force_login(operator)
    body = {"job_id": str(uuid4())}
    refused = client.post("/intentions/retry_job", body, content_type="application/json")
    assert (refused.status_code, refused.json()["type"]) == (403, "urn:synops:problem:csrf")
    client.get("/admin/")
    token = client.cookies["csrftoken"].value
    said = client.post("/intentions/retry_job", body, content_type="application/json", headers={"x-csrftoken": token})
    assert said.status_code == 404
    forged = {"x-csrftoken": token, "origin": "https://evil.example"}
    assert (
        client.post("/intentions/retry_job", body, content_type="application/json", headers=forged).status_code == 403
    )


def test_a_session_without_access_to_the_admin_is_none(client):
    client.force_login(make_user("visitor", "jobs.view_job", staff=False))
    assert client.get("/admin/jobs").status_code == 401


def test_a_browser_is_sent_to_the_page_and_keeps_its_filters(client):
    page = {"accept": "text/html,application/xhtml+xml,*/*;q=0.8"}
    answer = client.get("/admin/jobs?status=error&type=x", headers=page)
    assert (answer.status_code, answer.headers["Location"]) == (302, "/admin/jobs/job/?status=error&type=x")
    assert client.get("/admin/resources", headers=page).status_code == 302
    assert client.get("/admin/resources/disk", headers=page).status_code == 302


def test_the_wrong_method_says_the_right_one(client):
    answer = client.get("/intentions/retry_job")
    assert (answer.status_code, answer.headers["Allow"]) == (405, "POST")
    assert client.delete("/admin/jobs").headers["Allow"] == "GET, HEAD"


def test_a_hook_enqueues_into_its_own_collection_only(client, operator, desk):
    _, secret = create_token("hook", ["hooks"], operator, desk.pk)
    body = {"job_type": "pg_delete_node", "payload": {"id": str(uuid4())}}
    hook = Api(client, {})
    hook.post(f"/hooks/{secret}", body, 202)
    hook.post(f"/hooks/{secret}", {**body, "collection": str(make_collection("other").pk)}, 422)
    hook.post(f"/hooks/{secret[:-1]}", body, 401)


@pytest.mark.parametrize(
    ("body", "kind", "status"),
    [
        ("{", "application/json", 400),
        ('{"job_id": NaN}', "application/json", 400),
        ("[" * 100_000, "application/json", 400),
        (b"\xff", "application/json", 400),
        ("job_id=1", "application/x-www-form-urlencoded", 415),
        ('{"job_id": "x"}', "application/json", 422),
        ('{"job_id": 7}', "application/json", 422),
        (json.dumps({"job_id": "0190f5a6-0000-7000-8000-000000000001", "extra": 1}), "application/json", 422),
        ("[]", "application/json", 422),
        ('"%s"' % ("x" * 1_100_000), "application/json", 413),
    ],
)
def test_what_is_no_request_says_why(client, api, body, kind, status):
    answer = client.post("/intentions/retry_job", body, content_type=kind, headers=api.headers)
    assert answer.status_code == status
    assert answer.json()["detail"]
