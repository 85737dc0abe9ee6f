"""synops-rss: publishes a collection's podcast: its feed, and beside it the sound and transcript of every episode."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from synops.tools.describe import Description, Param
from synops.tools.program import run

if TYPE_CHECKING:
    from synops.store.collections import CollectionConfig
    from synops.tools.call import Call

DESCRIPTION = Description(
    name="synops-rss",
    version="0.1.0",
    description={
        "nb": "Publiserer samlingens podkast: feed, lydfiler og transkripsjoner.",
        "en": "Publishes the collection's podcast: feed, sound files and transcripts.",
    },
    job_types=("rss",),
    aliases={
        "nb": (
            "oppdater rss-feed",
            "oppdater feed",
            "generer feed",
            "generer rss",
            "lag rss-feed",
            "oppdater podkastfeed",
            "oppdater rss",
        ),
        "nn": ("oppdater rss-feed", "oppdater feed", "lag rss-feed", "oppdater podkastfeed", "oppdater rss"),
        "en": ("update rss feed", "update feed", "generate feed", "update the podcast feed"),
    },
    params=(
        Param(
            name="collection_id",
            type="uuid",
            required=True,
            bind=("event.collection_id",),
            hints={
                "nb": ("samling", "kanal", "podkast", "podcast"),
                "nn": ("samling", "kanal", "podkast", "podcast"),
                "en": ("the collection", "the channel", "the podcast"),
            },
            description={"nb": "Samlingen som er en podkast.", "en": "The collection that is a podcast."},
        ),
    ),
    outputs={
        "feed_path": "string",
        "feed_url": "string",
        "guid": "string",
        "episode_count": "integer",
        "left_out": "list",
    },
    output_words={"feed_url": {"nb": ("feed", "rss-feed"), "nn": ("feed", "rss-feed"), "en": ("the feed",)}},
    database="write",
    settings=("STORE_DIR", "PUBLISH_DIR", "PUBLISH_URL", "SYNOPS_VAR"),
    exit_codes="sysexits",
    examples=(
        "synops-rss --collection-id=0190f5a6-0000-7000-8000-000000000001          # shows the feed",
        "synops-rss --collection-id=0190f5a6-0000-7000-8000-000000000001 --write  # publishes it",
    ),
)


def work(call: Call) -> dict[str, Any]:
    """Without `--write` the feed is in the result and nothing is published."""
    from synops.tools.feed import write
    from synops.tools.podcast import assemble

    if call.write:
        return _publish(call)
    from synops.tools.database import reading

    with reading(call) as cur:
        made = assemble(cur, _podcast_collection(call, cur), call.environ)
    return {**made.result(), "feed": write(made.podcast).decode()}


def _publish(call: Call) -> dict[str, Any]:
    """All in the one transaction that holds the feed's lock: what is read is what is published, and by one at a time."""
    from synops.store.episodes import keep_guid, lock_feed
    from synops.tools import fence
    from synops.tools.database import writing
    from synops.tools.feed import write
    from synops.tools.podcast import assemble

    with writing(call) as cur:
        lock_feed(cur, call.uuid("collection_id"))
        made = assemble(cur, _podcast_collection(call, cur), call.environ)
        for done, (name, stored) in enumerate(made.files.items(), start=1):
            call.progress(done / (len(made.files) + 1), f"publishing {name}")
            made.folder.publish(name, stored)
        keep_guid(cur, made.collection.id, made.podcast.guid)
        if call.job:
            # Before the rename and not only before the commit: a feed can't be rolled back.
            fence.hold(cur, call.job)
        path = made.folder.write("feed.xml", write(made.podcast))
        for folder in ("episodes", "transcripts"):
            made.folder.keep_only(
                folder, [name.partition("/")[2] for name in made.files if name.startswith(f"{folder}/")]
            )
    return {**made.result(), "feed_path": str(path)}


def _podcast_collection(call: Call, cur: Any) -> CollectionConfig:
    """The collection, if it is a podcast: of any other one, recordings must not become public by a slip."""
    from synops.store.collections import UnknownCollection, collection_config
    from synops.tools.failures import NoInput, NotConfigured

    try:
        collection = collection_config(cur, call.uuid("collection_id"))
    except UnknownCollection as error:
        raise NoInput(str(error)) from error
    if "podcast" not in collection.traits:
        raise NotConfigured(
            f'the collection "{collection.title}" is no podcast; add "podcast" to its traits to publish its recordings'
        )
    return collection


def main() -> int:
    """The console script."""
    return run(DESCRIPTION, work)
