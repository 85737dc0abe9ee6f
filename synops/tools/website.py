"""From the graph to a collection's pages: which articles are published now, where each lies, and what stands in it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import cached_property
from pathlib import Path
from typing import Any, Final
from uuid import UUID
from zoneinfo import ZoneInfo

from markupsafe import Markup

from synops.store.articles import ArticleRow
from synops.store.collections import CollectionConfig, folder_name
from synops.store.files import FileStore
from synops.store.locations import DEFAULT_TIME_ZONE
from synops.store.mediatype import media_type
from synops.store.metadata import moment, text
from synops.tools.failures import BadInput
from synops.tools.markdown import plain, shortened, to_html
from synops.tools.publishing import PublicFolder
from synops.tools.templating import DEFAULT_THEME, Templates

ARTICLES: Final = "articles"
FILES: Final = "files"
PAGE_SIZE: Final = 50
LONGEST_TEXT: Final = 1_000_000
LONGEST_LEAD: Final = 240
LEAD_FROM: Final = 3_000
#: The slot whose newest article leads the front page.
TOP_SLOT: Final = "top"
# What pages show, by the file's own bytes. No SVG: it can hold scripts.
SHOWN: Final = {
    "image/png": "png",
    "image/jpeg": "jpg",
    "image/gif": "gif",
    "image/webp": "webp",
    "audio/mpeg": "mp3",
    "audio/ogg": "ogg",
    "audio/wav": "wav",
    "audio/flac": "flac",
}
_PATH = re.compile(r"articles/[a-z0-9][a-z0-9-]*\.html")


@dataclass(frozen=True)
class Feed:
    """A feed that the pages point to."""

    title: str
    url: str


@dataclass(frozen=True)
class Asset:
    """A published file that a page shows."""

    name: str
    url: str
    title: str
    stored: Path

    def shown(self) -> dict[str, str]:
        """What templates get of it."""
        return {"url": self.url, "title": self.title}


@dataclass(frozen=True)
class Article:
    """One published text. `path` is its page within the collection's folder, `lead` its beginning as plain text."""

    id: UUID
    path: str
    url: str
    title: str
    author: str
    language: str
    published: datetime
    slot: str
    lead: str
    content: str
    topics: tuple[str, ...]
    image: Asset | None
    reading: Asset | None
    top: bool = False

    @cached_property
    def body(self) -> Markup:
        """The text as clean HTML; made when it is asked for, because an index of thousands shows none."""
        return Markup(to_html(self.content))  # noqa: S704 cleaned by nh3

    def shown(self) -> dict[str, Any]:
        """What templates get of it: values alone. A collection's own template must reach no method of ours."""
        return {
            "title": self.title,
            "url": self.url,
            "author": self.author,
            "language": self.language,
            "published": self.published,
            "slot": self.slot,
            "top": self.top,
            "lead": self.lead,
            "topics": list(self.topics),
            "image": self.image and self.image.shown(),
            "reading": self.reading and self.reading.shown(),
        }

    @property
    def assets(self) -> tuple[Asset, ...]:
        """The files that its page shows."""
        return tuple(asset for asset in (self.image, self.reading) if asset)


@dataclass(frozen=True)
class Page:
    """One page of the index; `newer` and `older` are addresses, empty at the ends."""

    number: int
    name: str
    url: str
    articles: tuple[Article, ...]
    newer: str = ""
    older: str = ""


@dataclass(frozen=True)
class Site:
    """What stands on every page of a collection, and how it looks."""

    folder: PublicFolder
    store: FileStore
    templates: Templates
    title: str
    description: str
    language: str
    feeds: tuple[Feed, ...]
    style: Markup
    url: str

    def article_page(self, article: Article) -> bytes:
        """The page of one article."""
        return self.templates.page("article", site=self._shown(), article={**article.shown(), "body": article.body})

    def index_page(self, page: Page) -> bytes:
        """One page of the index."""
        shown = {
            "number": page.number,
            "url": page.url,
            "newer": page.newer,
            "older": page.older,
            "articles": [article.shown() for article in page.articles],
        }
        return self.templates.page("index", site=self._shown(), page=shown)

    def _shown(self) -> dict[str, Any]:
        return {
            "title": self.title,
            "description": self.description,
            "language": self.language,
            "url": self.url,
            "style": self.style,
            "feeds": [{"title": feed.title, "url": feed.url} for feed in self.feeds],
        }


def site_of(collection: CollectionConfig, environ: Mapping[str, str], theme: str | None) -> Site:
    """A collection's site; `theme` overrides the collection's own. Raises BadUsage for an unknown theme."""
    folder = PublicFolder(environ, collection.slug)
    zone = ZoneInfo(environ.get("TIME_ZONE") or DEFAULT_TIME_ZONE)
    templates = Templates(collection.language, zone, collection.templates)
    return Site(
        folder=folder,
        store=FileStore.from_environment(environ),
        templates=templates,
        title=collection.title,
        description=plain(to_html(collection.description)),
        language=collection.language,
        feeds=tuple(Feed(collection.title, folder.address(name)) for name in feed_names(collection.traits)),
        style=templates.style(theme or collection.theme or DEFAULT_THEME),
        url=folder.address("index.html"),
    )


