"""A podcast feed as bytes: RSS 2.0 with Apple's and the Podcasting 2.0 tags. Pure: the same podcast gives the same bytes.

Our own writer, because feedgen refuses `itunes:explicit` true|false, has no `podcast:` tags, and stamps the time of day.
"""

from __future__ import annotations

import xml.etree.ElementTree as ET
from dataclasses import dataclass
from datetime import datetime
from typing import Final
from urllib.parse import urlsplit
from uuid import UUID, uuid5

from synops.tools.feed_xml import ATOM, add, begin, date, document, name, optional

ITUNES: Final = "http://www.itunes.com/dtds/podcast-1.0.dtd"
PODCAST: Final = "https://podcastindex.org/namespace/1.0"
# The namespace that the Podcasting 2.0 specification gives for podcast:guid.
GUID_NAMESPACE: Final = UUID("ead4c236-bf58-58c6-a2c6-a6b28d128cb6")


@dataclass(frozen=True, slots=True)
class Transcript:
    """A subtitle file beside an episode."""

    url: str
    media_type: str
    language: str


@dataclass(frozen=True, slots=True)
class Episode:
    """One item. `length` is the enclosure's size in bytes, `duration` is in seconds, `published` has a time zone."""

    guid: str
    title: str
    description: str
    published: datetime
    url: str
    length: int
    media_type: str
    duration: float | None = None
    transcript: Transcript | None = None
    season: int | None = None
    number: int | None = None
    explicit: bool = False


@dataclass(frozen=True, slots=True)
class Podcast:
    """The channel. `feed_url` is the feed's own address, `link` the page that it is about."""

    guid: str
    title: str
    description: str
    language: str
    feed_url: str
    link: str
    author: str
    owner_name: str = ""
    owner_email: str = ""
    category: str = ""
    subcategory: str = ""
    image: str = ""
    copyright: str = ""
    explicit: bool = False
    episodes: tuple[Episode, ...] = ()


def podcast_guid(feed_url: str) -> str:
    """The identity of a podcast: made from its first address without scheme and closing slash, then kept for ever."""
    parts = urlsplit(feed_url)
    return str(uuid5(GUID_NAMESPACE, f"{parts.netloc}{parts.path}".rstrip("/")))


def write(podcast: Podcast) -> bytes:
    """The feed, newest episode first. Its dates are the episodes', never the time of writing."""
    rss, channel = begin({"itunes": ITUNES, "podcast": PODCAST, "atom": ATOM})
    episodes = sorted(podcast.episodes, key=lambda episode: (-episode.published.timestamp(), episode.guid))
    _channel(channel, podcast)
    if episodes:
        add(channel, "pubDate", date(episodes[0].published))
        add(channel, "lastBuildDate", date(episodes[0].published))
    for episode in episodes:
        _item(ET.SubElement(channel, "item"), episode)
    return document(rss)


def _channel(channel: ET.Element, podcast: Podcast) -> None:
    add(channel, "title", podcast.title)
    add(channel, "link", podcast.link)
    add(channel, "description", podcast.description or podcast.title)
    add(channel, "language", podcast.language)
    add(channel, "generator", "Synops")
    optional(channel, "copyright", podcast.copyright)
    add(channel, name(ATOM, "link"), href=podcast.feed_url, rel="self", type="application/rss+xml")
    add(channel, name(ITUNES, "author"), podcast.author)
    if podcast.owner_email:
        owner = add(channel, name(ITUNES, "owner"))
        add(owner, name(ITUNES, "name"), podcast.owner_name or podcast.author)
        add(owner, name(ITUNES, "email"), podcast.owner_email)
    if podcast.image:
        add(channel, name(ITUNES, "image"), href=podcast.image)
    if podcast.category:
        category = add(channel, name(ITUNES, "category"), text=podcast.category)
        if podcast.subcategory:
            add(category, name(ITUNES, "category"), text=podcast.subcategory)
    add(channel, name(ITUNES, "explicit"), _truth(podcast.explicit))
    add(channel, name(ITUNES, "type"), "episodic")
    add(channel, name(PODCAST, "guid"), podcast.guid)
    add(channel, name(PODCAST, "medium"), "podcast")
    if podcast.owner_email:
        add(channel, name(PODCAST, "locked"), "yes", owner=podcast.owner_email)


def _item(item: ET.Element, episode: Episode) -> None:
    add(item, "title", episode.title)
    add(item, "description", episode.description or episode.title)
    add(item, "guid", episode.guid, isPermaLink="false")
    add(item, "pubDate", date(episode.published))
    add(item, "enclosure", url=episode.url, length=str(episode.length), type=episode.media_type)
    if episode.duration:
        add(item, name(ITUNES, "duration"), str(max(1, round(episode.duration))))
    if episode.season:
        add(item, name(ITUNES, "season"), str(episode.season))
    if episode.number:
        add(item, name(ITUNES, "episode"), str(episode.number))
    add(item, name(ITUNES, "episodeType"), "full")
    add(item, name(ITUNES, "explicit"), _truth(episode.explicit))
    if spoken := episode.transcript:
        attributes = {"url": spoken.url, "type": spoken.media_type, "language": spoken.language, "rel": "captions"}
        add(item, name(PODCAST, "transcript"), **attributes)


def _truth(value: bool) -> str:
    return "true" if value else "false"
