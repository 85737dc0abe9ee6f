from __future__ import annotations

import calendar
import io
import xml.etree.ElementTree as ET
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from uuid import UUID

import feedparser
import pytest
from django.db import connection, transaction

from synops.demo.data import ENDED_AT, RECORDING, DemoNodes, demo_id
from synops.store.edges import Edge, insert_edge
from synops.store.nodes import Node, insert_node, update_node
from synops.tools.feed import ITUNES, PODCAST, Episode, Podcast, podcast_guid, write
from tests.tools.conftest import Outcome, Workshop, rows, running_job

SRT = b"1\n00:00:00,000 --> 00:00:01,000\nHei\n\n"


def publish(workshop: Workshop, demo: DemoNodes, **environ: str) -> Outcome:
    job = running_job(demo.collection, "rss")
    return workshop.run("synops-rss", f"--collection-id={demo.collection}", "--write", **job, **environ)


def add_episode(workshop: Workshop, name: str, belonging: dict[str, Any] | None = None, **metadata: Any) -> UUID:
    """An article of the demo's collection with sound of its own."""
    sound = workshop.store.put_bytes(b"ID3" + name.encode() * 50)
    node, media = demo_id(name), demo_id(f"{name} media")
    with transaction.atomic(), connection.cursor() as cur:
        insert_node(cur, Node(node, "content", name, f"Om {name}", metadata))
        insert_node(cur, Node(media, "media", name, "", {"cas_hash": sound.digest, "mime": "audio/mpeg"}))
        insert_edge(cur, Edge(node, "belongs_to", demo_id("collection"), belonging or {}))
        insert_edge(cur, Edge(node, "has_media", media))
    return node


def give_transcript(workshop: Workshop, demo: DemoNodes) -> str:
    digest = workshop.store.put_bytes(SRT).digest
    with connection.cursor() as cur:
        update_node(cur, demo.media, metadata={"transcript": {"srt_hash": digest, "language": "en"}})
        insert_node(cur, Node(demo_id("summary"), "content", "Summary", "What it is about."))
        insert_edge(cur, Edge(demo_id("summary"), "summary", demo.communication))
    return digest


def published(workshop: Workshop) -> dict[str, Path]:
    folder = workshop.root / "var" / "public" / "demo"
    return {str(path.relative_to(folder)): path for path in folder.rglob("*") if path.is_file()}


def test_the_feed_is_what_an_independent_reader_reads(database_workshop: Workshop, demo: DemoNodes) -> None:
    transcript = give_transcript(database_workshop, demo)
    result = publish(database_workshop, demo, PUBLISH_URL="https://pod.example.org/public/").result
    feed = feedparser.parse(io.BytesIO(Path(result["feed_path"]).read_bytes()))
    assert not feed.bozo
    assert (feed.feed.title, feed.feed.language, feed.feed.author) == ("Demo", "en", "Synops")
    assert feed.feed.link == "https://pod.example.org/public/demo/"
    [entry] = feed.entries
    assert (entry.title, entry.summary) == ("Sense and Sensibility, chapter 1", "What it is about.")
    assert (entry.id, entry.guidislink) == (str(demo.communication), False)
    assert calendar.timegm(entry.published_parsed) == datetime.fromisoformat(ENDED_AT).timestamp()
    assert entry.itunes_duration == "27"
    [sound] = entry.enclosures
    assert sound.href == f"https://pod.example.org/public/demo/episodes/{demo.cas_hash}.mp3"
    assert (sound.type, sound.length) == ("audio/mpeg", str(RECORDING.stat().st_size))
    assert result["feed_url"] == "https://pod.example.org/public/demo/feed.xml"
    assert (result["episode_count"], result["left_out"]) == (1, [])
    assert set(published(database_workshop)) == {
        "feed.xml",
        f"episodes/{demo.cas_hash}.mp3",
        f"transcripts/{transcript}.srt",
    }
    assert published(database_workshop)[f"transcripts/{transcript}.srt"].read_bytes() == SRT