def feed_names(traits: Sequence[str]) -> list[str]:
    """The feeds of a collection: `feed.xml` is its podcast, where it is one, and then its articles have another name."""
    podcast, publishing = "podcast" in traits, "publishing" in traits
    articles = ["articles.xml" if podcast else "feed.xml"] if publishing else []
    return (["feed.xml"] if podcast else []) + articles


def published_at(row: ArticleRow) -> datetime:
    """When an article is or was published: as its edge says, else when it got there."""
    return moment(row.belonging.get("publish_at")) or moment(row.belonging.get("published_at")) or row.placed_at


def reason_against(row: ArticleRow, now: datetime) -> str:
    """Why an article has no page now; empty = it has one."""
    if (published := published_at(row)) > now:
        return f"to be published {published.isoformat()}"
    return ""


def shown_articles(rows: Iterable[ArticleRow], site: Site, now: datetime) -> tuple[list[Article], list[dict[str, str]]]:
    """The articles that the public may see at `now`, and those left out with the reason: one keeps out none of the others."""
    shown, left_out = [], []
    for row in rows:
        reason = reason_against(row, now)
        try:
            if not reason:
                shown.append(article_of(row, site))
        except BadInput as error:
            reason = str(error)
        if reason:
            left_out.append({"node_id": str(row.id), "reason": reason})
    return shown, left_out


def article_of(row: ArticleRow, site: Site) -> Article:
    """What is shown of an article. Raises BadInput for a text that is too long for one page."""
    if len(row.content) > LONGEST_TEXT:
        raise BadInput(f'"{row.title}" ({row.id}) has {len(row.content)} characters; a page takes {LONGEST_TEXT}')
    beginning = text(row.metadata.get("lead")) or plain(to_html(row.content[:LEAD_FROM]))
    path = path_of(row)
    return Article(
        id=row.id,
        path=path,
        url=site.folder.address(path),
        title=row.title.strip() or shortened(beginning, 60) or str(row.id),
        author=text(row.metadata.get("author")),
        language=text(row.metadata.get("language")) or site.language,
        published=published_at(row),
        slot=text(row.belonging.get("slot")),
        lead=shortened(beginning, LONGEST_LEAD),
        content=row.content,
        topics=row.topics,
        image=_asset(row, site, "image/", ""),
        reading=_asset(row, site, "audio/", str(row.id)),
    )


def path_of(row: ArticleRow) -> str:
    """Where an article's page lies: given once, by its slug or title, and kept on its edge when these change."""
    kept = row.belonging.get("path")
    if isinstance(kept, str) and _PATH.fullmatch(kept):
        return kept
    return f"{ARTICLES}/{folder_name(None, text(row.metadata.get('slug')) or row.title, row.id)}.html"


def index_pages(articles: Sequence[Article], site: Site) -> Iterator[Page]:
    """The pages of the index, newest article first, the newest with the slot `top` before all; at least one page."""
    ordered = _in_order(articles)
    count = max(1, -(-len(ordered) // PAGE_SIZE))
    names = ["index.html", *(f"page-{number}.html" for number in range(2, count + 1))]
    for at, name in enumerate(names):
        yield Page(
            number=at + 1,
            name=name,
            url=site.folder.address(name),
            articles=tuple(ordered[at * PAGE_SIZE : (at + 1) * PAGE_SIZE]),
            newer=site.folder.address(names[at - 1]) if at else "",
            older=site.folder.address(names[at + 1]) if at + 1 < count else "",
        )


def _in_order(articles: Sequence[Article]) -> list[Article]:
    ordered = sorted(articles, key=lambda article: (-article.published.timestamp(), str(article.id)))
    leading = next((article for article in ordered if article.slot == TOP_SLOT), None)
    if leading is None:
        return ordered
    return [replace(leading, top=True), *(article for article in ordered if article is not leading)]


def _asset(row: ArticleRow, site: Site, kind: str, speech_of: str) -> Asset | None:
    """The article's first picture; of sound only its own reading: a recording must not become public by a slip."""
    for data in row.media:
        digest = text(data.get("cas_hash"))
        if text(data.get("speech_of")) != speech_of or not site.store.exists(digest):
            continue
        if extension := _shown(site.store, digest, kind):
            name = f"{FILES}/{digest}.{extension}"
            return Asset(name, site.folder.address(name), text(data.get("title")), site.store.path(digest))
    return None


def _shown(store: FileStore, digest: str, kind: str) -> str | None:
    with store.open(digest) as stream:
        found: Any = media_type(stream.read(4096))
    return SHOWN.get(found) if found.startswith(kind) else None
