"""The tools that publish, tell people, keep pages of the web, and count listeners."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from tests.benchmarks.tools.workplace import DATA, Row, Workplace
from tests.tools.access_log import write_log
from tests.tools.strange_server import response, strange_server

ARTICLES = 1_000
PEOPLE = 100
LOG_LINES = 50_000
RIGHT = {"title": "Vil bygge skole", "author": "Anne Journalist", "published": "2026-10-12", "language": "nb"}


def newsroom(place: Workplace) -> Iterator[Row]:
    article = f"--node-id={place.article}"
    published = place.run("synops-publish", article, "--write")
    yield Row("synops-publish", "one article", published, f"slot {published.result['slot']}")
    page = place.run("synops-render", article, "--write")
    size = Path(page.result["path"]).stat().st_size
    yield Row("synops-render", "one article", page, f"{size:,} bytes of HTML")
    place.add_all([f"Sak {number}" for number in range(ARTICLES)], place.text)
    collection = place.demo.collection
    index = place.run("synops-render", f"--node-id={collection}", "--target=index", "--write")
    what = f"the index and the pages of {ARTICLES:,} articles"
    yield Row("synops-render", what, index, f"{index.result['page_count']} pages")
    feed = place.run("synops-rss", f"--collection-id={collection}", "--write")
    items = f"{feed.result['episode_count']} episodes, {feed.result['article_count']} articles"
    yield Row("synops-rss", f"a podcast and a feed of {ARTICLES:,} articles", feed, items)
    place.add_people(PEOPLE)
    told = place.run("synops-notify", "--recipients=members", article, "--write")
    yield Row("synops-notify", f"{PEOPLE} people, no mail server", told, f"{told.result['notified']} notices")
    yield _clip(place)
    yield _counts(place)


def _clip(place: Workplace) -> Row:
    with strange_server() as server:
        server.answers["/sak"] = response((DATA / "page.html").read_bytes())
        kept = place.run("synops-clip", f"--url={server.url('/sak')}", SYNOPS_CLIP_ALLOWED_HOSTS=server.address)
    hits = sum(kept.result[key] == value for key, value in RIGHT.items())
    return Row("synops-clip", "a page of a newspaper, from this machine", kept, f"{hits} of {len(RIGHT)} facts right")


def _counts(place: Workplace) -> Row:
    log = place.home.folder / "access.log"
    write_log(log, f"/public/demo/episodes/{place.demo.cas_hash}.mp3", LOG_LINES)
    done = place.run("synops-stats", f"--log={log}", "--write")
    rate, counted = LOG_LINES / done.seconds, done.result["downloads"]
    what = f"{LOG_LINES:,} lines of new listeners"
    return Row("synops-stats", what, done, f"{rate:,.0f} lines/s, {counted:,} downloads")