def test_the_feed_keeps_the_rules_of_directories(database_workshop: Workshop, demo: DemoNodes) -> None:
    """What Apple's and the Podcasting 2.0 pages ask for, which no parser checks."""
    transcript = give_transcript(database_workshop, demo)
    result = publish(database_workshop, demo).result
    data = Path(result["feed_path"]).read_bytes()
    assert data.startswith(b"<?xml version='1.0' encoding='utf-8'?>")
    root = ET.fromstring(data)
    assert (root.tag, root.get("version"), len(root)) == ("rss", "2.0", 1)
    channel = root[0]

    def text(tag: str, within: ET.Element = channel) -> str | None:
        [element] = within.findall(tag)
        return element.text

    assert [text(tag) for tag in ("title", "description", "language")] == [
        "Demo",
        channel.findtext("description"),
        "en",
    ]
    assert text(f"{{{ITUNES}}}explicit") == "false"
    assert text(f"{{{ITUNES}}}type") == "episodic"
    assert text(f"{{{ITUNES}}}owner/{{{ITUNES}}}email") == "demo@example.org"
    [category] = channel.findall(f"{{{ITUNES}}}category")
    assert (category.get("text"), category[0].get("text")) == ("Arts", "Books")
    [link] = channel.findall("{http://www.w3.org/2005/Atom}link")
    assert (link.get("rel"), link.get("href"), link.get("type")) == ("self", result["feed_url"], "application/rss+xml")
    assert text(f"{{{PODCAST}}}guid") == result["guid"] == podcast_guid(result["feed_url"])
    assert text(f"{{{PODCAST}}}medium") == "podcast"
    [item] = channel.findall("item")
    assert text("lastBuildDate") == text("pubDate") == text("pubDate", item) == "Mon, 05 Jan 2026 09:30:00 +0000"
    assert text(f"{{{ITUNES}}}episodeType", item) == "full"
    [spoken] = item.findall(f"{{{PODCAST}}}transcript")
    assert spoken.attrib == {
        "url": f"http://127.0.0.1:8000/public/demo/transcripts/{transcript}.srt",
        "type": "application/x-subrip",
        "language": "en",
        "rel": "captions",
    }


def test_the_same_podcast_gives_the_same_bytes(database_workshop: Workshop, demo: DemoNodes) -> None:
    one = publish(database_workshop, demo).result
    before = {name: (path.read_bytes(), path.stat().st_ino) for name, path in published(database_workshop).items()}
    two = publish(database_workshop, demo).result
    after = {name: (path.read_bytes(), path.stat().st_ino) for name, path in published(database_workshop).items()}
    assert one == two
    assert {name: data for name, (data, _) in before.items()} == {name: data for name, (data, _) in after.items()}
    sound = f"episodes/{demo.cas_hash}.mp3"
    assert before[sound] == after[sound]
    assert database_workshop.store.path(demo.cas_hash).stat().st_ino == after[sound][1]


def test_the_identity_of_a_podcast_survives_a_new_address(database_workshop: Workshop, demo: DemoNodes) -> None:
    first = publish(database_workshop, demo, PUBLISH_URL="https://old.example.org").result
    second = publish(database_workshop, demo, PUBLISH_URL="https://new.example.org").result
    assert first["guid"] == second["guid"] == podcast_guid("https://old.example.org/demo/feed.xml")
    assert second["feed_url"] == "https://new.example.org/demo/feed.xml"
    [(author,)] = rows("SELECT metadata #>> '{podcast,author}' FROM nodes WHERE id = %s", demo.collection)
    assert author == "Synops"


def test_only_what_is_over_or_published_is_an_episode(database_workshop: Workshop, demo: DemoNodes) -> None:
    with connection.cursor() as cur:
        update_node(cur, demo.communication, metadata={"ended_at": None})
    soon = (datetime.now(UTC) + timedelta(days=1)).isoformat(timespec="seconds")
    add_episode(database_workshop, "draft")
    shown = add_episode(database_workshop, "shown", {"slot": "front", "published_at": "2026-02-01T08:00:00+01:00"})
    later = add_episode(database_workshop, "later", {"slot": "front", "publish_at": soon})
    hidden = add_episode(database_workshop, "hidden", {"slot": "front"}, excluded_from_feed=True)
    result = publish(database_workshop, demo).result
    feed = feedparser.parse(io.BytesIO(Path(result["feed_path"]).read_bytes()))
    assert [entry.id for entry in feed.entries] == [str(shown)]
    assert feed.entries[0].published == "Sun, 01 Feb 2026 07:00:00 +0000"
    assert sorted(item["node_id"] for item in result["left_out"]) == sorted([str(later), str(hidden)])
    assert {item["reason"] for item in result["left_out"]} == {f"to be published {soon}", "excluded from the feed"}


def test_episodes_come_newest_first_and_a_missing_file_is_told(database_workshop: Workshop, demo: DemoNodes) -> None:
    add_episode(database_workshop, "a", {"slot": "x", "published_at": "2025-01-01T00:00:00Z"})
    add_episode(database_workshop, "b", {"slot": "x", "published_at": "2027-13-45"}, ended_at="2026-06-01T00:00:00")
    lost = add_episode(database_workshop, "lost", {"slot": "x"})
    digest = database_workshop.store.put_bytes(b"ID3" + b"lost" * 50).digest
    database_workshop.store.path(digest).unlink()
    result = publish(database_workshop, demo).result
    feed = feedparser.parse(io.BytesIO(Path(result["feed_path"]).read_bytes()))
    assert [entry.title for entry in feed.entries] == ["b", "Sense and Sensibility, chapter 1", "a"]
    assert result["left_out"] == [{"node_id": str(lost), "reason": "its sound file is not in the file store"}]


