"""API tokens: only a hash is kept, and each of them lets in exactly what it is for."""

from __future__ import annotations

import hashlib
from io import StringIO
from uuid import uuid4

import pytest
from django.core.management import CommandError, call_command
from django.db import IntegrityError, connection, transaction
from django.test import RequestFactory

from synops.site.models import ApiToken
from synops.site.tokens import TokenRefused, authenticate, create_token, revoke
from tests.people import make_collection, make_user

pytestmark = pytest.mark.django_db


@pytest.fixture
def owner():
    return make_user("remote")


def request(header: str | None):
    headers = {} if header is None else {"authorization": header}
    return RequestFactory().get("/", headers=headers)


def refused(header: str | None, scope: str = "store") -> TokenRefused:
    with pytest.raises(TokenRefused) as caught:
        authenticate(request(header), scope)
    return caught.value


def test_a_token_speaks_for_its_owner_within_its_scopes(owner):
    token, secret = create_token("gpu-1", ["store", "jobs"], owner)
    found = authenticate(request(f"Bearer {secret}"), "jobs")
    assert (found.pk, found.owner) == (token.pk, owner)
    assert authenticate(request(f"bearer  {secret} "), "store").pk == token.pk
    assert (refused(f"Bearer {secret}", "pipeline").status, refused(f"Bearer {secret}", "pipeline").code) == (
        403,
        "wrong_scope",
    )


def test_the_database_holds_a_hash_and_no_secret(owner):
    token, secret = create_token("gpu-1", ["store"], owner)
    with connection.cursor() as cursor:
        cursor.execute("SELECT t::text FROM api_tokens t")
        stored = cursor.fetchone()[0]
    assert secret not in stored
    assert token.digest == hashlib.sha256(secret.encode()).hexdigest()


def test_no_token_unknown_token_and_another_scheme_are_401_with_a_challenge(owner):
    _, secret = create_token("gpu-1", ["store"], owner)
    for header in (None, "", "Bearer", "Bearer ", "Bearer synops_guess", f"Basic {secret}", f"Bearer {secret}x"):
        answer = refused(header).response()
        assert (answer.status_code, answer.headers["WWW-Authenticate"]) == (401, 'Bearer realm="synops"'), header


def test_an_expired_a_revoked_and_an_inactive_owners_token_are_refused_alike(owner):
    _, expired = create_token("old", ["store"], owner, days=1)
    assert authenticate(request(f"Bearer {expired}"), "store")
    with connection.cursor() as cursor:
        cursor.execute("UPDATE api_tokens SET expires_at = now() - interval '1 second'")
    revoked, gone = create_token("revoked", ["store"], owner)
    assert revoke(revoked.pk)
    assert not revoke(revoked.pk), "a second time there is nothing to revoke"
    _, orphan = create_token("orphan", ["store"], make_user("left"))
    with connection.cursor() as cursor:
        cursor.execute("UPDATE auth_user SET is_active = false WHERE username = 'left'")
    assert {str(refused(f"Bearer {secret}")) for secret in (expired, gone, orphan)} == {
        "The token is unknown, has expired or was revoked."
    }


def test_use_is_noted_once_a_minute(owner):
    token, secret = create_token("gpu-1", ["store"], owner)
    authenticate(request(f"Bearer {secret}"), "store")
    token.refresh_from_db()
    first = token.last_used_at
    assert first is not None
    with connection.cursor() as cursor:
        cursor.execute("SELECT xmin::text FROM api_tokens")
        before = cursor.fetchone()
        authenticate(request(f"Bearer {secret}"), "store")
        cursor.execute("SELECT xmin::text FROM api_tokens")
        assert cursor.fetchone() == before, "no row is written"
        cursor.execute("UPDATE api_tokens SET last_used_at = now() - interval '61 seconds'")
    authenticate(request(f"Bearer {secret}"), "store")
    token.refresh_from_db()
    assert token.last_used_at > first


def test_a_token_goes_with_its_owner_and_with_its_collection(owner):
    collection = make_collection("Innboks")
    create_token("hook", ["hooks"], owner, collection.pk)
    create_token("gpu-1", ["store"], make_user("left"))
    with connection.cursor() as cursor:
        cursor.execute("DELETE FROM nodes WHERE id = %s", [collection.pk])
        cursor.execute("DELETE FROM auth_user WHERE username = 'left'")
    assert not ApiToken.objects.exists()


@pytest.mark.parametrize(
    ("scopes", "constraint"),
    [([], "known_scopes"), (["everything"], "known_scopes"), (["hooks"], "hooks_have_collection")],
)
def test_the_database_refuses_a_token_for_nothing_and_a_hook_without_a_collection(owner, scopes, constraint):
    with pytest.raises(IntegrityError, match=constraint), transaction.atomic():
        create_token("odd", scopes, owner)


def test_the_command_prints_the_secret_alone(owner, capsys):
    call_command("create_token", "gpu-1", "--scope=store", "--user=remote", "--days=90")
    printed = capsys.readouterr()
    assert authenticate(request(f"Bearer {printed.out.strip()}"), "store").expires_at is not None
    assert printed.out.count("\n") == 1
    assert "can't be shown again" in printed.err


def test_the_command_says_what_is_wrong(owner):
    make_collection("Innboks")
    for options, said in (
        (("--scope=store", "--user=nobody"), "no active user nobody"),
        (("--scope=hooks", "--user=remote"), "needs --collection"),
        (("--scope=hooks", "--user=remote", f"--collection={uuid4()}"), "No collection has the id or slug"),
        (("--scope=store", "--user=remote", "--days=0"), "at least 1"),
    ):
        with pytest.raises(CommandError, match=said):
            call_command("create_token", "odd", *options)
    call_command("create_token", "hook", "--scope=hooks", "--user=remote", "--collection=innboks", stdout=StringIO())


def test_tokens_are_listed_and_ended_by_name(owner, capsys):
    for name in ("gpu-1", "gpu-1", "script"):
        create_token(name, ["store"], owner)
    call_command("revoke_token")
    assert capsys.readouterr().out.count("\tstore\tremote\tnever used\n") == 3
    call_command("revoke_token", "gpu-1")
    assert capsys.readouterr().out == "2 ended.\n"
    with pytest.raises(CommandError, match="no valid token"):
        call_command("revoke_token", "gpu-1")
    call_command("revoke_token")
    assert capsys.readouterr().out.startswith("script\t")
