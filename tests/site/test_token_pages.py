"""API tokens in the admin: the secret is seen once and kept nowhere, people manage their own, and each deed has its right."""

from __future__ import annotations

import logging
import re
from typing import Any

import pytest
from django.contrib.admin.models import ADDITION, CHANGE, LogEntry
from django.contrib.auth.models import Group, User
from django.contrib.sessions.models import Session
from django.db import connection
from django.test import Client

from synops.site.models import ApiToken
from synops.site.tokens import create_token
from tests.people import make_collection, make_user
from tests.site.test_access import client_of, in_role

pytestmark = pytest.mark.django_db

LIST = "/admin/site/apitoken/"
NEW = f"{LIST}add/"


@pytest.fixture
def operator() -> Any:
    return in_role("drift", "operator")


@pytest.fixture
def client(operator: Any) -> Client:
    return client_of(operator)


def secret_in(page: Any) -> str:
    found = re.search(r'value="(synops_[\w-]{43})"', page.content.decode())
    assert found, page.content.decode()
    return found[1]


def everything_stored() -> str:
    """The text of every row that making a token could have written to."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT string_agg(t::text, ' ') FROM (SELECT a::text FROM api_tokens a UNION ALL SELECT"
                       " l::text FROM django_admin_log l) t")  # fmt: skip
        return str(cursor.fetchone()[0]) + " ".join(str(one.get_decoded()) for one in Session.objects.all())


def test_a_token_is_made_and_its_secret_is_shown_once_and_kept_nowhere(
    client: Client, operator: Any, caplog: pytest.LogCaptureFixture
):
    caplog.set_level(logging.DEBUG)
    made = client.post(NEW, {"name": "skript «Ærlig»", "scopes": ["jobs"], "days": "30"})
    secret = secret_in(made)
    assert "no-store" in made.headers["Cache-Control"]
    token = ApiToken.objects.get()
    assert (token.name, token.scopes, token.owner, token.expires_at is None) == (
        "skript «Ærlig»",
        ["jobs"],
        operator,
        False,
    )
    assert secret not in everything_stored() + caplog.text
    for address in (LIST, f"{LIST}{token.pk}/change/", f"{LIST}{token.pk}/history/", NEW):
        shown = client.get(address)
        assert shown.status_code == 200, address
        assert secret not in shown.content.decode()
        assert token.digest not in shown.content.decode()
    entry = LogEntry.objects.get(object_id=str(token.pk))
    assert (entry.user, entry.action_flag) == (operator, ADDITION)
    asked = Client().get("/admin/jobs", headers={"authorization": f"Bearer {secret}"})
    assert asked.status_code == 200, asked.content
    token.refresh_from_db()
    assert token.last_used_at is not None


def test_a_hook_needs_a_collection_that_its_owner_sees_and_shows_its_address(client: Client, operator: Any):
    ours, hidden = make_collection("Vår", operator), make_collection("Hemmelig")
    form = client.get(NEW).content.decode()
    assert "Vår" in form
    assert "Hemmelig" not in form
    data = {"name": "kamera", "scopes": ["hooks"]}
    assert "Choose the collection" in client.post(NEW, data).content.decode()
    assert "valid choice" in client.post(NEW, {**data, "collection": str(hidden.pk)}).content.decode()
    made = client.post(NEW, {**data, "collection": str(ours.pk)})
    assert f"/hooks/{secret_in(made)}" in made.content.decode()
    assert ApiToken.objects.get().expires_at is None


@pytest.mark.parametrize(
    "wrong",
    [{"name": ""}, {"name": "x" * 101}, {"scopes": []}, {"scopes": ["everything"]}, {"days": "0"}, {"days": "3651"},
     {"days": "9" * 40}, {"days": "soon"}, {"collection": "x"}],
    ids=str,
)  # fmt: skip
def test_what_can_not_be_is_asked_for_again(client: Client, wrong: Any):
    answer = client.post(NEW, {"name": "skript", "scopes": ["jobs"], **wrong})
    assert "errorlist" in answer.content.decode()
    assert not ApiToken.objects.exists()


def test_the_store_and_tokens_of_others_are_for_superusers(client: Client, operator: Any):
    """Whoever reads the store reads files of every collection."""
    other = make_user("andre")
    answer = client.post(NEW, {"name": "gpu-1", "scopes": ["store"], "owner": str(other.pk)})
    assert "valid choice" in answer.content.decode()
    client.post(NEW, {"name": "mitt", "scopes": ["jobs"], "owner": str(other.pk)})
    assert ApiToken.objects.get().owner == operator
    boss = client_of(make_user("rot", superuser=True))
    boss.post(NEW, {"name": "gpu-1", "scopes": ["store"], "owner": str(other.pk)})
    assert ApiToken.objects.get(name="gpu-1").owner == other
    hidden = make_collection("Hemmelig")
    hook = {"name": "h", "scopes": ["hooks"], "owner": str(other.pk), "collection": str(hidden.pk)}
    assert "no access to this collection" in boss.post(NEW, hook).content.decode()


def test_a_person_sees_only_their_own(client: Client):
    other, _ = create_token("andres hemmelige", ["jobs"], make_user("andre"))
    assert "andres" not in client.get(LIST).content.decode()
    assert client.get(f"{LIST}{other.pk}/change/").status_code == 302
    assert client.post(f"{LIST}{other.pk}/revoke/", {"confirm": "yes"}).status_code == 403
    client.post(LIST, {"action": "revoke_selected", "_selected_action": [str(other.pk)], "confirm": "yes"})
    other.refresh_from_db()
    assert other.revoked_at is None
    boss = client_of(make_user("rot", superuser=True))
    assert "andres hemmelige" in boss.get(LIST).content.decode()


def test_revoking_asks_first_and_ends_it_at_once(client: Client, operator: Any):
    tokens = [create_token(name, ["jobs"], operator)[0] for name in ("ett", "to", "tre")]
    asked = client.post(f"{LIST}{tokens[0].pk}/revoke/")
    assert "1 token is revoked." in asked.content.decode()
    assert not ApiToken.objects.filter(revoked_at__isnull=False).exists()
    assert client.post(f"{LIST}{tokens[0].pk}/revoke/", {"confirm": "yes"}).headers["Location"] == LIST
    chosen = {
        "action": "revoke_selected",
        "_selected_action": [str(token.pk) for token in tokens],
        "select_across": "0",
    }
    page = client.post(LIST, chosen).content.decode()
    assert "2 tokens are revoked." in page, "one is over already"
    client.post(LIST, {**chosen, "confirm": "yes"})
    assert ApiToken.objects.filter(revoked_at__isnull=True).count() == 0
    entries = LogEntry.objects.filter(action_flag=CHANGE, user=operator, change_message="Revoked.")
    assert {entry.object_id for entry in entries} == {str(token.pk) for token in tokens}
    assert f"{LIST}{tokens[1].pk}/revoke/" not in client.get(f"{LIST}{tokens[1].pk}/change/").content.decode()


def test_the_list_says_which_are_over(client: Client, operator: Any):
    for name in ("gyldig", "utløpt", "tilbakekalt"):
        create_token(name, ["jobs"], operator, days=1)
    ApiToken.objects.filter(name="utløpt").update(expires_at="2001-01-01T00:00Z")
    ApiToken.objects.filter(name="tilbakekalt").update(revoked_at="2001-01-01T00:00Z")
    page = client.get(LIST).content.decode()
    assert [page.count(f'class="state state-{code}"') for code in ("succeeded", "timed_out", "cancelled")] == [1, 1, 1]
    User.objects.filter(pk=operator.pk).update(is_active=False)
    boss = client_of(make_user("rot", superuser=True))
    assert "owner can&#x27;t log in" in boss.get(LIST).content.decode()


def test_a_reader_calling_everything_does_nothing():
    reader = in_role("leser", "reader")
    token, _ = create_token("mitt", ["jobs"], reader)
    client = client_of(reader)
    for method, address, data in (
        ("get", LIST, {}), ("get", NEW, {}), ("post", NEW, {"name": "x", "scopes": ["jobs"]}),
        ("get", f"{LIST}{token.pk}/change/", {}), ("post", f"{LIST}{token.pk}/change/", {"name": "x"}),
        ("get", f"{LIST}{token.pk}/history/", {}), ("post", f"{LIST}{token.pk}/delete/", {"post": "yes"}),
        ("post", f"{LIST}{token.pk}/revoke/", {"confirm": "yes"}),
        ("post", LIST, {"action": "revoke_selected", "_selected_action": [str(token.pk)], "confirm": "yes"}),
    ):  # fmt: skip
        assert getattr(client, method)(address, data).status_code == 403, (method, address)
    assert list(ApiToken.objects.values_list("name", "revoked_at")) == [("mitt", None)]


def test_nobody_changes_or_deletes_one_and_revoking_has_a_right_of_its_own():
    looker = make_user("ser", "site.view_apitoken", "site.add_apitoken")
    token, _ = create_token("mitt", ["jobs"], looker)
    boss = client_of(make_user("rot", superuser=True))
    for address in ("change", "delete"):
        assert boss.post(f"{LIST}{token.pk}/{address}/", {"name": "x", "post": "yes"}).status_code == 403
    client = client_of(looker)
    assert client.post(f"{LIST}{token.pk}/revoke/", {"confirm": "yes"}).status_code == 403
    assert "revoke_selected" not in client.get(LIST).content.decode()
    token.refresh_from_db()
    assert (token.name, token.revoked_at) == ("mitt", None)


def test_hostile_names_are_text(client: Client, operator: Any):
    made = client.post(NEW, {"name": "<script>alert(1)</script>", "scopes": ["jobs"]})
    token = ApiToken.objects.get()
    for page in (
        made,
        client.get(LIST),
        client.get(f"{LIST}{token.pk}/change/"),
        client.post(f"{LIST}{token.pk}/revoke/"),
    ):
        assert "<script>alert" not in page.content.decode()


def test_the_pages_speak_bokmaal():
    operator = User.objects.get(pk=in_role("drift", "operator").pk)
    assert Group.objects.filter(user=operator, name="operator").exists()
    client = client_of(operator, "nb")
    page = client.get(NEW).content.decode()
    assert "Lag nøkkelen" in page
    made = client.post(NEW, {"name": "skript", "scopes": ["jobs"]}).content.decode()
    assert "Kopier den nå" in made