def test_texts_can_not_break_the_feed(database_workshop: Workshop, demo: DemoNodes) -> None:
    with connection.cursor() as cur:
        update_node(
            cur, demo.communication, title="<b>&amp; ]]> \x0b\x1f\ufffe \U0001f399", content="<script>alert(1)</script>"
        )
    result = publish(database_workshop, demo).result
    feed = feedparser.parse(io.BytesIO(Path(result["feed_path"]).read_bytes()), sanitize_html=False)
    assert not feed.bozo
    assert feed.entries[0].title == "<b>&amp; ]]> \ufffd\ufffd\ufffd \U0001f399"
    assert feed.entries[0].summary == "<script>alert(1)</script>"


def test_without_write_the_feed_is_shown_and_nothing_published(database_workshop: Workshop, demo: DemoNodes) -> None:
    result = database_workshop.run("synops-rss", f"--collection-id={demo.collection}").result
    assert result["feed_path"] is None
    assert len(feedparser.parse(result["feed"]).entries) == 1
    assert published(database_workshop) == {}
    assert rows("SELECT metadata #>> '{podcast,guid}' FROM nodes WHERE id = %s", demo.collection) == [(None,)]


def test_a_collection_that_is_no_podcast_stays_private(database_workshop: Workshop, demo: DemoNodes) -> None:
    with connection.cursor() as cur:
        update_node(cur, demo.collection, metadata={"traits": ["chat"]})
    done = publish(database_workshop, demo)
    assert done.code == 78
    assert 'add "podcast" to its traits' in done.stderr
    assert published(database_workshop) == {}


def test_a_collection_that_publishes_has_a_feed_of_its_articles_and_of_nothing_else(
    database_workshop: Workshop, demo: DemoNodes
) -> None:
    with connection.cursor() as cur:
        update_node(cur, demo.collection, metadata={"traits": ["publishing"]})
    place = {"slot": "main", "published_at": "2026-02-01T08:00:00+01:00"}
    node = add_episode(database_workshop, "Sak & <b>", place, author="Kari")
    later = add_episode(database_workshop, "Senere", {"slot": "main", "publish_at": "2999-01-01T00:00:00Z"})
    with connection.cursor() as cur:
        update_node(cur, node, content="# Ut\n\n*Tekst* <script>x</script> ]]>")
    result = publish(database_workshop, demo).result
    before = Path(result["feed_path"]).read_bytes()
    assert publish(database_workshop, demo).result == result
    assert list(published(database_workshop)) == ["feed.xml"]
    assert Path(result["feed_path"]).read_bytes() == before
    feed = feedparser.parse(io.BytesIO(before), sanitize_html=False)
    [entry] = feed.entries
    assert not feed.bozo
    assert (entry.title, entry.id, entry.author, entry.published) == (
        "Sak & <b>",
        str(node),
        "Kari",
        "Sun, 01 Feb 2026 07:00:00 +0000",
    )
    assert entry.content[0].value == "<h2>Ut</h2>\n<p><em>Tekst</em>  ]]&gt;</p>"
    assert entry.link == f"http://127.0.0.1:8000/public/demo/articles/sak-b-{str(node)[-8:]}.html"
    assert (result["article_count"], result["episode_count"], result["guid"]) == (1, 0, None)
    assert [item["node_id"] for item in result["left_out"]] == [str(later)]
    with connection.cursor() as cur:
        update_node(cur, demo.collection, metadata={"traits": ["publishing", "podcast"]})
    both = publish(database_workshop, demo).result
    assert [url.rpartition("/")[2] for url in both["feed_urls"]] == ["feed.xml", "articles.xml"]
    assert feedparser.parse(io.BytesIO(published(database_workshop)["articles.xml"].read_bytes())).entries[0].id == str(
        node
    )


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("https://podnews.net/rss", "9b024349-ccf0-5f69-a609-6b82873eab3c"),
        ("http://podnews.net/rss/", "9b024349-ccf0-5f69-a609-6b82873eab3c"),
        ("https://mp3s.nashownotes.com/pc20rss.xml", "917393e3-1b1e-5cef-ace4-edaa54e1f810"),
    ],
)
def test_the_guid_vectors_of_the_specification(url: str, expected: str) -> None:
    assert podcast_guid(url) == expected


def test_optional_tags_appear_only_when_there_is_something_to_say() -> None:
    episode = Episode("g", "t", "", datetime(2026, 1, 1, tzinfo=UTC), "https://x/e.mp3", 5, "audio/mpeg")
    bare = write(Podcast("g", "t", "", "nb", "https://x/feed.xml", "https://x/", "a", episodes=(episode,))).decode()
    for tag in (
        "owner",
        "image",
        "category",
        "duration",
        "season",
        "itunes:episode>",
        "transcript",
        "copyright",
        "locked",
    ):
        assert tag not in bare
    assert write(Podcast("g", "t", "d", "nb", "https://x/feed.xml", "https://x/", "a")).count(b"Date>") == 0
