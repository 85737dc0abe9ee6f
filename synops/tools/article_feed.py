"""The feed of a collection's articles as bytes: RSS 2.0 with their whole text. Pure: the same articles, the same bytes."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from collections.abc import Sequence
from typing import Final

from synops.tools.feed_xml import ATOM, add, begin, date, document, name, optional
from synops.tools.website import Article, Feed, Site

CONTENT: Final = "http://purl.org/rss/1.0/modules/content/"
CREATOR: Final = "http://purl.org/dc/elements/1.1/"
#: Readers poll feeds: older articles are on the website.
LONGEST: Final = 50


def write(site: Site, feed: Feed, articles: Sequence[Article]) -> bytes:
    """The newest articles, newest first. Its dates are the articles', never the time of writing."""
    rss, channel = begin({"atom": ATOM, "content": CONTENT, "dc": CREATOR})
    newest = sorted(articles, key=lambda article: (-article.published.timestamp(), str(article.id)))[:LONGEST]
    add(channel, "title", feed.title)
    add(channel, "link", site.url)
    add(channel, "description", site.description or site.title)
    add(channel, "language", site.language)
    add(channel, "generator", "Synops")
    add(channel, name(ATOM, "link"), href=feed.url, rel="self", type="application/rss+xml")
    if newest:
        add(channel, "pubDate", date(newest[0].published))
        add(channel, "lastBuildDate", date(newest[0].published))
    for article in newest:
        _item(add(channel, "item"), article)
    return document(rss)


def _item(item: ET.Element, article: Article) -> None:
    add(item, "title", article.title)
    add(item, "link", article.url)
    add(item, "guid", str(article.id), isPermaLink="false")
    add(item, "pubDate", date(article.published))
    optional(item, name(CREATOR, "creator"), article.author)
    for topic in article.topics:
        add(item, "category", topic)
    add(item, "description", article.lead or article.title)
    add(item, name(CONTENT, "encoded"), str(article.body))
