"""A store on another machine, over a real web server: fetched once, checked, sent back, and a cache that keeps its bound."""

from __future__ import annotations

import hashlib
import http.server
import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from synops.site.tokens import create_token
from synops.store.files import DamagedFile, FileStore, StoreAway, StoreRefused, UnknownFile
from synops.store.remote import IN_USE_SECONDS, RemoteStore
from tests.people import make_user
from tests.web import web_server

DATA = bytes(range(256)) * 4096
DIGEST = hashlib.sha256(DATA).hexdigest()


@pytest.fixture
def there(tmp_path: Path) -> FileStore:
    return FileStore(tmp_path / "there")


@pytest.fixture
def elsewhere(there: FileStore, tmp_path: Path, transactional_db: None) -> Iterator[RemoteStore]:
    """A store of its own folder, whose files come from a web server with the store `there`."""
    _, secret = create_token("gpu-1", ["store"], make_user("remote"))
    with web_server(STORE_DIR=str(there.root)) as server:
        yield RemoteStore(tmp_path / "here", server.url, secret, 1 << 30)


def test_a_store_elsewhere(elsewhere: RemoteStore, there: FileStore, tmp_path: Path):
    """One server for all of it: starting one takes seconds."""
    there.put_bytes(DATA)
    assert elsewhere.exists(DIGEST)
    assert not elsewhere.exists("0" * 64)
    assert not elsewhere.exists("no digest")
    assert elsewhere.path(DIGEST).read_bytes() == DATA, "fetched"
    assert elsewhere.path(DIGEST).is_relative_to(tmp_path / "here")
    there.path(DIGEST).unlink()
    assert elsewhere.verify(DIGEST).size == len(DATA), "and kept"

    made = elsewhere.put_bytes(b"made here")
    assert there.path(made.digest).read_bytes() == b"made here", "what is made here is there before its digest is told"
    assert elsewhere.put_bytes(b"made here") == made, "twice is once"
    empty = there.put_bytes(b"")
    assert elsewhere.path(empty.digest).read_bytes() == b""

    damaged = there.put_bytes(b"sound")
    there.path(damaged.digest).chmod(0o644)
    there.path(damaged.digest).write_bytes(b"damaged")
    with pytest.raises(DamagedFile, match=damaged.digest):
        elsewhere.path(damaged.digest)
    assert not FileStore(elsewhere.root).exists(damaged.digest), "nothing false is kept"
    with pytest.raises(UnknownFile, match="holds no file"):
        elsewhere.path("0" * 64)
    with pytest.raises(UnknownFile, match="no sha256"):
        elsewhere.path("../../etc/passwd")
    assert list((elsewhere.root / "incoming").iterdir()) == []

    stranger = RemoteStore(tmp_path / "stranger", elsewhere._address, "synops_guess", 1 << 30)
    for attempt in (lambda: stranger.path(damaged.digest), lambda: stranger.put_bytes(b"mine")):
        with pytest.raises(StoreRefused, match="create_token"):
            attempt()


def test_nobody_there_is_a_failure_that_may_pass(tmp_path: Path):
    store = RemoteStore(tmp_path, "http://127.0.0.1:9", "synops_x", 1 << 30)
    for attempt in (lambda: store.path(DIGEST), lambda: store.exists(DIGEST), lambda: store.put_bytes(DATA)):
        with pytest.raises(StoreAway, match=r"127\.0\.0\.1:9"):
            attempt()


@contextmanager
def server_that_breaks_off(times: int) -> Iterator[tuple[str, list[str]]]:
    """A web server that sends part of what is asked for and hangs up, so many times; the ranges it was asked for."""
    asked: list[str] = []

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            asked.append(self.headers.get("Range", ""))
            start = int(asked[-1].removeprefix("bytes=").rstrip("-") or 0)
            self.send_response(206 if start else 200)
            self.send_header("Content-Length", str(len(DATA) - start))
            self.end_headers()
            whole = len(asked) > times
            self.wfile.write(DATA[start:] if whole else DATA[start : start + 100_000])
            self.close_connection = True

        def log_message(self, *_: object) -> None: ...

    server = http.server.HTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}", asked
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def test_a_broken_download_is_taken_up_where_it_broke_and_given_up_at_last(tmp_path: Path):
    with server_that_breaks_off(2) as (address, asked):
        assert RemoteStore(tmp_path, address, "x", 1 << 30).path(DIGEST).read_bytes() == DATA
    assert asked[0] == ""
    assert all(one.startswith("bytes=") for one in asked[1:])
    with server_that_breaks_off(99) as (address, asked):
        with pytest.raises(StoreAway, match="3 times"):
            RemoteStore(tmp_path / "other", address, "x", 1 << 30).path(DIGEST)
        assert len(asked) == 3
    assert list((tmp_path / "other" / "incoming").iterdir()) == []


def test_the_cache_keeps_its_bound_by_dropping_what_was_used_longest_ago(tmp_path: Path):
    store = RemoteStore(tmp_path, "http://127.0.0.1:9", "x", 2500)
    local = FileStore(tmp_path)
    digests = [local.put_bytes(bytes([n]) * 1000).digest for n in range(4)]
    for age, digest in zip((4, 1, 3, 0), digests, strict=True):
        used = local.path(digest).stat().st_mtime - age * IN_USE_SECONDS
        os.utime(local.path(digest), (used, used))
    store.path(digests[2])  # used again just now
    store._shrink()
    assert [local.exists(digest) for digest in digests] == [False, False, True, True]
    RemoteStore(tmp_path, "http://127.0.0.1:9", "x", 0)._shrink()
    assert [local.exists(digest) for digest in digests[2:]] == [True, True], "what is in use stays"


def test_the_settings_choose_the_store(tmp_path: Path):
    base = {"STORE_DIR": str(tmp_path), "STORE_URL": "https://synops.example/"}
    store = FileStore.from_environment({**base, "STORE_TOKEN": "synops_x"})
    assert isinstance(store, RemoteStore)
    (tmp_path / "token").write_text("synops_x\n")
    assert isinstance(FileStore.from_environment({**base, "STORE_TOKEN_FILE": str(tmp_path / "token")}), RemoteStore)
    for more, said in (
        ({}, "STORE_TOKEN is not"),
        ({"STORE_TOKEN_FILE": str(tmp_path / "none")}, "can't be read"),
        ({"STORE_TOKEN": "x", "STORE_CACHE_MB": "much"}, "number of megabytes"),
    ):
        with pytest.raises(StoreRefused, match=said):
            FileStore.from_environment({**base, **more})
    assert not isinstance(FileStore.from_environment({"STORE_DIR": str(tmp_path)}), RemoteStore)
