"""/store/: files by their hash for a worker elsewhere. None without a token, ranges, nothing under a false name."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any

import pytest
from asgiref.sync import async_to_sync
from django.test import AsyncClient

from synops.site.tokens import create_token
from synops.store.files import FileStore
from tests.people import make_user

pytestmark = pytest.mark.django_db

DATA = bytes(range(256)) * 4
DIGEST = hashlib.sha256(DATA).hexdigest()


@pytest.fixture
def store(settings: Any, tmp_path: Path) -> FileStore:
    settings.STORE_DIR = tmp_path / "store"
    return FileStore(settings.STORE_DIR)


@pytest.fixture
def secret(db: None) -> str:
    return create_token("gpu-1", ["store"], make_user("remote"))[1]


def ask(method: str, digest: str, secret: str | None, body: bytes = b"", **headers: str) -> tuple[Any, bytes]:
    if secret:
        headers["authorization"] = f"Bearer {secret}"

    async def send() -> tuple[Any, bytes]:
        more = {"data": body, "content_type": "application/octet-stream"} if method == "put" else {}
        response = await getattr(AsyncClient(), method)(f"/store/{digest}", headers=headers, **more)
        if not response.streaming:
            return response, response.content
        return response, b"".join([piece async for piece in response.streaming_content])

    return async_to_sync(send)()


def test_whole_files_ranges_and_conditions(store, secret):
    store.put_bytes(DATA)
    response, body = ask("get", DIGEST, secret)
    assert (response.status_code, body, response["ETag"]) == (200, DATA, f'"{DIGEST}"')
    assert "private" in response["Cache-Control"]
    response, body = ask("get", DIGEST, secret, range="bytes=1000-")
    assert (response.status_code, body, response["Content-Range"]) == (206, DATA[1000:], "bytes 1000-1023/1024")
    response, body = ask("get", DIGEST, secret, **{"if-none-match": f'"{DIGEST}"'})
    assert (response.status_code, body) == (304, b"")
    assert ask("get", DIGEST, secret, range="bytes=2000-")[0].status_code == 416
    response, body = ask("head", DIGEST, secret)
    assert (response.status_code, body, response["Content-Length"]) == (200, b"", "1024")


def test_no_token_no_file_and_no_hint_whether_there_is_one(store, secret):
    store.put_bytes(DATA)
    _, jobs_only = create_token("script", ["jobs"], make_user("script"))
    for method in ("get", "head", "put"):
        assert ask(method, DIGEST, None)[0].status_code == 401
        assert ask(method, "0" * 64, "synops_guess")[0].status_code == 401
        assert ask(method, DIGEST, jobs_only)[0].status_code == 403
    assert ask("post", DIGEST, secret)[0].status_code == 405


@pytest.mark.parametrize("name", ["0" * 64, "no-digest", "..%2f..%2fetc%2fpasswd", DIGEST.upper()])
def test_what_is_not_there_is_404(store, secret, name):
    store.put_bytes(DATA)
    assert ask("get", name, secret)[0].status_code == 404


def test_a_file_is_taken_in_under_its_own_name_only(store, secret):
    response, _ = ask("put", DIGEST, secret, DATA)
    assert (response.status_code, store.path(DIGEST).read_bytes()) == (201, DATA)
    response, body = ask("put", "0" * 64, secret, DATA)
    assert (response.status_code, b"digest_mismatch" in body) == (422, True)
    assert ask("put", "no-digest", secret, DATA)[0].status_code == 404
    assert [path.name for path in store.root.glob("*/*")] == [DIGEST]


def test_a_store_that_can_not_be_written_to_says_so(store, secret, settings, tmp_path):
    (tmp_path / "file").write_text("not a folder")
    settings.STORE_DIR = tmp_path / "file" / "store"
    response, body = ask("put", DIGEST, secret, DATA)
    assert (response.status_code, b"not_stored" in body) == (507, True)
