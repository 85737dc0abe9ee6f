"""All feeds of a collection: its podcast where it is one, its articles where it publishes, and the files that they name."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from synops.store.articles import article_rows
from synops.store.collections import CollectionConfig
from synops.store.episodes import database_now
from synops.store.sql import Cursor
from synops.tools import article_feed, feed
from synops.tools.podcast import assemble
from synops.tools.publishing import PublicFolder
from synops.tools.website import feed_names, shown_articles, site_of


@dataclass
class Feeds:
    """`documents`: name → bytes. `files`: published name → stored file. `guid` is the podcast's; empty without one."""

    folder: PublicFolder
    documents: dict[str, bytes] = field(default_factory=dict)
    files: dict[str, Path] = field(default_factory=dict)
    guid: str = ""
    episode_count: int = 0
    article_count: int = 0
    left_out: list[dict[str, str]] = field(default_factory=list)

    def result(self) -> dict[str, Any]:
        """What the tool reports."""
        return {
            "feed_path": None,
            "feed_url": self.folder.address(next(iter(self.documents))),
            "feed_urls": [self.folder.address(name) for name in self.documents],
            "guid": self.guid or None,
            "episode_count": self.episode_count,
            "article_count": self.article_count,
            "left_out": self.left_out,
        }


def make_feeds(cur: Cursor, collection: CollectionConfig, environ: Mapping[str, str]) -> Feeds:
    """Read what is published in a collection and write its feeds, in memory. A collection without the traits has none."""
    made = Feeds(PublicFolder(environ, collection.slug))
    if "podcast" in collection.traits:
        _add_podcast(made, cur, collection, environ)
    if "publishing" in collection.traits:
        _add_articles(made, cur, collection, environ)
    return made


def _add_podcast(made: Feeds, cur: Cursor, collection: CollectionConfig, environ: Mapping[str, str]) -> None:
    found = assemble(cur, collection, environ)
    made.documents["feed.xml"] = feed.write(found.podcast)
    made.files |= found.files
    made.guid = found.podcast.guid
    made.episode_count = len(found.podcast.episodes)
    made.left_out += found.left_out


def _add_articles(made: Feeds, cur: Cursor, collection: CollectionConfig, environ: Mapping[str, str]) -> None:
    site = site_of(collection, environ, None)
    articles, left_out = shown_articles(article_rows(cur, collection.id), site, database_now(cur))
    # The last name is the articles'; so is the last feed of the site.
    made.documents[feed_names(collection.traits)[-1]] = article_feed.write(site, site.feeds[-1], articles)
    made.article_count = len(articles)
    made.left_out += left_out
