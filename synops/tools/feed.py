"""A podcast feed as bytes: RSS 2.0 with Apple's and the Podcasting 2.0 tags. Pure: the same podcast gives the same bytes.

Our own writer, because feedgen refuses `itunes:explicit` true|false, has no `podcast:` tags, and stamps the time of day.
"""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import format_datetime
from typing import Final
from urllib.parse import urlsplit
from uuid import UUID, uuid5

ITUNES: Final = "http://www.itunes.com/dtds/podcast-1.0.dtd"
PODCAST: Final = "https://podcastindex.org/namespace/1.0"
ATOM: Final = "http://www.w3.org/2005/Atom"
# The namespace that the Podcasting 2.0 specification gives for podcast:guid.
GUID_NAMESPACE: Final = UUID("ead4c236-bf58-58c6-a2c6-a6b28d128cb6")

_NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


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
    for prefix, uri in (("itunes", ITUNES), ("podcast", PODCAST), ("atom", ATOM)):
        ET.register_namespace(prefix, uri)
    rss = ET.Element("rss", version="2.0")
    channel = ET.SubElement(rss, "channel")
    episodes = sorted(podcast.episodes, key=lambda episode: (-episode.published.timestamp(), episode.guid))
    _channel(channel, podcast)
    if episodes:
        _add(channel, "pubDate", _date(episodes[0].published))
        _add(channel, "lastBuildDate", _date(episodes[0].published))
    for episode in episodes:
        _item(ET.SubElement(channel, "item"), episode)
    ET.indent(rss)
    document: bytes = ET.tostring(rss, encoding="utf-8", xml_declaration=True)
    return document + b"\n"


def _channel(channel: ET.Element, podcast: Podcast) -> None:
    _add(channel, "title", podcast.title)
    _add(channel, "link", podcast.link)
    _add(channel, "description", podcast.description or podcast.title)
    _add(channel, "language", podcast.language)
    _add(channel, "generator", "Synops")
    _optional(channel, "copyright", podcast.copyright)
    _add(channel, _name(ATOM, "link"), href=podcast.feed_url, rel="self", type="application/rss+xml")
    _add(channel, _name(ITUNES, "author"), podcast.author)
    if podcast.owner_email:
        owner = _add(channel, _name(ITUNES, "owner"))
        _add(owner, _name(ITUNES, "name"), podcast.owner_name or podcast.author)
        _add(owner, _name(ITUNES, "email"), podcast.owner_email)
    if podcast.image:
        _add(channel, _name(ITUNES, "image"), href=podcast.image)
    if podcast.category:
        category = _add(channel, _name(ITUNES, "category"), text=podcast.category)
        if podcast.subcategory:
            _add(category, _name(ITUNES, "category"), text=podcast.subcategory)
    _add(channel, _name(ITUNES, "explicit"), _truth(podcast.explicit))
    _add(channel, _name(ITUNES, "type"), "episodic")
    _add(channel, _name(PODCAST, "guid"), podcast.guid)
    _add(channel, _name(PODCAST, "medium"), "podcast")
    if podcast.owner_email:
        _add(channel, _name(PODCAST, "locked"), "yes", owner=podcast.owner_email)


def _item(item: ET.Element, episode: Episode) -> None:
    _add(item, "title", episode.title)
    _add(item, "description", episode.description or episode.title)
    _add(item, "guid", episode.guid, isPermaLink="false")
    _add(item, "pubDate", _date(episode.published))
    _add(item, "enclosure", url=episode.url, length=str(episode.length), type=episode.media_type)
    if episode.duration:
        _add(item, _name(ITUNES, "duration"), str(max(1, round(episode.duration))))
    if episode.season:
        _add(item, _name(ITUNES, "season"), str(episode.season))
    if episode.number:
        _add(item, _name(ITUNES, "episode"), str(episode.number))
    _add(item, _name(ITUNES, "episodeType"), "full")
    _add(item, _name(ITUNES, "explicit"), _truth(episode.explicit))
    if spoken := episode.transcript:
        attributes = {"url": spoken.url, "type": spoken.media_type, "language": spoken.language, "rel": "captions"}
        _add(item, _name(PODCAST, "transcript"), **attributes)


def _add(parent: ET.Element, tag: str, content: str | None = None, /, **attributes: str) -> ET.Element:
    element = ET.SubElement(parent, tag, {key: _legal(value) for key, value in _kept(attributes).items()})
    element.text = None if content is None else _legal(content)
    return element


def _kept(attributes: Mapping[str, str]) -> dict[str, str]:
    return {key: value for key, value in attributes.items() if value}


def _optional(parent: ET.Element, tag: str, content: str) -> None:
    if content:
        _add(parent, tag, content)


def _legal(text: str) -> str:
    """`text` without the characters that XML 1.0 can't hold even escaped; ElementTree would write them all the same."""
    return _NOT_XML.sub("\N{REPLACEMENT CHARACTER}", text)


def _name(uri: str, tag: str) -> str:
    return f"{{{uri}}}{tag}"


def _date(moment: datetime) -> str:
    return format_datetime(moment.astimezone(UTC).replace(microsecond=0))


def _truth(value: bool) -> str:
    return "true" if value else "false"
