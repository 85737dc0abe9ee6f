"""/public/: files as they are, ranges and conditions, no way out of the folder, no database."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest
from django.test import AsyncClient


@pytest.fixture(autouse=True)
def folder(settings: Any, tmp_path: Path) -> Path:
    root = tmp_path / "public"
    (root / "podcast").mkdir(parents=True)
    (root / "podcast" / "feed.xml").write_text("<rss>Æøå</rss>", encoding="utf-8")
    (root / "podcast" / "episode 1.mp3").write_bytes(bytes(range(256)) * 4)
    (root / "podcast" / ".hidden").write_text("hidden")
    (tmp_path / "secret.txt").write_text("secret")
    (root / "podcast" / "link.txt").symlink_to(tmp_path / "secret.txt")
    settings.PUBLISH_DIR = root
    return root


def get(path: str, method: str = "get", **headers: str) -> tuple[Any, bytes]:
    async def ask() -> tuple[Any, bytes]:
        response = await getattr(AsyncClient(), method)(f"/public/{path}", headers=headers)
        if not response.streaming:
            return response, response.content
        return response, b"".join([piece async for piece in response.streaming_content])

    return asyncio.run(ask())


def test_a_file_comes_whole_with_its_type():
    response, body = get("podcast/feed.xml")
    assert (response.status_code, body.decode()) == (200, "<rss>Æøå</rss>")
    assert response["Content-Type"] == "application/rss+xml; charset=utf-8"
    assert response["Content-Length"] == str(len(body))


@pytest.mark.parametrize(
    ("name", "content_type"),
    [
        ("a.rss", "application/rss+xml; charset=utf-8"),
        ("a.srt", "application/x-subrip; charset=utf-8"),
        ("a.MP3", "audio/mpeg"),
        ("a.html", "text/html; charset=utf-8"),
        ("a.exe", "application/octet-stream"),
    ],
)
def test_types_are_the_same_on_every_machine(folder: Path, name: str, content_type: str):
    (folder / name).write_text("x")
    response, _ = get(name)
    assert response["Content-Type"] == content_type
    assert response["X-Content-Type-Options"] == "nosniff"
    assert ("Content-Disposition" in response) == name.endswith("exe")


@pytest.mark.parametrize(
    "path",
    [
        "",
        "podcast",
        "podcast/",
        "podcast/missing.mp3",
        "podcast/.hidden",
        "podcast/link.txt",
        "../secret.txt",
        "podcast/../../secret.txt",
        "podcast/..%2f..%2fsecret.txt",
        "%2e%2e/secret.txt",
        "podcast/%00",
        "podcast\\feed.xml",
        "//etc/passwd",
        "podcast//feed.xml",
        "x" * 5000,
    ],
)
def test_there_is_no_listing_and_no_way_out(path: str):
    response, body = get(path)
    assert response.status_code == 404
    assert b"secret" not in body


def test_a_folders_address_is_its_first_page(folder: Path):
    (folder / "avis").mkdir()
    (folder / "avis" / "index.html").write_text("<h1>Forside</h1>")
    response, body = get("avis/")
    assert (response.status_code, body) == (200, b"<h1>Forside</h1>")
    assert response["Content-Type"].startswith("text/html")
    assert get("avis")[0].status_code == 404


@pytest.mark.parametrize(
    ("wanted", "first", "last"),
    [("bytes=0-0", 0, 0), ("bytes=100-199", 100, 199), ("bytes=1000-", 1000, 1023), ("bytes=-24", 1000, 1023),
     ("bytes=1000-9999", 1000, 1023), ("bytes=-9999", 0, 1023)],
)  # fmt: skip
def test_players_can_seek(wanted: str, first: int, last: int):
    response, body = get("podcast/episode 1.mp3", range=wanted)
    assert response.status_code == 206
    assert response["Content-Range"] == f"bytes {first}-{last}/1024"
    assert body == (bytes(range(256)) * 4)[first : last + 1]
    assert response["Content-Length"] == str(len(body))


def test_a_range_behind_the_end_is_refused_and_a_strange_one_ignored():
    response, _ = get("podcast/episode 1.mp3", range="bytes=1024-")
    assert (response.status_code, response["Content-Range"]) == (416, "bytes */1024")
    for strange in ("bytes=-", "lines=1-2", "bytes=0-1,5-6", "bytes=x-y"):
        response, body = get("podcast/episode 1.mp3", range=strange)
        assert (response.status_code, len(body)) == (200, 1024)


def test_a_range_of_another_version_gives_the_whole_file():
    response, body = get("podcast/episode 1.mp3", **{"range": "bytes=0-0", "if-range": '"old"'})
    assert (response.status_code, len(body)) == (200, 1024)


def test_feed_readers_get_304_until_the_file_changes(folder: Path):
    response, _ = get("podcast/feed.xml")
    again, body = get("podcast/feed.xml", **{"if-none-match": response["ETag"]})
    assert (again.status_code, body) == (304, b"")
    (folder / "podcast" / "feed.xml").write_text("<rss>new</rss>")
    changed, _ = get("podcast/feed.xml", **{"if-none-match": response["ETag"]})
    assert changed.status_code == 200


def test_head_says_the_length_and_sends_nothing():
    response, body = get("podcast/episode 1.mp3", "head")
    assert (response.status_code, response["Content-Length"], body) == (200, "1024", b"")
    response, _ = get("podcast/feed.xml", "post")
    assert response.status_code == 405


def test_published_pages_run_no_script(folder: Path):
    (folder / "page.html").write_text("<script>alert(1)</script>")
    response, _ = get("page.html")
    assert "sandbox" in response["Content-Security-Policy"]
    assert "default-src 'none'" in response["Content-Security-Policy"]


def test_it_can_be_turned_off(settings: Any):
    settings.PUBLISH_SERVE = False
    response, _ = get("podcast/feed.xml")
    assert response.status_code == 404
