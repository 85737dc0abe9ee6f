"""From the graph to a podcast: which nodes are episodes now, their dates, their texts, and the files to publish."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any

from synops.store.collections import CollectionConfig
from synops.store.episodes import EpisodeRow, database_now, episode_rows
from synops.store.files import FileStore
from synops.store.mediatype import EXTENSIONS, media_type
from synops.store.metadata import mapping, moment, text
from synops.store.sql import Cursor
from synops.tools.feed import Episode, Podcast, Transcript, podcast_guid
from synops.tools.publishing import PublicFolder
from synops.tools.subtitles import MEDIA_TYPE as SUBTITLES


@dataclass
class Assembled:
    """A podcast, the stored file behind each published name, and the nodes left out with the reason."""

    podcast: Podcast
    files: dict[str, Path] = field(default_factory=dict)
    left_out: list[dict[str, str]] = field(default_factory=list)


def assemble(cur: Cursor, collection: CollectionConfig, environ: Mapping[str, str]) -> Assembled:
    """Read the collection's episodes and put its podcast together; nothing is written."""
    folder = PublicFolder(environ, collection.slug)
    store, now = FileStore.from_environment(environ), database_now(cur)
    files: dict[str, Path] = {}
    left_out, episodes = [], []
    for row in episode_rows(cur, collection.id):
        published = _published(row)
        if reason := _reason_against(row, published, now, store):
            left_out.append({"node_id": str(row.id), "reason": reason})
            continue
        episodes.append(_episode(row, published, collection, folder, store, files))
    return Assembled(_podcast(collection, folder, tuple(episodes)), files, left_out)


def _podcast(collection: CollectionConfig, folder: PublicFolder, episodes: tuple[Episode, ...]) -> Podcast:
    data = collection.podcast
    owner = mapping(data.get("owner"))
    feed_url = folder.address("feed.xml")
    return Podcast(
        guid=text(data.get("guid")) or podcast_guid(feed_url),
        title=text(data.get("title")) or collection.title,
        description=text(data.get("description")) or collection.description,
        language=collection.language,
        feed_url=feed_url,
        link=text(data.get("link")) or f"{folder.url}/",
        author=text(data.get("author")) or collection.title,
        owner_name=text(owner.get("name")),
        owner_email=text(owner.get("email")),
        category=text(data.get("category")),
        subcategory=text(data.get("subcategory")),
        image=text(data.get("image")),
        copyright=text(data.get("copyright")),
        explicit=data.get("explicit") is True,
        episodes=episodes,
    )


def _episode(
    row: EpisodeRow,
    published: datetime,
    collection: CollectionConfig,
    folder: PublicFolder,
    store: FileStore,
    files: dict[str, Path],
) -> Episode:
    sound = store.path(row.media["cas_hash"])
    kind = _sound_type(row, sound)
    name = f"episodes/{row.media['cas_hash']}.{EXTENSIONS.get(kind, 'bin')}"
    files[name] = sound
    return Episode(
        guid=text(row.metadata.get("guid")) or str(row.id),
        title=row.title or collection.title,
        description=row.summary or row.content,
        published=published,
        url=folder.address(name),
        length=sound.stat().st_size,
        media_type=kind,
        duration=_number(row.media.get("duration_seconds")),
        transcript=_transcript(row, collection, folder, store, files),
        season=_count(row.metadata.get("season")),
        number=_count(row.metadata.get("episode")),
        explicit=row.metadata.get("explicit", collection.podcast.get("explicit")) is True,
    )


def _transcript(
    row: EpisodeRow, collection: CollectionConfig, folder: PublicFolder, store: FileStore, files: dict[str, Path]
) -> Transcript | None:
    data = mapping(row.media.get("transcript"))
    digest = text(data.get("srt_hash"))
    if not store.exists(digest):
        return None
    name = f"transcripts/{digest}.srt"
    files[name] = store.path(digest)
    return Transcript(folder.address(name), SUBTITLES, text(data.get("language")) or collection.language)


def _reason_against(row: EpisodeRow, published: datetime, now: datetime, store: FileStore) -> str:
    """Why this node is no episode now; empty = it is one."""
    if row.metadata.get("excluded_from_feed") is True or row.belonging.get("excluded_from_feed") is True:
        return "excluded from the feed"
    if published > now:
        return f"to be published {published.isoformat()}"
    if not store.exists(text(row.media.get("cas_hash"))):
        return "its sound file is not in the file store"
    return ""


def _published(row: EpisodeRow) -> datetime:
    """When an episode is published: by its place in the collection, else when the conversation ended, else when made."""
    for value in (row.belonging.get("publish_at"), row.belonging.get("published_at"), row.metadata.get("ended_at")):
        if found := moment(value):
            return found
    return row.created_at


def _sound_type(row: EpisodeRow, sound: Path) -> str:
    """The file's own bytes decide; what the node says only where they tell nothing."""
    with sound.open("rb") as stream:
        found = media_type(stream.read(4096))
    return found if found.startswith(("audio/", "video/")) else str(row.media["mime"])


def _number(value: Any) -> float | None:
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) and value > 0 else None


def _count(value: Any) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and value > 0 else None
