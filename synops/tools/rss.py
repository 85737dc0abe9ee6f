"""synops-rss: publishes a collection's feeds: its podcast with the sound and transcript of every episode, and its articles."""

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
        "nb": "Publiserer samlingens feeder: podkasten med lydfiler og transkripsjoner, og sakene.",
        "en": "Publishes the collection's feeds: its podcast with sound files and transcripts, and its articles.",
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
            description={
                "nb": "Samlingen som er en podkast eller publiserer saker.",
                "en": "The collection that is a podcast or publishes articles.",
            },
        ),
    ),
    outputs={
        "feed_path": "string",
        "feed_url": "string",
        "feed_urls": "list",
        "guid": "string",
        "episode_count": "integer",
        "article_count": "integer",
        "left_out": "list",
    },
    output_words={"feed_url": {"nb": ("feed", "rss-feed"), "nn": ("feed", "rss-feed"), "en": ("the feed",)}},
    database="write",
    settings=("STORE_DIR", "PUBLISH_DIR", "PUBLISH_URL", "SYNOPS_VAR", "TIME_ZONE"),
    exit_codes="sysexits",
    examples=(
        "synops-rss --collection-id=0190f5a6-0000-7000-8000-000000000001          # shows the feed",
        "synops-rss --collection-id=0190f5a6-0000-7000-8000-000000000001 --write  # publishes it",
    ),
)


def work(call: Call) -> dict[str, Any]:
    """Without `--write` the first feed is in the result and nothing is published."""
    from synops.tools.feeds import make_feeds

    if call.write:
        return _publish(call)
    from synops.tools.database import reading

    with reading(call) as cur:
        made = make_feeds(cur, _publishing_collection(call, cur), call.environ)
    return {**made.result(), "feed": next(iter(made.documents.values())).decode()}


def _publish(call: Call) -> dict[str, Any]:
    """All in the one transaction that holds the feed's lock: what is read is what is published, and by one at a time."""
    from synops.store.episodes import keep_guid, lock_feed
    from synops.tools import fence
    from synops.tools.database import writing
    from synops.tools.feeds import make_feeds

    with writing(call) as cur:
        lock_feed(cur, call.uuid("collection_id"))
        collection = _publishing_collection(call, cur)
        made = make_feeds(cur, collection, call.environ)
        for done, (name, stored) in enumerate(made.files.items(), start=1):
            call.progress(done / (len(made.files) + 1), f"publishing {name}")
            made.folder.publish(name, stored)
        if made.guid:
            keep_guid(cur, collection.id, made.guid)
        if call.job:
            # Before the rename and not only before the commit: a feed can't be rolled back.
            fence.hold(cur, call.job)
        paths = [made.folder.write(name, document) for name, document in made.documents.items()]
        for folder in ("episodes", "transcripts"):
            made.folder.keep_only(
                folder, [name.partition("/")[2] for name in made.files if name.startswith(f"{folder}/")]
            )
    return {**made.result(), "feed_path": str(paths[0])}


def _publishing_collection(call: Call, cur: Any) -> CollectionConfig:
    """The collection, if it has a feed: of a collection that is no podcast, recordings must not become public by a slip."""
    from synops.store.collections import UnknownCollection, collection_config
    from synops.tools.failures import NoInput, NotConfigured

    try:
        collection = collection_config(cur, call.uuid("collection_id"))
    except UnknownCollection as error:
        raise NoInput(str(error)) from error
    if not {"podcast", "publishing"} & set(collection.traits):
        raise NotConfigured(
            f'the collection "{collection.title}" has no feed; add "podcast" to its traits to publish its recordings, '
            'or "publishing" to publish its articles'
        )
    return collection


def main() -> int:
    """The console script."""
    return run(DESCRIPTION, work)
